// The public face of the store contract.
export * from './faulty-store.js';
export * from './histogram.js';
export * from './memory-store.js';
export * from './own-text.js';
export { firstFrom } from './sorted-map.js';
export * from './store.js';
export * from './store-error.js';
