// A client that scans once, as a process of its own.
import { replyOnce } from '../load/reply-once.js';
import { scanPages } from './page-scan.js';

replyOnce(scanPages);
