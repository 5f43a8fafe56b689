// The public face of the Table service's domain.
export * from './access-policy.js';
export * from './compile-filter.js';
export * from './date-time.js';
export * from './deleted-tables.js';
export * from './edm.js';
export * from './edm-text.js';
export * from './entity-codec.js';
export * from './execute.js';
export * from './filter.js';
export * from './filter-range.js';
export * from './limits.js';
export * from './operation.js';
export { readServiceProperties } from './operations/service-settings.js';
export { readIdentifiers } from './operations/table-acl.js';
export * from './outcome.js';
export * from './service-properties.js';
export * from './table-error.js';
export * from './table-space.js';
