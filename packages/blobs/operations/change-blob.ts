// The common part of operations that change the head of a blob and keep its content: one commit that reads and writes the row B.
import type { Space } from '#store';
import { type BlobContext, missingBlob, missingContainer } from '../blob-context.js';
import { commitRows } from '../body/contend.js';
import { decodeHead, encodeHead, type Head } from '../rows/head.js';
import { headKey } from '../rows/keys.js';
import { leaseAfterWrite } from '../values/lease-machine.js';

/** Called with the head in place; `inline` in it is a view. */
export type ChangeHead = (head: Head, tick: bigint) => Head;

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
  if (!changed) throw missingContainer();
  return changed;
}

/** What every write of properties, metadata or content changes. */
export const stamped = (head: Head, tick: bigint): Head => ({
  ...head,
  etag: tick,
  lastModified: tick,
  lease: leaseAfterWrite(head.lease, tick),
});
