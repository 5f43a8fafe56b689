// The entry point of the Blob service's domain: runs an operation on a store.
import { executeSettings } from '#account';
import type { BlobContext } from './blob-context.js';
import type { Operation } from './operation.js';
import { appendBlock, appendBlockFromUrl, sealBlob } from './operations/append-block.js';
import { getBlockList, putBlockList } from './operations/block-list.js';
import { createContainer, deleteContainer, listContainers } from './operations/container-life.js';
import {
  getContainerAcl,
  getContainerMetadata,
  getContainerProperties,
  leaseContainer,
  setContainerAcl,
  setContainerMetadata,
} from './operations/container-settings.js';
import { abortCopy, copyBlob, putBlobFromUrl } from './operations/copy-blob.js';
import { findBlobsByTags } from './operations/find-blobs.js';
import { listBlobs } from './operations/list-blobs.js';
import { getPageRanges } from './operations/page-ranges.js';
import { putAppendBlob, putBlockBlob, putPageBlob } from './operations/put-blob.js';
import { putBlock, putBlockFromUrl } from './operations/put-block.js';
import { clearPages, putPages, putPagesFromUrl } from './operations/put-pages.js';
import { getBlob, getBlobMetadata, getBlobProperties, getTags } from './operations/read-blob.js';
import { leaseBlob, setBlobMetadata, setTags, setTier } from './operations/set-blob.js';
import { setBlobProperties } from './operations/set-properties.js';
import { deleteBlob, snapshotBlob } from './operations/snapshots.js';
import type { Outcome } from './outcome.js';

/** Fails with BlobError where Azure refuses, with StoreError where the engine fails, and with what a body fails with. */
export function execute(operation: Operation, context: BlobContext): Promise<Outcome> {
  switch (operation.kind) {
    case 'getBlob':
      return getBlob(context, operation);
    case 'putBlockBlob':
      return putBlockBlob(context, operation);
    case 'getBlobProperties':
      return getBlobProperties(context, operation);
    case 'listBlobs':
      return listBlobs(context, operation);
    case 'deleteBlob':
      return deleteBlob(context, operation);
    case 'putAppendBlob':
      return putAppendBlob(context, operation);
    case 'putPageBlob':
      return putPageBlob(context, operation);
    case 'getBlobMetadata':
      return getBlobMetadata(context, operation);
    case 'setBlobMetadata':
      return setBlobMetadata(context, operation);
    case 'snapshotBlob':
      return snapshotBlob(context, operation);
    case 'leaseBlob':
      return leaseBlob(context, operation);
    case 'setTier':
      return setTier(context, operation);
    case 'getTags':
      return getTags(context, operation);
    case 'setTags':
      return setTags(context, operation);
    case 'listContainers':
      return listContainers(context, operation);
    case 'createContainer':
      return createContainer(context, operation);
    case 'deleteContainer':
      return deleteContainer(context, operation);
    case 'getContainerProperties':
      return getContainerProperties(context, operation);
    case 'getContainerMetadata':
      return getContainerMetadata(context, operation);
    case 'setContainerMetadata':
      return setContainerMetadata(context, operation);
    case 'getContainerAcl':
      return getContainerAcl(context, operation);
    case 'setContainerAcl':
      return setContainerAcl(context, operation);
    case 'leaseContainer':
      return leaseContainer(context, operation);
    case 'getServiceProperties':
    case 'setServiceProperties':
    case 'getServiceStats':
      return executeSettings(operation, context, 'blob', context.clock);
    case 'findBlobsByTags':
      return findBlobsByTags(context, operation);
    default:
      return executeBlocks(operation, context);
  }
}

type OfBlocks = Extract<
  Operation,
  {
    readonly kind:
      | 'putBlobFromUrl'
      | 'putBlock'
      | 'putBlockFromUrl'
      | 'putBlockList'
      | 'getBlockList'
      | 'appendBlock'
      | 'appendBlockFromUrl'
      | 'sealBlob'
      | 'putPages'
      | 'clearPages'
      | 'putPagesFromUrl'
      | 'getPageRanges'
      | 'setBlobProperties'
      | 'copyBlob'
      | 'abortCopy';
  }
>;

/** The operations that build a blob from parts, and those on copies. */
function executeBlocks(operation: OfBlocks, context: BlobContext): Promise<Outcome> {
  switch (operation.kind) {
    case 'appendBlock':
      return appendBlock(context, operation);
    case 'putBlock':
      return putBlock(context, operation);
    case 'putBlockList':
      return putBlockList(context, operation);
    case 'getBlockList':
      return getBlockList(context, operation);
    case 'putBlobFromUrl':
      return putBlobFromUrl(context, operation);
    case 'putBlockFromUrl':
      return putBlockFromUrl(context, operation);
    case 'appendBlockFromUrl':
      return appendBlockFromUrl(context, operation);
    case 'sealBlob':
      return sealBlob(context, operation);
    case 'putPages':
      return putPages(context, operation);
    case 'clearPages':
      return clearPages(context, operation);
    case 'putPagesFromUrl':
      return putPagesFromUrl(context, operation);
    case 'getPageRanges':
      return getPageRanges(context, operation);
    case 'setBlobProperties':
      return setBlobProperties(context, operation);
    case 'copyBlob':
      return copyBlob(context, operation);
    case 'abortCopy':
      return abortCopy(context, operation);
  }
}
