// The public face of the Queue service's domain.
export * from './limits.js';
export * from './operation.js';
export * from './outcome.js';
export * from './queue-error.js';
export * from './queue-space.js';
