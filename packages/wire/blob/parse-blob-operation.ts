// Parses a request to the Blob service whose kind is known into an operation: query, headers and body, with their limits. The parsers of
// each group stand in request/.
import { BlobError, type Operation, type OperationKind } from '#blobs';
import { checkTimeout } from '../shared/storage-exchange.js';
import type { Asked } from './request/asked.js';
import { BLOB_PARSERS } from './request/blob-operations.js';
import { CONTAINER_PARSERS } from './request/container-operations.js';
import { ofRootAlone } from './request/ranges.js';
import { WRITE_PARSERS } from './request/write-operations.js';

const PARSERS: Readonly<Record<OperationKind, (asked: Asked) => Operation>> = {
  ...CONTAINER_PARSERS,
  ...WRITE_PARSERS,
  ...BLOB_PARSERS,
};

/** Of features that no account here has: ignored, they would promise what is not kept (protocol: blob-requests#headers). */
const UNSUPPORTED =
  /^x-ms-(?:source-|default-|deny-)?(?:encryption-(?:key|scope|algorithm)|immutability-policy-|legal-hold$)/;

/** What a snapshot cannot be the object of. */
const OF_ROOT_ALONE: ReadonlySet<OperationKind> = new Set<OperationKind>([
  'putBlockBlob',
  'putAppendBlob',
  'putPageBlob',
  'putBlobFromUrl',
  'putBlock',
  'putBlockFromUrl',
  'putBlockList',
  'appendBlock',
  'appendBlockFromUrl',
  'sealBlob',
  'putPages',
  'clearPages',
  'putPagesFromUrl',
  'setBlobProperties',
  'setBlobMetadata',
  'snapshotBlob',
  'leaseBlob',
  'copyBlob',
  'abortCopy',
  'setTags',
]);

/** @throws BlobError or ServiceError for refusals before the container is read. */
export function parseBlobOperation(kind: OperationKind, asked: Asked): Operation {
  const { headers, route } = asked;
  const { query } = route;
  checkTimeout(query);
  const unsupported = Object.keys(headers).find(name => UNSUPPORTED.test(name));
  if (unsupported !== undefined) throw new BlobError('UnsupportedHeader', { name: unsupported });
  if (OF_ROOT_ALONE.has(kind) && query.has('snapshot')) throw ofRootAlone(query);
  // There are no versions, so none has that id.
  if (query.has('versionid')) throw new BlobError('BlobNotFound');
  return PARSERS[kind](asked);
}
