// The message count of a queue: one row, changed by each commit that adds or removes messages, so that reading it costs one read at any
// depth. It includes invisible messages, and expired ones until they are reclaimed; in that it is approximate.
// It adds no contention: the commits of a queue are serial anyway.
//
// Its version is the tick of the last put, and of each update that made a message visible at once. Ticks may be ahead of the
// clock, when commits come fast or when the clock was set back; a reader without a commit takes the later of the two as the current time.
import type { Clock } from '#base';
import { type Row, type Space, type Store, StoreError } from '#store';

export const COUNT_KEY = 'count';
const COUNT_BYTES = 8;

function encodeCount(count: number): Buffer {
  const bytes = Buffer.alloc(COUNT_BYTES);
  bytes.writeBigUInt64BE(BigInt(count));
  return bytes;
}

export function decodeCount(row: Row | undefined): number {
  if (!row) return 0;
  if (row.value.length !== COUNT_BYTES) throw new StoreError('corrupt', "A queue's count cannot be read.");
  return Number(row.value.readBigUInt64BE());
}

/** The change that a commit makes to the count. */
export const changeCount = (row: Row | undefined, by: number): { key: string; value: Buffer } => ({
  key: COUNT_KEY,
  value: encodeCount(decodeCount(row) + by),
});

export interface Standing {
  readonly count: number;
  /** At least the tick of every message that was put to be visible at once. */
  readonly now: bigint;
}

export async function readStanding(
  store: Store,
  space: Space,
  partition: string,
  clock: Clock,
): Promise<Standing> {
  const [row] = await store.read(space, partition, [COUNT_KEY]);
  const now = clock();
  return { count: decodeCount(row), now: row && row.version > now ? row.version : now };
}
