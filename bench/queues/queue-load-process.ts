// The load of the queue workloads as a process of its own.
import { replyOnce } from '../load/reply-once.js';
import { runQueueJob } from './queue-load.js';

replyOnce(runQueueJob);
