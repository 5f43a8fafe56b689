// The public interface of the Blob service's domain: containers and block, append and page blobs, as operations on a store. Begin with
// operation.ts and outcome.ts, the requests and their results; execute.ts runs one. values/ has the types that both use, and the pure
// decisions over it; rows/ has what is stored, beginning with keys.ts; body/ has the contents of blobs; operations/ has the operations, a file
// for each or for a few that belong together. sweep.ts reclaims what no row names, and inspect.ts checks a store.

export { BackgroundWork } from './background-work.js';
export * from './blob-context.js';
export * from './blob-error.js';
export { mismatchOf } from './body/receive.js';
export * from './execute.js';
export * from './inspect.js';
export * from './limits.js';
export * from './operation.js';
export { readContainerAccess } from './operations/containers.js';
export { BEHIND_SNAPSHOTS } from './operations/list-blobs.js';
export { isBlobThere } from './operations/read-blob.js';
export * from './outcome.js';
export { openContainer } from './rows/container-space.js';
export * from './sweep.js';
export {
  type Conditions,
  type ContainerConditions,
  type EtagCondition,
  type LeaseState,
  NO_CONDITIONS,
  NO_ETAG,
  type PageConditions,
  type SourceConditions,
  type TierConditions,
} from './values/conditions.js';
export type { LeaseAction } from './values/lease.js';
export * from './values/properties.js';
export type { TagExpression, Tags } from './values/tags.js';
