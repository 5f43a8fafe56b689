// Names of deleted tables and queues that are held back for a while, as Azure does (protocol: tables#deleted-names).
// An option, off by default: a name is then free at once. A held name is a space of its own, which says until when.
import type { Clock } from '#base';
import type { Space, SpaceAddress, Store } from '#store';

export interface DeletionDelay {
  /** How long a name is held, in ticks of 100 ns. */
  readonly ticks: bigint;
  readonly clock: Clock;
}

export interface NameReservation {
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

const untilOf = (held: Space): bigint => held.metadata.readBigInt64BE();

/**
 * Called once the space of that address is gone. A hold is never changed: one that ends later is another generation of the space, so
 * that who found the old one over drops that and no other.
 */
export async function reserveName(
  { store, deletion }: NameReservation,
  dropped: SpaceAddress,
): Promise<void> {
  if (!deletion) return;
  const until = deletion.clock() + deletion.ticks;
  const address = addressOf(dropped);
  while (!(await store.createSpace(address, encodeTick(until)))) {
    const held = await store.getSpace(address);
    if (held && untilOf(held) >= until) return;
    if (held) await store.dropSpace(held);
  }
}

/** Whether the name of a space that is not there is held back. */
export async function isNameReserved(
  { store, deletion }: NameReservation,
  dropped: SpaceAddress,
): Promise<boolean> {
  const held = deletion && (await store.getSpace(addressOf(dropped)));
  if (!deletion || !held) return false;
  if (untilOf(held) > deletion.clock()) return true;
  await store.dropSpace(held);
  return false;
}
