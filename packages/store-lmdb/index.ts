// The public face of the LMDB engine.
export { type CheckReport, checkFile, type Inspection, type SpaceCount } from './check.js';
export type { CommitCounts } from './commit-figures.js';
export { type EngineFigures, type LmdbStore, type LmdbStoreOptions, openLmdbStore } from './lmdb-store.js';
export { Placement } from './placement.js';
export { checkSnapshot, copySnapshot } from './snapshot.js';
