// The public interface of the Table service's domain, and the types of its values.

export * from './entity/edm.js';
export * from './entity/edm-text.js';
export * from './entity/entity-codec.js';
export * from './entity/entity-encoder.js';
export * from './entity/entity-key.js';
export * from './execute.js';
export * from './filter/compile-filter.js';
export { compareConstants } from './filter/constant-comparison.js';
export * from './filter/filter.js';
export * from './inspect.js';
export * from './limits.js';
export * from './operation.js';
export { queryEntities } from './operations/query-entities.js';
export { readIdentifiers } from './operations/tables.js';
export * from './outcome.js';
export * from './table-error.js';
export * from './table-space.js';
