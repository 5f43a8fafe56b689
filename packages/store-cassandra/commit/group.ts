// Decides the commits of one partition that wait together, each on the result of those before it, and returns their
// changes as one. Pure: it reads nothing.
import type { Decide, ReadRows, Reads, Row } from '#store';
import type { Fence } from './fences.js';
import type { Change, GapsTick } from './partition.js';

/** One commit that waits. */
export interface Waiting {
  readonly reads: Reads;
  readonly decide: Decide<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The result of a decision, delivered once its group's changes are durable. */
export type Told = () => void;

export interface Decided {
  /** The commits from the first one on that were decided; those behind them must be decided again. */
  readonly told: readonly Told[];
  readonly to: bigint;
  readonly puts: Change['puts'];
  readonly deletes: Change['deletes'];
}

export interface GroupRows {
  readonly fence: Fence;
  readonly gaps: GapsTick;
  readonly keys: ReadonlyMap<string, Row>;
  /** For the only commit of a group that reads a range. */
  readonly range: readonly Row[];
}

const NO_ROWS: readonly Row[] = [];
/** For a group's writes. A single commit may be larger. */
const BYTES_MAX = 4 * 1024 * 1024;
/**
 * Overhead of a row on top of its value and its key, which has two bytes per code unit; each row also carries the
 * partition's name.
 */
const ROW_BYTES = 64;
const UNIT_BYTES = 2;

const bytesOf = (
  partition: string,
  puts: readonly { readonly key: string; readonly value: Uint8Array }[],
  deletes: readonly string[],
): number =>
  puts.reduce((sum, { value }) => sum + value.length, 0) +
  [...puts.map(({ key }) => key), ...deletes].reduce(
    (sum, key) => sum + ROW_BYTES + UNIT_BYTES * (key.length + partition.length),
    0,
  );

/** `firstTick` is later than the fence; each commit that changes something has a later tick than the one before. */
export function decideGroup(
  partition: string,
  group: readonly Waiting[],
  { keys, range, fence = 0n }: Pick<GroupRows, 'keys' | 'range' | 'fence'>,
  firstTick: bigint,
): Decided {
  const changed = new Map<string, Row | undefined>();
  const told: Told[] = [];
  let tick = firstTick;
  let to = fence;
  let bytes = 0;
  const rowOf = (key: string): Row | undefined => (changed.has(key) ? changed.get(key) : keys.get(key));
  for (const { reads, decide, resolve, reject } of group) {
    const rows: ReadRows = {
      keys: reads.keys.map(rowOf),
      range: reads.range === undefined ? NO_ROWS : range,
    };
    try {
      const { result, puts = [], deletes = [] } = decide(rows, tick);
      bytes += bytesOf(partition, puts, deletes);
      if (told.length > 0 && bytes > BYTES_MAX) break;
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
