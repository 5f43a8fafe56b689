// The LMDB engine: one directory, several processes at a time. Start with lmdb-store.ts, which ties the folders
// together: layout/ (keys, values, catalogue), commit/, wal/, overlay.ts, scan/, check/ (check, backup, restore), and lmdb/, the
// only code that uses the package `lmdb`.

export { checkFile } from './check/check.js';
export { type LmdbStoreOptions, lmdbEngine, openLmdbStore } from './lmdb-store.js';
