// Decides the commits of one partition that wait together, each on what those before it leave behind, and gives their changes as one. Pure: it reads nothing.
import type { Decide, ReadRows, Reads, Row } from '#store';
import type { Change, Fence } from './partition.js';

/** One commit that waits. */
export interface Waiting {
  readonly reads: Reads;
  readonly decide: Decide<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What a decision came to, told once the changes of its group are durable. */
export type Told = () => void;

export interface Decided {
  readonly told: readonly Told[];
  readonly to: bigint;
  readonly puts: Change['puts'];
  readonly deletes: Change['deletes'];
}

export interface GroupRows {
  readonly fence: Fence;
  readonly keys: ReadonlyMap<string, Row>;
  /** Of the only commit of a group that reads a range. */
  readonly range: readonly Row[];
}

const NO_ROWS: readonly Row[] = [];

/** `firstTick` is later than the fence; each commit that changes something has a later tick than the one before. */
export function decideGroup(
  partition: string,
  group: readonly Waiting[],
  { keys, range, fence = 0n }: GroupRows,
  firstTick: bigint,
): Decided {
  const changed = new Map<string, Row | undefined>();
  const told: Told[] = [];
  let tick = firstTick;
  let to = fence;
  const rowOf = (key: string): Row | undefined => (changed.has(key) ? changed.get(key) : keys.get(key));
  for (const { reads, decide, resolve, reject } of group) {
    const rows: ReadRows = {
      keys: reads.keys.map(rowOf),
      range: reads.range === undefined ? NO_ROWS : range,
    };
    try {
      const { result, puts = [], deletes = [] } = decide(rows, tick);
      // The values may be the caller's own memory, or another row's.
      for (const { key, value } of puts)
        changed.set(key, { partition, key, version: tick, value: Buffer.from(value) });
      for (const key of deletes) changed.set(key, undefined);
      told.push(() => resolve(result));
      if (puts.length + deletes.length === 0) continue;
      to = tick;
      tick += 1n;
    } catch (error) {
      told.push(() => reject(error));
    }
  }
  const puts = [...changed.values()].filter(row => row !== undefined);
  const deletes = [...changed].filter(([, row]) => row === undefined).map(([key]) => key);
  return { told, to, puts, deletes };
}
