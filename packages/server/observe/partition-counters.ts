// Which partitions are hot: requests, entities and bytes written of the busiest partitions over the last ten minutes, in
// bounded memory. Of many requests a sample is counted, each for as many; a table of the busiest keys replaces its least
// (Space-Saving), so that a key which is asked for often is always there.

/** Counted one by one in each slot; of those beyond, one of so many, so that a request costs less than 0.1 µs. */
export const EXACT_MAX = 1000;
export const SAMPLED_OF = 64;
/** Each has some 1.5 KB. */
export const KEYS_MAX = 512;
export const SLOTS = 60;
export const SLOT_SECONDS = 10;
/** Of a key's weight after each slot, so that the table forgets. */
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

interface Counted {
  account: string;
  table: string;
  partition: string;
  key: string;
  /** The slot that was counted last. */
  slot: number;
  readonly requests: Float32Array;
  readonly rows: Float32Array;
  readonly bytes: Float32Array;
}

const slots = (): Float32Array => new Float32Array(SLOTS);
const slotOf = (now: bigint): number => Math.floor(Number(now) / TICKS_PER_SLOT);

/** Empties the slots that have passed since the last count. */
function advance(counted: Counted, slot: number): void {
  const passed = Math.min(slot - counted.slot, SLOTS);
  for (let step = 1; step <= passed; step++) {
    const at = (counted.slot + step) % SLOTS;
    counted.requests[at] = 0;
    counted.rows[at] = 0;
    counted.bytes[at] = 0;
  }
  counted.slot = Math.max(counted.slot, slot);
}

export class PartitionCounters {
  readonly #places = new Map<string, number>();
  readonly #counted: Counted[] = [];
  /** By place: apart, so that finding the least reads one array. */
  readonly #weights = new Float64Array(KEYS_MAX);
  #requests = 0;
  #slot = 0;

  /** How many requests the next one stands for: 0 if it is not counted. */
  weigh(): number {
    this.#requests += 1;
    if (this.#requests <= EXACT_MAX) return 1;
    return this.#requests % SAMPLED_OF === 0 ? SAMPLED_OF : 0;
  }

  /** The place of the key with the least weight. */
  #least(): number {
    const weights = this.#weights;
    let [place, least] = [0, Number.POSITIVE_INFINITY];
    for (let at = 0; at < KEYS_MAX; at++) {
      const weight = weights[at] ?? 0;
      if (weight >= least) continue;
      least = weight;
      place = at;
    }
    return place;
  }

  /** A place for a new key, which inherits the weight of the one that it replaces. */
  #place(key: string, { account, table, partition }: Observed, slot: number): number {
    const isFull = this.#counted.length >= KEYS_MAX;
    const place = isFull ? this.#least() : this.#counted.length;
    const replaced = this.#counted[place];
    if (replaced === undefined)
      this.#counted.push({
        account,
        table,
        partition,
        key,
        slot,
        requests: slots(),
        rows: slots(),
        bytes: slots(),
      });
    else {
      this.#places.delete(replaced.key);
      for (const counts of [replaced.requests, replaced.rows, replaced.bytes]) counts.fill(0);
      Object.assign(replaced, { account, table, partition, key, slot });
    }
    this.#places.set(key, place);
    return place;
  }

  /** A request that stands for `weight` ones. @param now in ticks. */
  count(observed: Observed, weight: number, now: bigint): void {
    const slot = slotOf(now);
    if (slot > this.#slot) {
      this.#slot = slot;
      this.#requests = 0;
      for (let at = 0; at < KEYS_MAX; at++) this.#weights[at] = (this.#weights[at] ?? 0) * DECAY;
    }
    const key = `${observed.account}\n${observed.table}\n${observed.partition}`;
    const place = this.#places.get(key) ?? this.#place(key, observed, slot);
    const counted = this.#counted[place];
    if (counted === undefined) return;
    advance(counted, slot);
    const at = slot % SLOTS;
    this.#weights[place] = (this.#weights[place] ?? 0) + weight;
    counted.requests[at] = (counted.requests[at] ?? 0) + weight;
    counted.rows[at] = (counted.rows[at] ?? 0) + observed.rows * weight;
    counted.bytes[at] = (counted.bytes[at] ?? 0) + observed.bytes * weight;
  }

  /** The busiest partitions of a table, in the order of their keys. @param now in ticks. */
  heatOf(account: string, table: string, now: bigint): readonly PartitionHeat[] {
    const slot = slotOf(now);
    return this.#counted
      .filter(each => each.account === account && each.table === table.toLowerCase())
      .map(counted => {
        advance(counted, slot);
        const inOrder = (counts: Float32Array): readonly number[] =>
          Array.from({ length: SLOTS }, (_, at) => counts[(counted.slot + 1 + at) % SLOTS] ?? 0);
        const { partition, requests, rows, bytes } = counted;
        return { partition, requests: inOrder(requests), rows: inOrder(rows), bytes: inOrder(bytes) };
      })
      .filter(({ requests }) => requests.some(count => count > 0))
      .sort((one, other) => (one.partition < other.partition ? -1 : 1));
  }
}
