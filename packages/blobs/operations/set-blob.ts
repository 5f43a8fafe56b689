// Set Blob Metadata, Set Blob Tags, Set Blob Tier, Lease Blob (protocol: blobs#settings, blobs#tags, blobs#tiers, leases). Tags, tiers and
// leases leave the stamp as it is.
import { type BlobContext, openContainer } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { ARCHIVE, checkBlobMetadata, checkLeaseAction, checkTags, checkTier } from '../limits.js';
import type { LeaseBlob, SetBlobMetadata, SetTags, SetTier } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { checkConditions } from '../values/check-conditions.js';
import { changeLease, type LeaseChange } from '../values/lease-machine.js';
import { admitWrite, checkOnline, isArchived, onlyTags, stampOf } from './admission.js';
import { type ChangeHead, changeBlob, stamped } from './change-blob.js';

export async function setBlobMetadata(
  context: BlobContext,
  { container, blob, metadata, conditions }: SetBlobMetadata,
): Promise<Outcome> {
  checkBlobMetadata(metadata);
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
  { container, blob, tags, conditions }: SetTags,
): Promise<Outcome> {
  checkTags(tags);
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
  { container, blob, snapshot, tier, leaseId, ifTags }: SetTier,
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
  { container, blob, action, conditions }: LeaseBlob,
): Promise<Outcome> {
  checkLeaseAction(action);
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
