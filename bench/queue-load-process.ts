// The load of the queue workloads as a process of its own.
import { runQueueJob } from './queue-load.js';
import { replyOnce } from './reply-once.js';

replyOnce(runQueueJob);
