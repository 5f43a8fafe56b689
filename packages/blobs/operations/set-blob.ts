// Operations that change the head of a blob and keep its content: Set Blob Metadata, Tags, Tier and Properties, Lease
// Blob (protocol: blobs#settings, blobs#tags, blobs#tiers, leases, page-blobs#resize, page-blobs#sequence-numbers).
// Tags, tiers and leases leave the stamp as it is.
import type { Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { mergeLayersLater } from '../body/merge-layers.js';
import { commitRows } from '../contests.js';
import { ARCHIVE, checkPageBlobLength, checkTier, SEQUENCE_NUMBER_MAX } from '../limits.js';
import type { OperationOf, SetSequenceNumber } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { openContainer, there } from '../rows/container-space.js';
import { decodeHead, encodeHead, type Head, type Layer, unlimited } from '../rows/head.js';
import { headKey, newWrittenLayer } from '../rows/keys.js';
import { checkConditions, leaseAfterWrite } from '../values/conditions.js';
import { changeLease, type LeaseChange } from '../values/lease.js';
import { admitWrite, checkOnline, isArchived, missingBlob, onlyTags, stampOf } from './admission.js';

/** Called with the head in place; `inline` in it is a view. */
type ChangeHead = (head: Head, tick: bigint) => Head;

/** Returns the new head. Fails with BlobNotFound, and with what `change` throws. */
export async function changeBlob(
  context: BlobContext,
  space: Space,
  blob: string,
  change: ChangeHead,
  snapshot?: bigint,
): Promise<Head> {
  const key = headKey(snapshot);
  const changed = await commitRows(context, space, blob, { keys: [key] }, ({ keys: [row] }, tick) => {
    if (row === undefined) throw missingBlob();
    const head = change(decodeHead(row.value), tick);
    return { result: { ...head, inline: undefined }, puts: [{ key, value: encodeHead(head) }] };
  });
  return there(changed);
}

/** What every write of properties, metadata or content changes. */
export const stamped = (head: Head, tick: bigint): Head => ({
  ...head,
  etag: tick,
  lastModified: tick,
  lease: leaseAfterWrite(head.lease, tick),
});

export async function setBlobMetadata(
  context: BlobContext,
  { container, blob, metadata, conditions }: OperationOf<'setBlobMetadata'>,
): Promise<Outcome> {
  const space = await openContainer(context, container);
  const head = await changeBlob(context, space, blob, (old, tick) => {
    admitWrite(old, conditions, tick, container);
    checkOnline(old);
    return { ...stamped(old, tick), metadata };
  });
  return { kind: 'blobMetadataSet', stamp: stampOf(head) };
}

export async function setTags(
  context: BlobContext,
  { container, blob, tags, conditions }: OperationOf<'setTags'>,
): Promise<Outcome> {
  const space = await openContainer(context, container);
  await changeBlob(context, space, blob, (old, tick) => {
    admitWrite(old, conditions, tick, container);
    return { ...old, tags };
  });
  return { kind: 'tagsSet' };
}

/** Nothing becomes slower or cheaper, and what is archived comes back at once. */
export async function setTier(
  context: BlobContext,
  { container, blob, snapshot, tier, leaseId, ifTags }: OperationOf<'setTier'>,
): Promise<Outcome> {
  checkTier(tier);
  const space = await openContainer(context, container);
  const conditions = onlyTags(snapshot === undefined ? leaseId : undefined, ifTags);
  const change: ChangeHead = (old, tick) => {
    admitWrite(old, conditions, tick, container);
    if (old.type !== 'BlockBlob') throw new BlobError('InvalidBlobType');
    // A snapshot is not written again, so it does not come back from the archive either.
    if (snapshot !== undefined && isArchived(old) && tier !== ARCHIVE)
      throw new BlobError('BlobOperationNotSupported');
    return { ...old, tier: { name: tier, changed: tick } };
  };
  await changeBlob(context, space, blob, change, snapshot);
  return { kind: 'tierSet' };
}

export async function leaseBlob(
  context: BlobContext,
  { container, blob, action, conditions }: OperationOf<'leaseBlob'>,
): Promise<Outcome> {
  const space = await openContainer(context, container);
  const newId = context.ids();
  let made: LeaseChange | undefined;
  const head = await changeBlob(context, space, blob, (old, tick) => {
    checkConditions(conditions, old, 'write', container);
    made = changeLease(old.lease, action, tick, newId, 'Blob');
    return { ...old, lease: made.lease };
  });
  return {
    kind: 'leased',
    action: action.kind,
    stamp: stampOf(head),
    id: made?.id,
    seconds: made?.seconds,
  };
}

export async function setBlobProperties(
  context: BlobContext,
  operation: OperationOf<'setBlobProperties'>,
): Promise<Outcome> {
  const { container, blob, properties, length, sequenceNumber, conditions } = operation;
  if (length !== undefined) checkPageBlobLength(length);
  const space = await openContainer(context, container);
  const layer = newWrittenLayer(context.ids());
  const head = await changeBlob(context, space, blob, (old, tick) => {
    admitWrite(old, conditions, tick, container);
    checkOnline(old);
    const isOfPages = length !== undefined || sequenceNumber !== undefined;
    if (isOfPages && old.type !== 'PageBlob') throw new BlobError('InvalidBlobType');
    return {
      ...stamped(old, tick),
      properties: properties ?? old.properties,
      sequenceNumber: sequenceNumber ? changed(old.sequenceNumber, sequenceNumber) : old.sequenceNumber,
      length: length ?? old.length,
      layers: length !== undefined && length < old.length ? cut(old, length, layer) : old.layers,
    };
  });
  if (length !== undefined && head.layers.length > 1) mergeLayersLater(context, space, blob);
  return {
    kind: 'blobPropertiesSet',
    stamp: stampOf(head),
    sequenceNumber: head.type === 'PageBlob' ? head.sequenceNumber : undefined,
  };
}

/** The layers' rows beyond the new end stay hidden when the blob grows again; later writes go to another layer. */
const cut = ({ layers }: Head, length: number, name: string): readonly Layer[] => [
  unlimited(name),
  ...layers.map(layer => ({ name: layer.name, limit: Math.min(layer.limit, length) })),
];

function changed(own: bigint, { action, number }: SetSequenceNumber): bigint {
  if (action === 'max') return number > own ? number : own;
  if (action === 'update') return number;
  if (own === SEQUENCE_NUMBER_MAX) throw new BlobError('SequenceNumberIncrementTooLarge');
  return own + 1n;
}
