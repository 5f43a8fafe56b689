// Reserved names: those of deleted tables and queues, which Azure refuses for a while (protocol: tables#deleted-names).
// Off by default: a name is then free at once. A reserved name is a space of its own, whose metadata is the end of the reservation.
import type { Clock } from '#base';
import type { Space, SpaceAddress, Store } from '#store';

export interface DeletionDelay {
  /** The duration of a reservation, in ticks of 100 ns. */
  readonly ticks: bigint;
  readonly clock: Clock;
}

interface NameReservation {
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

const untilOf = (reserved: Space): bigint => reserved.metadata.readBigInt64BE();

/**
 * Called after the space of that address was dropped. A reservation is immutable: a later end is another generation of its space, so that
 * a call which found the old one expired drops only that one.
 */
export async function reserveName(
  { store, deletion }: NameReservation,
  dropped: SpaceAddress,
): Promise<void> {
  if (!deletion) return;
  const until = deletion.clock() + deletion.ticks;
  const address = addressOf(dropped);
  while (!(await store.createSpace(address, encodeTick(until)))) {
    const reserved = await store.getSpace(address);
    if (reserved && untilOf(reserved) >= until) return;
    if (reserved) await store.dropSpace(reserved);
  }
}

/** Whether the name of a missing space is reserved. */
export async function isNameReserved(
  { store, deletion }: NameReservation,
  dropped: SpaceAddress,
): Promise<boolean> {
  const reserved = deletion && (await store.getSpace(addressOf(dropped)));
  if (!deletion || !reserved) return false;
  if (untilOf(reserved) > deletion.clock()) return true;
  await store.dropSpace(reserved);
  return false;
}
