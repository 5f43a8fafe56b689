// The built-in generator as a process of its own: gets a job from its parent, tells the result or what failed, and ends.
import { generate } from './generator.js';
import type { Job } from './job.js';

const decodeJob = (message: unknown): Job => message as Job;

process.once('message', message => {
  generate(decodeJob(message)).then(
    result => process.send?.({ result }, () => process.disconnect()),
    (error: Error) => process.send?.({ failure: error.message }, () => process.disconnect()),
  );
});
