// Raw LMDB under the workloads: the same rows, put and read in one process without HTTP, authentication or an entity.
// Writes are in flight together, and each is awaited until it is on disk.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { decodeJson, propertiesComplaint } from '../load/checks.js';
import {
  expectedProperties,
  groupRows,
  insertedEntity,
  insertedKey,
  loadedEntity,
  memberEntity,
  memberKey,
  mergedEntity,
  partitionKey,
  rowKey,
  rowsOfPartition,
  STOCK,
} from '../load/dataset.js';
import { type JobResult, WrongAnswer } from '../load/job.js';
import { Latencies } from '../load/statistics.js';
import { fullPartitions, MEMBERS, type Part, scatter, slot, Template } from '../load/template.js';

import type { RawDatabase } from './lmdb.js';
import type { RawWorkload } from './lmdb-subject.js';

/** As in the goals: puts, and transactions of 100 puts. */
const PUTS_IN_FLIGHT = 64;
const TRANSACTIONS_IN_FLIGHT = 8;
const LOADS_IN_FLIGHT = 8;
const CHECK_EVERY = 1000;
/** Reads are synchronous: between slices of this many the process handles its messages. */
const READS_PER_TURN = 1000;
/** Above every digit: the end of a partition. */
const AFTER_DIGITS = ':';

const keyOf = (row: number): string => `${partitionKey(row)}/${rowKey(row)}`;

const keyParts = (row: readonly Part[]): readonly Part[] => ['p', slot('partition'), '/', ...row];

class Writes {
  readonly key: Template;
  readonly value: Template;

  constructor(key: readonly Part[], value: readonly Part[], rows: number) {
    this.key = new Template(key, rows);
    this.value = new Template(value, rows);
  }

  keyAt(sequence: number): string {
    return this.key.bytes(sequence).toString('latin1');
  }
}

export class RawLmdb {
  readonly #database: RawDatabase;
  readonly #rows: number;
  readonly #inserts: Writes;
  readonly #merges: Writes;
  readonly #members: readonly Writes[];
  #sequence = 0;
  #latencies = new Latencies();

  constructor(database: RawDatabase, rows: number) {
    this.#database = database;
    this.#rows = rows;
    this.#inserts = new Writes(keyParts(insertedKey()), insertedEntity(), rows);
    this.#merges = new Writes(keyParts([slot('row')]), mergedEntity(STOCK + 1), rows);
    this.#members = Array.from(
      { length: MEMBERS },
      (_, offset) => new Writes(keyParts(memberKey(offset)), memberEntity(offset), rows),
    );
  }

  async load(): Promise<void> {
    const values = Array.from(
      { length: MEMBERS },
      (_, offset) => new Template(loadedEntity(offset), this.#rows),
    );
    let batch = 0;
    const put = (sequence: number): void => {
      for (const [offset, value] of values.entries()) {
        void this.#database.put(keyOf(sequence * MEMBERS + offset), value.bytes(sequence));
      }
    };
    const worker = async (): Promise<void> => {
      while (batch < this.#rows / MEMBERS) {
        const sequence = batch++;
        await this.#database.transaction(() => put(sequence));
      }
    };
    await Promise.all(Array.from({ length: LOADS_IN_FLIGHT }, worker));
  }

  async run(workload: RawWorkload, milliseconds: number): Promise<JobResult> {
    this.#latencies = new Latencies();
    const first = this.#sequence;
    const start = performance.now();
    await this.#work(workload, start + milliseconds);
    const elapsed = performance.now() - start;
    const used = this.#sequence - first;
    const latency = this.#latencies.summary();
    return { completed: used, used, milliseconds: elapsed, latency };
  }

  #work(workload: RawWorkload, until: number): Promise<void> {
    switch (workload) {
      case 'point-get':
        return this.#read(until, READS_PER_TURN, sequence => this.#get(sequence));
      case 'range':
        return this.#read(until, READS_PER_TURN / MEMBERS, sequence => this.#range(sequence));
      case 'filter':
        return this.#read(until, 1, sequence => this.#scan(sequence % fullPartitions(this.#rows)));
      case 'insert':
        return this.#write(until, PUTS_IN_FLIGHT, sequence => this.#put(this.#inserts, sequence));
      case 'merge':
        return this.#write(until, PUTS_IN_FLIGHT, sequence => this.#put(this.#merges, sequence));
      case 'transaction':
        return this.#write(until, TRANSACTIONS_IN_FLIGHT, sequence => this.#putMembers(sequence));
    }
  }

  async #read(until: number, perTurn: number, read: (sequence: number) => void): Promise<void> {
    while (performance.now() < until) {
      for (let count = 0; count < perTurn; count++) {
        const since = performance.now();
        read(this.#sequence++);
        this.#latencies.add(performance.now() - since);
      }
      await nextTurn();
    }
  }

  async #write(
    until: number,
    inFlight: number,
    write: (sequence: number) => Promise<unknown>,
  ): Promise<void> {
    const worker = async (): Promise<void> => {
      while (performance.now() < until) {
        const since = performance.now();
        await write(this.#sequence++);
        this.#latencies.add(performance.now() - since);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, worker));
  }

  #get(sequence: number): void {
    const row = scatter(sequence, this.#rows);
    const value = this.#database.get(keyOf(row));
    if (value === undefined) throw new WrongAnswer(`lmdb: row ${row} is not there`);
    if (sequence % CHECK_EVERY === 0) this.#check(value, row);
  }

  #check(value: Buffer, row: number): void {
    const complaint = propertiesComplaint(decodeJson(value), expectedProperties(row));
    if (complaint !== undefined) throw new WrongAnswer(`lmdb: ${complaint}`);
  }

  #range(sequence: number): void {
    const rows = groupRows(scatter(sequence, this.#rows));
    const [first = 0] = rows;
    const last = rows.at(-1) ?? first;
    this.#walk(keyOf(first), `${keyOf(last)}${AFTER_DIGITS}`, rows.length, last);
  }

  #scan(partition: number): void {
    const { from, until } = rowsOfPartition(partition, this.#rows);
    this.#walk(keyOf(from), `${partitionKey(from)}/${AFTER_DIGITS}`, until - from, until - 1);
  }

  /** Every value is read; only the last one is checked. */
  #walk(start: string, end: string, count: number, last: number): void {
    let seen = 0;
    let value: Buffer | undefined;
    for (const entry of this.#database.getRange({ start, end })) {
      value = entry.value;
      seen++;
    }
    if (seen !== count || value === undefined)
      throw new WrongAnswer(`lmdb: ${seen} rows instead of ${count}`);
    this.#check(value, last);
  }

  #put(writes: Writes, sequence: number): Promise<boolean> {
    return this.#database.put(writes.keyAt(sequence), writes.value.bytes(sequence));
  }

  #putMembers(sequence: number): Promise<void> {
    return this.#database.transaction(() => {
      for (const member of this.#members) void this.#put(member, sequence);
    });
  }
}
