// The public face of the store contract.
export * from './collect-rows.js';
export * from './faulty-store.js';
export * from './memory-store.js';
export * from './store.js';
export * from './store-error.js';
