// Transfers of large blobs as a process of its own.
import { replyOnce } from '../load/reply-once.js';
import { runTransfers } from './transfers.js';

replyOnce(runTransfers);
