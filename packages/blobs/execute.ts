// The entry point of the Blob service's domain: runs an operation on a store.
import { executeSettings } from '#account';
import type { BlobContext } from './blob-context.js';
import type { Operation } from './operation.js';
import { appendBlock, sealBlob } from './operations/append-block.js';
import { getBlockList, putBlockList } from './operations/block-list.js';
import {
  createContainer,
  deleteContainer,
  getContainerAcl,
  getContainerMetadata,
  getContainerProperties,
  leaseContainer,
  listContainers,
  setContainerAcl,
  setContainerMetadata,
} from './operations/containers.js';
import { abortCopy, copyBlob, putBlobFromUrl } from './operations/copy-blob.js';
import { findBlobsByTags } from './operations/find-blobs.js';
import { listBlobs } from './operations/list-blobs.js';
import { getPageRanges } from './operations/page-ranges.js';
import { putBlockBlob, putEmptyBlob } from './operations/put-blob.js';
import { putBlock } from './operations/put-block.js';
import { clearPages, putPages } from './operations/put-pages.js';
import { getBlob, getBlobMetadata, getBlobProperties, getTags } from './operations/read-blob.js';
import { leaseBlob, setBlobMetadata, setBlobProperties, setTags, setTier } from './operations/set-blob.js';
import { deleteBlob, snapshotBlob } from './operations/snapshots.js';
import type { Outcome } from './outcome.js';

type Handlers = {
  readonly [Kind in Operation['kind']]: (
    context: BlobContext,
    operation: Extract<Operation, { readonly kind: Kind }>,
  ) => Promise<Outcome>;
};

const settings = (
  context: BlobContext,
  operation: Extract<Operation, { readonly kind: `${string}Service${string}` }>,
): Promise<Outcome> => executeSettings(operation, context, 'blob', context.clock);

const HANDLERS: Handlers = {
  getBlob,
  putBlockBlob,
  getBlobProperties,
  listBlobs,
  deleteBlob,
  putAppendBlob: putEmptyBlob,
  putPageBlob: putEmptyBlob,
  getBlobMetadata,
  setBlobMetadata,
  snapshotBlob,
  leaseBlob,
  setTier,
  getTags,
  setTags,
  listContainers,
  createContainer,
  deleteContainer,
  getContainerProperties,
  getContainerMetadata,
  setContainerMetadata,
  getContainerAcl,
  setContainerAcl,
  leaseContainer,
  appendBlock,
  putBlock,
  putBlockList,
  getBlockList,
  putBlobFromUrl,
  putBlockFromUrl: putBlock,
  appendBlockFromUrl: appendBlock,
  sealBlob,
  putPages,
  clearPages,
  putPagesFromUrl: putPages,
  getPageRanges,
  setBlobProperties,
  copyBlob,
  abortCopy,
  findBlobsByTags,
  getServiceProperties: settings,
  setServiceProperties: settings,
  getServiceStats: settings,
};

/** Fails with BlobError where Azure refuses, with StoreError where the engine fails, and with what a body fails with. */
export const execute = (operation: Operation, context: BlobContext): Promise<Outcome> =>
  // Each handler takes the operation of its kind.
  HANDLERS[operation.kind](context, operation as never);
