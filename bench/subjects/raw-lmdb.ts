// npm `lmdb` as a subject, as a program would use it, with none of the engine's own machinery: the same rows, put and read in this process
// without HTTP, authentication or an entity. Writes are in flight together, and each is awaited until it is on disk.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { filler, scatter } from '../load/gaps.js';
import { checkRow } from '../load/requests.js';
import {
  fullPartitions,
  GROUP_ROWS,
  INSERTED_KEY,
  insertedEntity,
  loadedEntity,
  memberEntity,
  memberKey,
  memberNumber,
  mergedEntity,
  PARTITION_ROWS,
  partitionKey,
  partitionText,
  rowKey,
} from '../load/rows.js';
import type { Sample, Subject, WorkloadName } from './subject.js';

// Typed as a CommonJS module: its types for ES modules do not compile under this project's settings.
type Lmdb = typeof import('lmdb', { with: { 'resolution-mode': 'require' }});
type Database = import('lmdb', { with: { 'resolution-mode': 'require' }}).RootDatabase<Buffer, string>;

/** As in the goals: puts, and transactions of 100 puts. */
const PUTS_IN_FLIGHT = 64;
const TRANSACTIONS_IN_FLIGHT = 8;
const CHECK_EVERY = 1000;
/** Reads are synchronous: between slices of this many the database does its own work. */
const READS_PER_TURN = 1000;
/** Above every digit: after a row's own key. */
const AFTER_DIGITS = ':';

const keyOf = (row: number): string => `${partitionKey(row)}/${rowKey(row)}`;
const GROUP = Array.from({ length: GROUP_ROWS }, (_, offset) => offset);

export class RawLmdb implements Subject {
  readonly name = 'lmdb';
  readonly #database: Database;
  readonly #rows: number;
  #sequence = 0;

  private constructor(path: string, rows: number) {
    const lmdb: Lmdb = createRequire(import.meta.url)('lmdb');
    // With the default of `overlappingSync` a put is acknowledged before it is on disk: not what a durable server promises.
    this.#database = lmdb.open(path, { encoding: 'binary', overlappingSync: false });
    this.#rows = rows;
  }

  /** Loaded. */
  static async open(path: string, rows: number): Promise<RawLmdb> {
    const raw = new RawLmdb(path, rows);
    const put = raw.#group(
      offset => `{10:${memberNumber(offset)}}`,
      offset => loadedEntity(memberNumber(offset)),
      memberNumber,
    );
    for (let group = 0; group < rows / GROUP_ROWS; group++) await put(group);
    return raw;
  }

  close(): Promise<void> {
    return this.#database.close();
  }

  async run(workload: WorkloadName, seconds: number): Promise<Sample> {
    const [first, start] = [this.#sequence, performance.now()];
    await this.#work(workload, start + seconds * 1000);
    return { perSecond: ((this.#sequence - first) * 1000) / (performance.now() - start) };
  }

  #work(workload: WorkloadName, until: number): Promise<void> {
    switch (workload) {
      case 'point-get':
        return this.#read(until, READS_PER_TURN, sequence => this.#get(sequence));
      case 'range':
        return this.#read(until, READS_PER_TURN / GROUP_ROWS, sequence => this.#range(sequence));
      case 'filter':
        return this.#read(until, 1, sequence => this.#scan(sequence % fullPartitions(this.#rows)));
      case 'insert':
        return this.#write(until, PUTS_IN_FLIGHT, this.#putter(INSERTED_KEY, insertedEntity()));
      case 'merge':
        return this.#write(until, PUTS_IN_FLIGHT, this.#putter('{10:row}', mergedEntity()));
      case 'transaction':
        return this.#write(until, TRANSACTIONS_IN_FLIGHT, this.#group(memberKey, memberEntity));
      default:
        throw new TypeError(`Raw LMDB has no ${workload}.`);
    }
  }

  async #read(until: number, perTurn: number, read: (sequence: number) => void): Promise<void> {
    while (performance.now() < until) {
      for (let count = 0; count < perTurn; count++) read(this.#sequence++);
      await nextTurn();
    }
  }

  async #write(
    until: number,
    inFlight: number,
    write: (sequence: number) => Promise<unknown>,
  ): Promise<void> {
    const worker = async (): Promise<void> => {
      while (performance.now() < until) await write(this.#sequence++);
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  }

  #get(sequence: number): void {
    const row = scatter(sequence, this.#rows);
    const value = this.#database.get(keyOf(row));
    if (value === undefined || sequence % CHECK_EVERY === 0) checkRow(JSON.parse(String(value)), row);
  }

  #range(sequence: number): void {
    const row = scatter(sequence, this.#rows);
    const first = row - (row % GROUP_ROWS);
    this.#walk(first, first + GROUP_ROWS);
  }

  #scan(partition: number): void {
    const first = partition * PARTITION_ROWS;
    this.#walk(first, Math.min(this.#rows, first + PARTITION_ROWS));
  }

  /** Every value from the first row to before the end is read; only the last one is checked. */
  #walk(first: number, end: number): void {
    let seen = 0;
    let value: Buffer | undefined;
    const range = { start: keyOf(first), end: `${keyOf(end - 1)}${AFTER_DIGITS}` };
    for (const entry of this.#database.getRange(range)) {
      value = entry.value;
      seen++;
    }
    assert.equal(seen, end - first);
    checkRow(JSON.parse(String(value)), end - 1);
  }

  /** Puts the row of a sequence number; the key is below the partition of `row`, an expression. */
  #putter(key: string, entity: string, row = 'row'): (sequence: number) => Promise<boolean> {
    const keyAt = filler(`${partitionText(row)}/${key}`, this.#rows);
    const entityAt = filler(entity, this.#rows);
    return sequence => this.#database.put(keyAt(sequence), Buffer.from(entityAt(sequence), 'latin1'));
  }

  #group(
    key: (offset: number) => string,
    entity: (offset: number) => string,
    row?: (offset: number) => string,
  ): (sequence: number) => Promise<void> {
    const putters = GROUP.map(offset => this.#putter(key(offset), entity(offset), row?.(offset)));
    return sequence =>
      this.#database.transaction(() => {
        for (const put of putters) void put(sequence);
      });
  }
}
