// Where a write of entities may be another front end's to carry out: its table and its partition.
import { type EntityWrite, tableAddress } from '#tables';
import type { Grant } from '../../auth/grant.js';
import { leaveToOwner } from '../../frame/hand-over.js';
import type { RequestContext } from '../../frame/service-protocol.js';

const WRITES: ReadonlySet<string> = new Set([
  'insertEntity',
  'updateEntity',
  'mergeEntity',
  'insertOrReplaceEntity',
  'insertOrMergeEntity',
  'deleteEntity',
] satisfies EntityWrite['kind'][]);

export const isWrite = (operation: { readonly kind: string }): operation is EntityWrite =>
  WRITES.has(operation.kind);

interface Written {
  readonly account: string;
  readonly grant: Grant;
  /** Undefined for a changeset without any. All of one have the same table and partition. */
  readonly write: EntityWrite | undefined;
}

/** @throws HandOver where another front end owns the partition. */
export async function leaveWrite(
  context: Pick<RequestContext, 'server' | 'staysHere'>,
  { account, grant, write }: Written,
): Promise<void> {
  if (write === undefined) return;
  const { table, key } = write;
  await leaveToOwner(context, {
    address: tableAddress(account, table),
    grant,
    partition: () => key.partitionKey,
  });
}
