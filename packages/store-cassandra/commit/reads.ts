// Combines this process's waiting reads of named keys of one partition into one. Serial reads of a partition queue, so
// that many of them would wait for each other in the cluster. A read is sent after it was asked for, and shows what was
// acknowledged before.
import type { Row } from '#store';
import type { Partition } from './partition.js';

/** Per partition. A read whose node stands still must not hold up those behind it. */
const UNDER_WAY_MAX = 2;
/** Keys that one read names. */
const KEYS_MAX = 200;

interface Asked {
  readonly keys: readonly string[];
  readonly resolve: (rows: ReadonlyMap<string, Row>) => void;
  readonly reject: (error: unknown) => void;
}

interface Turn {
  readonly waiting: Asked[];
  underWay: number;
}

export class Reads {
  readonly #turns = new Map<string, Turn>();

  /** The existing rows, by their keys; there may be others among them. */
  read(partition: Partition, keys: readonly string[]): Promise<ReadonlyMap<string, Row>> {
    const turn = this.#turns.get(partition.place) ?? { waiting: [], underWay: 0 };
    this.#turns.set(partition.place, turn);
    return new Promise((resolve, reject) => {
      turn.waiting.push({ keys, resolve, reject });
      if (turn.underWay < UNDER_WAY_MAX) void this.#run(partition, turn);
    });
  }

  async #run(partition: Partition, turn: Turn): Promise<void> {
    turn.underWay += 1;
    // Reads of this event-loop turn are in the first group.
    await undefined;
    for (let group = take(turn.waiting); group.length > 0; group = take(turn.waiting)) {
      try {
        const { rows } = await partition.readKeys(group.flatMap(({ keys }) => keys));
        for (const { resolve } of group) resolve(rows);
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    turn.underWay -= 1;
    if (turn.underWay === 0) this.#turns.delete(partition.place);
  }
}

function take(waiting: Asked[]): readonly Asked[] {
  let keys = 0;
  let count = 0;
  for (const asked of waiting) {
    keys += asked.keys.length;
    if (count > 0 && keys > KEYS_MAX) break;
    count += 1;
  }
  return waiting.splice(0, count);
}
