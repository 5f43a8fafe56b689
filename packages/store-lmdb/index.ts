// The LMDB engine: one directory, several processes at a time. Begin with lmdb-store.ts, which ties the rooms together: layout/ (keys,
// values, catalogue), commit/, wal/, scan/, check/ (check, backup, restore), and lmdb/, the only door to the package `lmdb`.

export { type CheckReport, checkFile } from './check/check.js';
export { lmdbEngine } from './lmdb-engine.js';
export { type LmdbStoreOptions, openLmdbStore } from './lmdb-store.js';
