// Names of dropped tables that are held back for a while, as Azure does (table-rest.md 8.2). An option, off by default:
// a name is then free at once. A held name is a space of its own, which says until when.
import type { Clock, Space, SpaceAddress } from '#store';
import { TableError } from './table-error.js';
import type { TableContext } from './table-space.js';

export interface DeletionDelay {
  /** How long a name is held, in ticks of 100 ns. */
  readonly ticks: bigint;
  readonly clock: Clock;
}

const addressOf = (account: string, table: string): SpaceAddress => ({
  account,
  service: 'dropped table',
  name: table.toLowerCase(),
});

function encodeTick(tick: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(tick);
  return bytes;
}

const untilOf = (held: Space): bigint => held.metadata.readBigInt64BE();

/**
 * Called once the table is gone. A hold is never changed: one that ends later is another generation of the space, so that who
 * found the old one over drops that and no other.
 */
export async function holdName(context: TableContext, table: string): Promise<void> {
  const { store, account, deletion } = context;
  if (!deletion) return;
  const until = deletion.clock() + deletion.ticks;
  const address = addressOf(account, table);
  while (!(await store.createSpace(address, encodeTick(until)))) {
    const held = await store.getSpace(address);
    if (held && untilOf(held) >= until) return;
    if (held) await store.dropSpace(held);
  }
}

async function isHeld({ store, account, deletion }: TableContext, table: string): Promise<boolean> {
  const held = deletion && (await store.getSpace(addressOf(account, table)));
  if (!deletion || !held) return false;
  if (untilOf(held) > deletion.clock()) return true;
  await store.dropSpace(held);
  return false;
}

/** @throws TableError TableBeingDeleted. */
export async function checkName(context: TableContext, table: string): Promise<void> {
  if (await isHeld(context, table)) throw new TableError('TableBeingDeleted');
}

/** The refusal of an operation on a table that is not there, or not there any more. */
export async function missingTable(context: TableContext, table: string): Promise<TableError> {
  return new TableError((await isHeld(context, table)) ? 'TableBeingDeleted' : 'TableNotFound');
}
