// The public face of the Queue service's wire: targets, XML documents, errors.
export * from './format-queue-error.js';
export * from './format-queue-outcome.js';
export * from './parse-queue-operation.js';
export * from './queue-route.js';
