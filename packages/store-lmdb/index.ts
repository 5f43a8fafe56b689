// The public face of the LMDB engine.

export { Placement } from './check/atomic-install.js';
export { type CheckReport, checkFile, type Inspection, type SpaceCount } from './check/check.js';
export { checkSnapshot, copySnapshot } from './check/snapshot.js';
export type { CommitCounts } from './commit/commit-metrics.js';
export { type EngineFigures, type LmdbStore, type LmdbStoreOptions, openLmdbStore } from './lmdb-store.js';
