// Parses the operations that read blobs, and those that change what is not their content (protocol: blob-requests#paths).
import { parseGuid } from '#base';
import { BlobError, type Operation, type SetSequenceNumber } from '#blobs';
import { given } from '../../shared/storage-exchange.js';
import { blobAddressOf } from '../blob-route.js';
import { type Asked, onSnapshot, type Parsers } from './asked.js';
import {
  conditionsOf,
  leaseIdOf,
  readConditionsOf,
  tagsConditionOf,
  tagsConditionsOf,
  tierConditionsOf,
} from './conditions.js';
import { CONTENT_HEADERS, contentPropertiesOf, metadataOf, parseTags, tierNamed } from './content-headers.js';
import { bigOf, type Headers, invalidHeader, required, sent, wholeHeader } from './header-values.js';
import { leaseActionOf } from './lease-action.js';
import { rangePosition, topOf } from './markers.js';
import { ofRootAlone, rangeOf, snapshotOf } from './ranges.js';
import { appendConditionsOf } from './write-operations.js';

const onSnapshotIf = (asked: Asked) => ({ ...onSnapshot(asked), conditions: conditionsOf(asked.headers) });
const leaseAndTags = ({ headers }: Asked) => ({
  leaseId: leaseIdOf(headers),
  ifTags: tagsConditionOf(headers),
});

function getBlockList(asked: Asked): Operation {
  const name = 'blocklisttype';
  const type = (given(asked.route.query, name) ?? 'committed').toLowerCase();
  if (type !== 'committed' && type !== 'uncommitted' && type !== 'all')
    throw new BlobError('InvalidQueryParameterValue', { name, value: asked.route.query.get(name) ?? '' });
  return {
    kind: 'getBlockList',
    ...onSnapshot(asked),
    committed: type !== 'uncommitted',
    uncommitted: type !== 'committed',
    ...leaseAndTags(asked),
  };
}

function sequenceNumberOf(headers: Headers): SetSequenceNumber | undefined {
  const name = 'x-ms-sequence-number-action';
  const action = sent(headers, name)?.toLowerCase();
  if (action === undefined) return undefined;
  const number = bigOf(headers, 'x-ms-blob-sequence-number');
  if (action === 'increment') {
    if (number !== undefined) throw invalidHeader('x-ms-blob-sequence-number', `${number}`);
    return { action, number: 0n };
  }
  if (action !== 'max' && action !== 'update') throw invalidHeader(name, action);
  if (number === undefined)
    throw new BlobError('MissingRequiredHeader', { name: 'x-ms-blob-sequence-number' });
  return { action, number };
}

/** What only page blobs have can be set alone; else all that is not sent is cleared. */
function setBlobProperties(asked: Asked): Operation {
  const { headers } = asked;
  const length = wholeHeader(headers, 'x-ms-blob-content-length');
  const sequenceNumber = sequenceNumberOf(headers);
  const isOfPagesAlone =
    (length !== undefined || sequenceNumber !== undefined) &&
    CONTENT_HEADERS.every(name => sent(headers, name) === undefined);
  return {
    kind: 'setBlobProperties',
    ...blobAddressOf(asked.route),
    properties: isOfPagesAlone ? undefined : contentPropertiesOf(headers),
    length,
    sequenceNumber,
    conditions: conditionsOf(headers),
  };
}

function deleteBlob(asked: Asked): Operation {
  const name = 'x-ms-delete-snapshots';
  const operation = {
    kind: 'deleteBlob' as const,
    ...onSnapshotIf(asked),
    tierConditions: tierConditionsOf(asked.headers),
  };
  const snapshots = sent(asked.headers, name)?.toLowerCase();
  if (snapshots === undefined) return { ...operation, snapshots };
  if (snapshots !== 'include' && snapshots !== 'only') throw invalidHeader(name, snapshots);
  if (operation.snapshot !== undefined) throw ofRootAlone(asked.route.query);
  return { ...operation, snapshots };
}

function abortCopy(asked: Asked): Operation {
  const copyId = given(asked.route.query, 'copyid');
  if (copyId === undefined) throw new BlobError('MissingRequiredQueryParameter', { name: 'copyid' });
  if (parseGuid(copyId) === undefined)
    throw new BlobError('InvalidQueryParameterValue', {
      name: 'copyid',
      value: copyId,
      reason: 'copyid needs to be valid Guid.',
    });
  const action = required(asked.headers, 'x-ms-copy-action');
  if (action.toLowerCase() !== 'abort') throw invalidHeader('x-ms-copy-action', action);
  return { kind: 'abortCopy', ...blobAddressOf(asked.route), copyId, leaseId: leaseIdOf(asked.headers) };
}

/** The most frequent request: written out with all members in one order. */
function getBlob({ headers, route, version }: Asked): Operation {
  const { container, blob } = blobAddressOf(route);
  return {
    kind: 'getBlob',
    container,
    blob,
    snapshot: snapshotOf(route.query),
    conditions: readConditionsOf(headers),
    range: rangeOf(headers, version),
  };
}

function getPageRanges(asked: Asked): Operation {
  const { headers, route, version } = asked;
  return {
    kind: 'getPageRanges',
    ...onSnapshotIf(asked),
    range: rangeOf(headers, version),
    since: snapshotOf(route.query, 'prevsnapshot'),
    from: rangePosition(route.query),
    top: topOf(route.query),
  };
}

export const BLOB_PARSERS = {
  getBlockList,
  sealBlob: asked => ({
    kind: 'sealBlob',
    ...blobAddressOf(asked.route),
    conditions: appendConditionsOf(asked.headers),
  }),
  getPageRanges,
  getBlob,
  getBlobProperties: asked => ({
    kind: 'getBlobProperties',
    ...onSnapshot(asked),
    conditions: readConditionsOf(asked.headers),
  }),
  setBlobProperties,
  getBlobMetadata: asked => ({ kind: 'getBlobMetadata', ...onSnapshotIf(asked) }),
  setBlobMetadata: asked => ({
    kind: 'setBlobMetadata',
    ...blobAddressOf(asked.route),
    metadata: metadataOf(asked.headers),
    conditions: conditionsOf(asked.headers),
  }),
  snapshotBlob: asked => {
    const metadata = metadataOf(asked.headers);
    return {
      kind: 'snapshotBlob',
      ...blobAddressOf(asked.route),
      metadata: metadata.length === 0 ? undefined : metadata,
      conditions: conditionsOf(asked.headers),
    };
  },
  deleteBlob,
  leaseBlob: asked => ({
    kind: 'leaseBlob',
    ...blobAddressOf(asked.route),
    action: leaseActionOf(asked.headers),
    // The id belongs to the action.
    conditions: { ...conditionsOf(asked.headers), leaseId: undefined },
  }),
  abortCopy,
  setTier: asked => ({
    kind: 'setTier',
    ...onSnapshot(asked),
    tier: tierNamed(required(asked.headers, 'x-ms-access-tier')),
    ...leaseAndTags(asked),
  }),
  getTags: asked => ({
    kind: 'getTags',
    ...onSnapshot(asked),
    conditions: tagsConditionsOf(asked.headers),
  }),
  setTags: asked => ({
    kind: 'setTags',
    ...blobAddressOf(asked.route),
    tags: parseTags(asked.body),
    conditions: tagsConditionsOf(asked.headers),
  }),
} satisfies Parsers;
