// The public face of the Table service's wire: targets, JSON, batches, filters, errors.

export * from './answer.js';
export * from './batch/format-batch.js';
export * from './batch/parse-batch.js';
export * from './entity/format-entity.js';
export * from './filter/parse-filter.js';
export * from './format-error.js';
export * from './format-outcome.js';
export * from './parse-operation.js';
export * from './route.js';
