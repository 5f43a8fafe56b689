// The public face of the LMDB engine.
export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.js';
