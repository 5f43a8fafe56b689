// The load of the queue workloads as a process of its own: gets a job from its parent, tells the result or what failed, and ends.
import { type QueueJob, runQueueJob } from './queue-load.js';

process.once('message', message => {
  runQueueJob(message as QueueJob).then(
    result => process.send?.({ result }, () => process.disconnect()),
    (error: Error) => process.send?.({ failure: error.message }, () => process.disconnect()),
  );
});
