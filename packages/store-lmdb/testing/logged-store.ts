// A store whose log the test operates by hand, as an exclusive server would, for the tests of recovery and of copying.
// It can be left as a kill leaves it.
import assert from 'node:assert/strict';
import { collectRows, type Row, type Store } from '#store';
import { type Durability, type Environment, openEnvironment } from '../environment.js';
import { Counters } from '../layout/catalog.js';
import type { LogFile } from '../wal/log-file.js';
import { endLog } from '../wal/recovery.js';
import { EVERYTHING, UNBOUNDED } from './fixture.js';
import { appendBatch, createLog, type LogBatch, type LogChange, logBytes, rowBytes } from './log-batch.js';

export const ADDRESS = { account: 'dev', service: 'table', name: 'fruit' };
export const NOW = 17_000_000_000_000_000n;
const PARTITION = 'p';

/** Values by key; undefined removes the row. */
export type Puts = Readonly<Record<string, Buffer | string | undefined>>;

export class LoggedStore {
  readonly environment: Environment;
  /** The last tick of what was decided. */
  tick = 0n;
  #epoch = 0n;
  #log: LogFile | undefined;
  #space = 0;
  #unapplied: LogBatch[] = [];

  /** Creates the space if it does not exist. */
  static async open(directory: string, durability: Durability = 'none'): Promise<LoggedStore> {
    const store = new LoggedStore(openEnvironment({ directory, durability }));
    await store.#begin(directory);
    return store;
  }

  private constructor(environment: Environment) {
    this.environment = environment;
  }

  get space(): number {
    return this.#space;
  }

  get epoch(): bigint {
    return this.#epoch;
  }

  /** Only appends a batch to the log; it has `ticks` ticks. */
  async append(puts: Puts, ticks = 1n): Promise<void> {
    const basis = this.tick;
    const tick = basis + ticks;
    const batch = { basis, tick, changes: this.#changesOf(puts, tick) };
    const bytes = logBytes(batch.changes);
    if (!this.#own().hasRoom(bytes)) {
      await this.apply();
      this.#own().turn();
    }
    await this.appendBatch(batch);
  }

  /** Appends the batch as it is. */
  async appendBatch(batch: LogBatch): Promise<void> {
    await appendBatch(this.#own(), batch);
    this.#unapplied.push(batch);
    this.tick = batch.tick;
  }

  /** Puts the first batches that are not in the trees there, if the log still belongs to this store. */
  async apply(count = this.#unapplied.length): Promise<void> {
    const { catalog, rows } = this.environment;
    const batches = this.#unapplied.splice(0, count);
    await this.environment.transaction(() => {
      if (!this.isOwn()) return;
      for (const { changes } of batches) for (const { key, bytes } of changes) rows.apply(key, bytes);
      const tick = batches.at(-1)?.tick;
      if (tick !== undefined) catalog.putCounters({ ...catalog.getCounters(), tick });
    });
  }

  isOwn(): boolean {
    return this.environment.catalog.ownsLog(this.#epoch);
  }

  /** As a kill leaves it. */
  async abandon(): Promise<void> {
    this.#own().close();
    await this.environment.close();
  }

  async close(): Promise<void> {
    await this.apply();
    await this.environment.transaction(() => endLog(this.environment.catalog));
    await this.abandon();
  }

  async #begin(directory: string): Promise<void> {
    const { catalog } = this.environment;
    const counters = new Counters(() => NOW);
    await this.environment.transaction(() => {
      counters.load(catalog);
      const found = catalog.getSpace(ADDRESS);
      this.#space = found?.id ?? counters.nextSpaceId();
      if (found === undefined)
        catalog.putSpace({ ...ADDRESS, id: this.#space, created: NOW, metadata: Buffer.alloc(0) });
      if (counters.tick < NOW) counters.useTick(NOW);
      counters.save(catalog);
      this.tick = counters.tick;
    });
    const epoch = (catalog.getLogFence()?.epoch ?? 0n) + 1n;
    this.#log = await createLog(directory, epoch);
    await this.environment.transaction(() => {
      this.environment.log.begin();
      this.#epoch = catalog.getLogFence()?.epoch ?? 0n;
    });
    assert.equal(this.#epoch, epoch);
  }

  #changesOf(puts: Puts, tick: bigint): LogChange[] {
    return Object.entries(puts).map(([key, value]) => ({
      key: [this.#space, PARTITION, key],
      bytes: value === undefined ? undefined : rowBytes(tick, Buffer.from(value)),
    }));
  }

  #own(): LogFile {
    assert(this.#log !== undefined);
    return this.#log;
  }
}

/** The rows of the space, by their keys. */
export async function rowsOf(store: Store): Promise<ReadonlyMap<string, Row>> {
  const space = await store.getSpace(ADDRESS);
  assert(space !== undefined);
  const { rows } = await collectRows(store, space, EVERYTHING, UNBOUNDED);
  return new Map(rows.map(row => [row.key, row]));
}

/** Texts by key. */
export async function textsOf(store: Store): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries([...(await rowsOf(store))].map(([key, { value }]) => [key, value.toString()]));
}
