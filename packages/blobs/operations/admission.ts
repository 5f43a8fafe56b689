// Admission of a request to a blob, over its decoded head: existence first, then the lease, then the conditions
// (protocol: conditions#order-of-checks); and what refusals show of it.
import type { Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { ARCHIVE } from '../limits.js';
import { decodeHead, type Head } from '../rows/head.js';
import { headKey } from '../rows/keys.js';
import {
  type Access,
  type Conditions,
  checkConditions,
  checkLease,
  stateOfLease,
} from '../values/conditions.js';
import type { BlobProperties, Stamp } from '../values/properties.js';

export const missingBlob = (): BlobError => new BlobError('BlobNotFound');

/** Of the blob or its snapshot; undefined where it is not there. */
export async function readHead(
  { store }: BlobContext,
  space: Space,
  blob: string,
  snapshot?: bigint,
): Promise<Head | undefined> {
  const [row] = await store.read(space, blob, [headKey(snapshot)]);
  return row && decodeHead(row.value);
}

/** The conditions of operations that have no others than a lease and tags. */
export const onlyTags = (leaseId: string | undefined, ifTags: Conditions['ifTags']): Conditions => ({
  ifMatch: undefined,
  ifNoneMatch: undefined,
  ifModifiedSince: undefined,
  ifUnmodifiedSince: undefined,
  ifTags,
  leaseId,
});

export const isArchived = ({ tier }: Head): boolean => tier?.name === ARCHIVE;

/** Guards what Azure refuses on an archived blob (protocol: blobs#tiers). @throws BlobError BlobArchived. */
export function checkOnline(head: Head | undefined): void {
  if (head !== undefined && isArchived(head)) throw new BlobError('BlobArchived');
}

export const stampOf = ({ etag, lastModified }: Head): Stamp => ({ etag, lastModified });

/** Snapshots have no lease. */
export function admitRead(
  head: Head | undefined,
  conditions: Conditions,
  snapshot: bigint | undefined,
  now: bigint,
  container: string,
): Head {
  if (head === undefined) throw missingBlob();
  if (snapshot === undefined) checkLease(head.lease, conditions.leaseId, now, false, 'Blob');
  checkConditions(conditions, head, 'read', container);
  return head;
}

export function admitWrite(
  head: Head | undefined,
  conditions: Conditions,
  now: bigint,
  container: string,
): Head {
  if (head === undefined) throw missingBlob();
  admitCreate(head, conditions, now, container, 'write');
  return head;
}

export function admitCreate(
  head: Head | undefined,
  conditions: Conditions,
  now: bigint,
  container: string,
  access: Access = 'create',
): void {
  checkLease(head?.lease, conditions.leaseId, now, true, 'Blob');
  const isHolder = access === 'create' && conditions.leaseId !== undefined && head !== undefined;
  checkConditions(isHolder ? ofHolder(conditions) : conditions, head, access, container);
}

/** The holder of the blob's lease knows that the blob exists: `If-None-Match: *` refuses it nothing (protocol: conditions#outcomes). */
const ofHolder = (conditions: Conditions): Conditions =>
  conditions.ifNoneMatch === 'any' ? { ...conditions, ifNoneMatch: undefined } : conditions;

export function seenBlob(head: Head, snapshot: bigint | undefined, now: bigint): BlobProperties {
  return {
    type: head.type,
    stamp: stampOf(head),
    created: head.created,
    length: head.length,
    properties: head.properties,
    metadata: head.metadata,
    tagCount: head.tags.length,
    tags: head.tags,
    lease: snapshot === undefined ? stateOfLease(head.lease, now) : undefined,
    copy: head.copy,
    tier: head.tier,
    snapshot,
    committedBlocks: head.type === 'AppendBlob' ? head.blocks : undefined,
    isSealed: head.isSealed,
    sequenceNumber: head.type === 'PageBlob' ? head.sequenceNumber : undefined,
  };
}
