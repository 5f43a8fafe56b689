// A cache of the rows of a small table. Concurrent reads of one row share a request, missing rows are cached too, and entries may be served stale for a
// stated time while the service fails. It is written by hand because stale entries, their age, and a bound that refuses rather than evicts are most of
// it; a library would add only a Map in the order of use.
import { type CallOptions, unlessAborted } from '../../concurrency/abort.js';
import { inOrder } from '../../concurrency/in-order.js';
import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { PatternError, refuseValue } from '../../values/pattern-error.js';
import type { ManyOptions, Reads } from './reads.js';
import type { Results } from './results.js';
import { POINT_CONCURRENCY } from './table-query.js';

/** How long rows of a lookup are taken as they were read, and how many are remembered. */
export interface LookupOptions {
  /** Milliseconds for which a row is taken as it was read. */
  readonly ttl: number;
  /** The greatest number of cached rows: the least recently used one is evicted. */
  readonly maxRows: number;
  /** Time to live of entries for missing rows: that of `ttl` by default. */
  readonly negativeTtl?: number | undefined;
  /** Milliseconds beyond its time for which a row is still given where reading it anew fails. */
  readonly maxStale?: number | undefined;
  /** Milliseconds from anywhere, that never go back. */
  readonly now?: (() => number) | undefined;
  /** Called with failures that a remembered row hides. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The same, with defaults. */
type Settings = { readonly [K in keyof LookupOptions]-?: NonNullable<LookupOptions[K]> };

/** What is known of a row. */
export interface Cached<T> {
  /** Undefined if there is no such row. */
  readonly row: T | undefined;
  /** Milliseconds since it was asked for. */
  readonly age: number;
  /** Its time is over, and reading it anew failed. */
  readonly isStale: boolean;
}

interface Entry<T> {
  readonly row: T | undefined;
  readonly at: number;
}

function checkOption(name: string, value: number, least: number): void {
  if (!(value >= least)) refuseValue(name, `a number from ${least}`, `it is ${value}`);
}

/** A small table that is read often, kept in memory for a while. */
export class Lookup<E extends AnyEntity> {
  readonly #entity: E;
  readonly #reads: Pick<Reads<E>, 'get'>;
  readonly #options: Settings;
  /** In the order of their use. */
  readonly #entries = new Map<string, Entry<StoredOf<E>>>();
  readonly #coming = new Map<string, Promise<Entry<StoredOf<E>>>>();
  /** Of each preload under way, the rows that were forgotten since it began: it may have read them before. */
  readonly #forgotten = new Set<Set<string>>();

  constructor(entity: E, reads: Pick<Reads<E>, 'get'>, options: LookupOptions) {
    const { ttl, maxRows, negativeTtl = ttl, maxStale = 0 } = options;
    const { now = () => performance.now(), onError = () => undefined } = options;
    for (const [name, value] of Object.entries({ ttl, negativeTtl, maxStale })) checkOption(name, value, 0);
    checkOption('maxRows', maxRows, 1);
    this.#entity = entity;
    this.#reads = reads;
    this.#options = { ttl, maxRows, negativeTtl, maxStale, now, onError };
  }

  /** How many rows are remembered. */
  get size(): number {
    return this.#entries.size;
  }

  /** The row, from the cache or read. Throws the error of the read, unless a cached row may stand in for it. */
  async get(key: KeyOf<E>, { signal }: CallOptions = {}): Promise<Cached<StoredOf<E>>> {
    const text = this.#textOf(key);
    const known = this.#entries.get(text);
    if (known !== undefined) {
      this.#entries.delete(text);
      this.#entries.set(text, known);
      const age = this.#ageOf(known);
      if (age < this.#ttlOf(known)) return { row: known.row, age, isStale: false };
    }
    try {
      const entry = await unlessAborted(this.#read(text, key), signal);
      return { row: entry.row, age: this.#ageOf(entry), isStale: false };
    } catch (thrown) {
      signal?.throwIfAborted();
      const age = known === undefined ? 0 : this.#ageOf(known);
      if (known === undefined || age >= this.#ttlOf(known) + this.#options.maxStale) throw thrown;
      this.#options.onError(thrown);
      return { row: known.row, age, isStale: true };
    }
  }

  /** Remembers all that a query gives. Throws ScanRefused if they are more than may be remembered: then it is not a small table. */
  async preload(rows: Pick<Results<StoredOf<E>>, 'take'>, options: CallOptions = {}): Promise<number> {
    const at = this.#options.now();
    const forgotten = new Set<string>();
    this.#forgotten.add(forgotten);
    try {
      const found = await rows.take(this.#options.maxRows + 1, options);
      if (found.length > this.#options.maxRows)
        throw new PatternError('ScanRefused', {
          filter: '',
          reason: `it is not a small table: it has more than ${this.#options.maxRows} rows`,
        });
      for (const row of found) {
        const text = `${row.partitionKey}\n${row.rowKey}`;
        if (!forgotten.has(text)) this.#keep(text, { row, at });
      }
      return found.length;
    } finally {
      this.#forgotten.delete(forgotten);
    }
  }

  /** Reads the row anew when it is asked for next. */
  forget(key: KeyOf<E>): void {
    const text = this.#textOf(key);
    this.#entries.delete(text);
    this.#coming.delete(text);
    for (const each of this.#forgotten) each.add(text);
  }

  /** Each item with the row that it leads to, in order, as they come: undefined where it leads to none. */
  join<T>(
    items: Iterable<T> | AsyncIterable<T>,
    on: (item: T) => KeyOf<E> | undefined,
    { concurrency = POINT_CONCURRENCY, signal }: ManyOptions = {},
  ): AsyncGenerator<readonly [T, StoredOf<E> | undefined], void, undefined> {
    return inOrder(items, { concurrency, signal }, async (item, each) => {
      const key = on(item);
      return [item, key === undefined ? undefined : (await this.get(key, { signal: each })).row] as const;
    });
  }

  #textOf(key: KeyOf<E>): string {
    const { partition, row } = this.#entity.plan;
    return `${partition.encode(key)}\n${row.encode(key)}`;
  }

  #ttlOf({ row }: Entry<unknown>): number {
    return row === undefined ? this.#options.negativeTtl : this.#options.ttl;
  }

  #ageOf({ at }: Entry<unknown>): number {
    return this.#options.now() - at;
  }

  /** Concurrent calls share one read. */
  #read(text: string, key: KeyOf<E>): Promise<Entry<StoredOf<E>>> {
    const coming = this.#coming.get(text);
    if (coming !== undefined) return coming;
    // The row is at least as old as the question.
    const at = this.#options.now();
    const reading: Promise<Entry<StoredOf<E>>> = this.#reads.get(key).then(row => {
      const entry = { row, at };
      if (this.#coming.get(text) === reading) this.#keep(text, entry);
      return entry;
    });
    const done = (): void => {
      if (this.#coming.get(text) === reading) this.#coming.delete(text);
    };
    this.#coming.set(text, reading);
    reading.then(done, done);
    return reading;
  }

  #keep(text: string, entry: Entry<StoredOf<E>>): void {
    this.#entries.delete(text);
    this.#entries.set(text, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#options.maxRows && oldest !== undefined) this.#entries.delete(oldest);
  }
}
