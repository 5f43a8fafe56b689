// Scans without a server, as a process of its own.
import { replyOnce } from '../load/reply-once.js';
import { scanLocally } from './local-scan.js';

replyOnce(scanLocally);
