// The public face of what the services of an account have in common.
export * from './access-policy.js';
export * from './inspect.js';
export * from './reserved-name.js';
export * from './service-error.js';
export * from './service-properties.js';
export * from './stored-properties.js';
export * from './versioned-json.js';
