// Which partitions are hot: requests, entities and bytes written of the busiest partitions over the last ten minutes, in
// bounded memory. Where there are too many keys, those with the fewest recent requests are forgotten, so that a key which is
// asked for often is always there.

/** That many are kept, and until the next are forgotten twice as many. Each has some 1.5 KB. */
export const KEYS_MAX = 512;
export const SLOTS = 60;
export const SLOT_SECONDS = 10;
/** Of a key's weight after each slot, so that what was busy is forgotten. */
const DECAY = 0.8;
const TICKS_PER_SLOT = SLOT_SECONDS * 1e7;

/** What is counted of a request. */
export interface Observed {
  readonly account: string;
  /** In lower case. */
  readonly table: string;
  readonly partition: string;
  /** Entities written, and the bytes of the request. */
  readonly rows: number;
  readonly bytes: number;
}

/** The counts of a partition in each slot, the newest last. */
export interface PartitionHeat {
  readonly partition: string;
  readonly requests: readonly number[];
  readonly rows: readonly number[];
  readonly bytes: readonly number[];
}

interface Counted extends Pick<Observed, 'account' | 'table' | 'partition'> {
  /** The slot that was counted last. */
  slot: number;
  /** Requests, the older ones for less. */
  weight: number;
  /** Slots of requests, then of rows, then of bytes. */
  readonly counts: Float32Array;
}

const slotOf = (now: bigint): number => Math.floor(Number(now) / TICKS_PER_SLOT);

/** Empties the slots that have passed since the last count. */
function advance(counted: Counted, slot: number): Counted {
  const { slot: last, counts } = counted;
  const passed = Math.max(0, Math.min(slot - last, SLOTS));
  for (let step = 1; step <= passed; step++)
    for (let at = (last + step) % SLOTS; at < counts.length; at += SLOTS) counts[at] = 0;
  counted.weight *= DECAY ** passed;
  counted.slot = Math.max(last, slot);
  return counted;
}

export class PartitionCounters {
  readonly #counted = new Map<string, Counted>();

  /** @param now in ticks. */
  count({ account, table, partition, rows, bytes }: Observed, now: bigint): void {
    const slot = slotOf(now);
    const key = `${account}\n${table}\n${partition}`;
    let counted = this.#counted.get(key);
    if (counted === undefined) {
      if (this.#counted.size >= 2 * KEYS_MAX) this.#forget(slot);
      counted = { account, table, partition, slot, weight: 0, counts: new Float32Array(3 * SLOTS) };
      this.#counted.set(key, counted);
    }
    const { counts } = advance(counted, slot);
    counted.weight += 1;
    for (const [measure, count] of [1, rows, bytes].entries()) {
      const at = measure * SLOTS + (slot % SLOTS);
      counts[at] = (counts[at] ?? 0) + count;
    }
  }

  #forget(slot: number): void {
    for (const counted of this.#counted.values()) advance(counted, slot);
    const all = [...this.#counted].sort(([, one], [, other]) => other.weight - one.weight);
    for (const [key] of all.slice(KEYS_MAX)) this.#counted.delete(key);
  }

  /** The busiest partitions of a table, in the order of their keys. @param now in ticks. */
  heatOf(account: string, table: string, now: bigint): readonly PartitionHeat[] {
    const slot = slotOf(now);
    return [...this.#counted.values()]
      .filter(each => each.account === account && each.table === table.toLowerCase())
      .map(each => {
        const { slot: last, partition, counts } = advance(each, slot);
        const inOrder = (measure: number): readonly number[] =>
          Array.from({ length: SLOTS }, (_, at) => counts[measure * SLOTS + ((last + 1 + at) % SLOTS)] ?? 0);
        return { partition, requests: inOrder(0), rows: inOrder(1), bytes: inOrder(2) };
      })
      .filter(({ requests }) => requests.some(count => count > 0))
      .sort((one, other) => (one.partition < other.partition ? -1 : 1));
  }
}
