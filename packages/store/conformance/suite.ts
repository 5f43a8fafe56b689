// The fixture of the laws' tests: a store with a space that is opened for each test, a clock that the test sets, and
// shorthands for common calls.
import assert from 'node:assert/strict';
import type { Clock } from '#base';
import { collectRows } from '../collect-rows.js';
import {
  type Budget,
  KEY_LENGTH_MAX,
  type Row,
  type RowInPlace,
  type ScanRange,
  type Space,
  type Store,
} from '../store.js';

export interface OpenedStore<S extends Store = Store> {
  readonly store: S;
  /** Closes the store and opens it again on the same data. Absent for engines that keep nothing. */
  readonly reopen?: (() => Promise<S>) | undefined;
  /** Closes the store and removes its data. */
  close(): Promise<void>;
}

export interface ConformanceOptions<S extends Store = Store> {
  /** The prefix of each test's name. */
  readonly name: string;
  /** For instance `test` of `node:test`. */
  readonly test: (name: string, body: () => Promise<void>) => unknown;
  /** Opens a store that is empty and independent of every other. */
  readonly open: (options: { readonly clock: Clock }) => Promise<OpenedStore<S>>;
  /** Random histories that are compared with the memory store; default 40. */
  readonly histories?: number | undefined;
  /** Longest keys tried, in UTF-16 code units; default KEY_LENGTH_MAX. */
  readonly keyLength?: number | undefined;
}

/** A clock that stands still until the test moves it. */
export class ManualClock {
  now = 17_000_000_000_000_000n;
  readonly read: Clock = () => this.now;

  advance(milliseconds: number): void {
    this.now += BigInt(milliseconds) * 10_000n;
  }
}

/** What few laws need. */
interface Bench<S extends Store> {
  readonly clock: ManualClock;
  readonly reopen: (() => Promise<S>) | undefined;
}

/** `space` is the only one that the store has. */
type Law<S extends Store> = (store: S, space: Space, bench: Bench<S>) => Promise<void>;

export class Suite<S extends Store = Store> {
  readonly #options: ConformanceOptions<S>;

  constructor(options: ConformanceOptions<S>) {
    this.#options = options;
  }

  get histories(): number {
    return this.#options.histories ?? 40;
  }

  get keyLength(): number {
    return this.#options.keyLength ?? KEY_LENGTH_MAX;
  }

  law(name: string, body: Law<S>): void {
    this.#options.test(`${this.#options.name}: ${name}`, async () => {
      const clock = new ManualClock();
      const opened = await this.#options.open({ clock: clock.read });
      try {
        const { store, reopen } = opened;
        await body(store, await createSpace(store), { clock, reopen });
      } finally {
        await opened.close();
      }
    });
  }
}

export const EVERYTHING: ScanRange = { from: { partition: '', key: '' } };

export const UNBOUNDED: Budget = {
  rows: 1_000_000,
  bytes: Number.MAX_SAFE_INTEGER,
  examined: Number.MAX_SAFE_INTEGER,
  milliseconds: Number.MAX_SAFE_INTEGER,
};

export const NO_READS = { keys: [] };

export const HOUR_MS = 3_600_000;

export async function createSpace(store: Store, name = 'rows'): Promise<Space> {
  const space = await store.createSpace({ account: 'account', service: 'test', name }, Buffer.from('{}'));
  if (space === undefined) throw new Error(`The space ${name} exists.`);
  return space;
}

/** Puts rows of one partition in one commit; returns their version. */
export async function put(
  store: Store,
  space: Space,
  partition: string,
  rows: Readonly<Record<string, string>>,
): Promise<bigint> {
  const puts = Object.entries(rows).map(([key, value]) => ({ key, value: Buffer.from(value) }));
  const version = await store.commit(space, partition, NO_READS, (_, tick) => ({ result: tick, puts }));
  if (version === undefined) throw new Error('The space is gone.');
  return version;
}

export async function remove(store: Store, space: Space, partition: string, keys: string[]): Promise<void> {
  await store.commit(space, partition, NO_READS, () => ({ result: true, deletes: keys }));
}

/** The rows of a range, collected page by page. */
export async function scanAll(
  store: Store,
  space: Space,
  range: ScanRange = EVERYTHING,
  budget: Budget = UNBOUNDED,
): Promise<Row[]> {
  const rows: Row[] = [];
  let from = range.from;
  for (;;) {
    const page = await collectRows(store, space, { from, until: range.until }, budget, isSound);
    rows.push(...page.rows);
    if (page.next === undefined) return rows;
    from = page.next;
  }
}

const PLAIN = /^[ -~]*$/;

/** A visitor that checks where value and key are supposed to be. */
function isSound({ key, value, bytes, from, until, keyFrom, keyUntil }: RowInPlace): boolean {
  assert(bytes.subarray(from, until).equals(value));
  if (keyFrom < 0) return true;
  const text = bytes.toString('latin1', keyFrom, keyUntil);
  assert.equal(PLAIN.test(text), PLAIN.test(key));
  if (PLAIN.test(key)) assert.equal(text, key);
  return true;
}

/** `partition/key=value` of each row: which most tests compare. */
export function show(rows: readonly (Row | undefined)[]): string[] {
  return rows.map(row => (row === undefined ? '-' : `${row.partition}/${row.key}=${row.value.toString()}`));
}
