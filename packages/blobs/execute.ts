// The entry point of the Blob service's domain: runs an operation on a store.
import type { BlobContext } from './blob-context.js';
import type { Operation } from './operation.js';
import { createContainer, deleteContainer, listContainers } from './operations/container-life.js';
import {
  getContainerAcl,
  getContainerMetadata,
  getContainerProperties,
  leaseContainer,
  setContainerAcl,
  setContainerMetadata,
} from './operations/container-settings.js';
import { listBlobs } from './operations/list-blobs.js';
import { putAppendBlob, putBlockBlob, putPageBlob } from './operations/put-blob.js';
import { getBlob, getBlobMetadata, getBlobProperties, getTags } from './operations/read-blob.js';
import {
  getServiceProperties,
  getServiceStats,
  setServiceProperties,
} from './operations/service-settings.js';
import { leaseBlob, setBlobMetadata, setTags, setTier } from './operations/set-blob.js';
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
      return getServiceProperties(context);
    case 'setServiceProperties':
      return setServiceProperties(context, operation);
    case 'getServiceStats':
      return getServiceStats(context);
    default:
      return Promise.reject(new Error(`The operation ${operation.kind} is not built yet.`));
  }
}
