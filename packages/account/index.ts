// The public interface of the parts that the services of an account share.
export * from './access-policy.js';
export * from './inspect.js';
export * from './metadata.js';
export * from './reserved-name.js';
export * from './service-error.js';
export * from './service-properties.js';
export * from './service-settings.js';
export * from './spaces.js';
export * from './versioned-json.js';
