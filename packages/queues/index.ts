// The public interface of the Queue service's domain.
export * from './execute.js';
export * from './inspect.js';
export * from './limits.js';
export { partitionOf } from './message-rows.js';
export * from './operation.js';
export { readQueueIdentifiers } from './operations/queues.js';
export * from './outcome.js';
export * from './queue-error.js';
export * from './queue-space.js';
export * from './sweep.js';
