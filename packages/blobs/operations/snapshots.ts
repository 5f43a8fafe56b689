// Snapshot Blob and Delete Blob (protocol: blobs#snapshots, blobs#delete). A snapshot shares its content with the blob; the blob counts its
// snapshots, so that an operation need not search for them.
import type { Decision, Space } from '#store';
import type { BlobContext } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import { mergeLayersLater } from '../body/merge-layers.js';
import { areMany } from '../body/plan-layers.js';
import { reclaimLater } from '../body/reclaim.js';
import { commitRows } from '../contests.js';
import type { OperationOf } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { openContainer, there } from '../rows/container-space.js';
import { decodeHead, encodeHead, type Head, unlimited } from '../rows/head.js';
import { allSnapshots, BLOB_KEY, newWrittenLayer, STAGING_KEY, snapshotKey } from '../rows/keys.js';
import { type Conditions, checkConditions, checkLease, checkTierTimes } from '../values/conditions.js';
import { admitCreate, admitRead, admitWrite, checkOnline, missingBlob, stampOf } from './admission.js';

/** The snapshot's time is that of the commit, so it is unlike that of any other. */
export async function snapshotBlob(
  context: BlobContext,
  { container, blob, metadata, conditions }: OperationOf<'snapshotBlob'>,
): Promise<Outcome> {
  const space = await openContainer(context, container);
  const layer = newWrittenLayer(context.ids());
  const keys = [BLOB_KEY];
  const taken = await commitRows(context, space, blob, { keys }, ({ keys: [row] }, tick) => {
    const old = row && decodeHead(row.value);
    if (old === undefined) throw missingBlob();
    checkLease(old.lease, conditions.leaseId, tick, false, 'Blob');
    checkConditions(conditions, old, 'write', container);
    checkOnline(old);
    const snapshot: Head = { ...old, metadata: metadata ?? old.metadata, lease: undefined, snapshots: 0 };
    // What is written to a page blob from now on hides what the snapshot keeps.
    const layers = old.type === 'PageBlob' ? [unlimited(layer), ...old.layers] : old.layers;
    const puts = [
      { key: snapshotKey(tick), value: encodeHead(snapshot) },
      { key: BLOB_KEY, value: encodeHead({ ...old, snapshots: old.snapshots + 1, layers }) },
    ];
    return { result: { stamp: stampOf(old), snapshot: tick, hasMany: areMany(layers) }, puts };
  });
  const { stamp, snapshot, hasMany } = there(taken);
  if (hasMany) mergeLayersLater(context, space, blob);
  return { kind: 'snapshotTaken', stamp, snapshot };
}

export async function deleteBlob(
  context: BlobContext,
  operation: OperationOf<'deleteBlob'>,
): Promise<Outcome> {
  const space = await openContainer(context, operation.container);
  if (operation.snapshot !== undefined) await deleteSnapshot(context, space, operation, operation.snapshot);
  else await deleteBase(context, space, operation);
  return { kind: 'blobDeleted' };
}

/** A tier that was never set is as old as the blob. */
function checkTier({ tierConditions }: OperationOf<'deleteBlob'>, { tier, created }: Head): void {
  checkTierTimes(tierConditions, tier?.changed ?? created);
}

const withoutContent = (head: Head): Head => ({ ...head, inline: undefined });

async function deleteSnapshot(
  context: BlobContext,
  space: Space,
  operation: OperationOf<'deleteBlob'>,
  snapshot: bigint,
): Promise<void> {
  const { container, blob, conditions } = operation;
  const keys = [snapshotKey(snapshot), BLOB_KEY];
  const deleted = await commitRows(context, space, blob, { keys }, (rows, tick) => {
    const [row, base] = rows.keys;
    const head = admitRead(row && decodeHead(row.value), conditions, snapshot, tick, container);
    checkTier(operation, head);
    const old = base && decodeHead(base.value);
    const counted = old && encodeHead({ ...old, snapshots: old.snapshots - 1 });
    return {
      result: withoutContent(head),
      puts: counted ? [{ key: BLOB_KEY, value: counted }] : [],
      deletes: keys.slice(0, 1),
    };
  });
  afterSnapshot(context, space, blob, there(deleted));
}

/** What it shared with the blob, or with other snapshots, is seen there. */
function afterSnapshot(context: BlobContext, space: Space, blob: string, deleted: Head): void {
  if (deleted.type === 'PageBlob') mergeLayersLater(context, space, blob);
  else reclaimLater(context, space, blob, { ...deleted, snapshots: 1 }, false);
}

const DELETED_KEYS = { keys: [BLOB_KEY, STAGING_KEY] } as const;

interface DeletedHeads {
  /** Undefined: uncommitted blocks alone were there. */
  readonly old: Head | undefined;
  readonly heads: readonly Head[];
  readonly hadStaging: boolean;
}

/** A blob with only uncommitted blocks: these are deleted (protocol: blobs#delete). */
function deleteUncommitted(conditions: Conditions, tick: bigint, container: string): Decision<DeletedHeads> {
  admitCreate(undefined, conditions, tick, container, 'write');
  return { result: { old: undefined, heads: [], hadStaging: true }, deletes: [STAGING_KEY] };
}

const DELETED_WITH_SNAPSHOTS = {
  ...DELETED_KEYS,
  range: { ...allSnapshots, rows: Number.MAX_SAFE_INTEGER },
} as const;

async function deleteBase(
  context: BlobContext,
  space: Space,
  operation: OperationOf<'deleteBlob'>,
): Promise<void> {
  const { container, blob, conditions, snapshots: which } = operation;
  const reads = which === undefined ? DELETED_KEYS : DELETED_WITH_SNAPSHOTS;
  const deleted = await commitRows<DeletedHeads>(context, space, blob, reads, (rows, tick) => {
    const [row, staging] = rows.keys;
    const hadStaging = which !== 'only' && staging !== undefined;
    if (hadStaging && row === undefined) return deleteUncommitted(conditions, tick, container);
    const old = admitWrite(row && decodeHead(row.value), conditions, tick, container);
    checkTier(operation, old);
    if (which === undefined && old.snapshots > 0) throw new BlobError('SnapshotsPresent');
    const heads = rows.range.map(({ value }) => withoutContent(decodeHead(value)));
    const snapshots = rows.range.map(({ key }) => key);
    const result = { old: withoutContent(old), heads, hadStaging };
    if (which !== 'only')
      return { result, deletes: [BLOB_KEY, ...(hadStaging ? [STAGING_KEY] : []), ...snapshots] };
    const value = encodeHead({ ...old, snapshots: 0 });
    return { result, puts: [{ key: BLOB_KEY, value }], deletes: snapshots };
  });
  const { old, heads, hadStaging } = there(deleted);
  for (const head of heads) afterSnapshot(context, space, blob, head);
  if (which !== 'only')
    reclaimLater(context, space, blob, old && { ...old, snapshots: heads.length }, hadStaging);
}
