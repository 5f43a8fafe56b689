// The load of the blob workloads as a process of its own.
import { replyOnce } from '../load/reply-once.js';
import { runBlobJob } from './blob-load.js';

replyOnce(runBlobJob);
