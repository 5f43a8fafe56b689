// Names of deleted tables and queues that are held back for a while, as Azure does (table-rest.md 8.2, queue-blob-rest.md 7).
// An option, off by default: a name is then free at once. A held name is a space of its own, which says until when.
import type { Clock, SpaceAddress, Store } from '#store';

export interface DeletionDelay {
  /** How long a name is held, in ticks of 100 ns. */
  readonly ticks: bigint;
  readonly clock: Clock;
}

export interface Holding {
  readonly store: Store;
  /** Absent where a dropped name is free at once. */
  readonly deletion?: DeletionDelay | undefined;
}

const addressOf = ({ account, service, name }: SpaceAddress): SpaceAddress => ({
  account,
  service: `dropped ${service}`,
  name,
});

function encodeTick(tick: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(tick);
  return bytes;
}

/** Called once the space of that address is gone. */
export async function holdName({ store, deletion }: Holding, dropped: SpaceAddress): Promise<void> {
  if (!deletion) return;
  const until = encodeTick(deletion.clock() + deletion.ticks);
  const address = addressOf(dropped);
  const held = await store.getSpace(address);
  if (held) await store.updateSpace(held, () => until);
  else await store.createSpace(address, until);
}

/** Whether the name of a space that is not there is held back. */
export async function isHeld({ store, deletion }: Holding, dropped: SpaceAddress): Promise<boolean> {
  const held = deletion && (await store.getSpace(addressOf(dropped)));
  if (!deletion || !held) return false;
  if (held.metadata.readBigInt64BE() > deletion.clock()) return true;
  await store.dropSpace(held);
  return false;
}
