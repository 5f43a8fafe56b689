// Writes changes in any order of partitions, many transactions at once: gathers those of a partition up to the limits
// of a transaction, and reports up to which place all are done without a gap, for a journal. Memory is bounded: adding
// waits while too much is gathered or in flight.
import type { Row } from '../line/row.js';
import type { Reporter } from '../progress/reporter.js';
import { Applier, type ApplyOptions, type Outcome } from './apply.js';
import { BODY_BYTES_MAX, CHANGES_MAX, type Change, type ChangeKind, PART_OVERHEAD_BYTES } from './change.js';
import type { TargetTable } from './target-table.js';

/** Two transactions of 4 MiB, each twice more as text and as bytes of a socket. */
export const WRITE_BYTES_MAX = 8 * 1_048_576;

export class ByteBudget {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: { readonly bytes: number; readonly wake: () => void }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#most;
  }

  /** Waits until there is room. */
  async take(bytes: number): Promise<void> {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      await new Promise<void>(wake => this.#waiting.push({ bytes, wake }));
    else this.#taken += bytes;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.wake();
    }
  }
}

interface Group {
  readonly changes: Change[];
  readonly keys: Set<string>;
  bytes: number;
}

export interface Told {
  readonly conflicts: number;
  readonly refused: number;
}

interface WriterOptions extends ApplyOptions {
  readonly parallel: number;
  readonly reporter: Reporter;
  /** Whether no key is repeated: rows of a table. */
  readonly hasDistinctKeys: boolean;
  /** For the transactions in flight, of all writers of a run. */
  readonly budget: ByteBudget;
  /** The number of writers; each one gathers. */
  readonly writers: number;
}

/** For all writers of a run; but each may gather a row. */
const GATHERED_BYTES_MAX = 4 * 1_048_576;
const GATHERED_BYTES_LEAST = 1_048_576;
const GATHERED_GROUPS_MAX = 1000;
/** UTF-8 has up to three bytes per unit. */
const UNIT_BYTES_MAX = 3;
const BYTES_OF_SURE = 64 * 1024;

/** An upper bound of the bytes of a row in a request, without encoding it unless it is large. */
function bytesOf({ partitionKey, rowKey, properties }: Row): number {
  let units = 2 * UNIT_BYTES_MAX * (partitionKey.length + rowKey.length);
  for (const { name, literal } of properties) units += 2 * name.length + literal.length + 40;
  if (units * UNIT_BYTES_MAX < BYTES_OF_SURE) return units * UNIT_BYTES_MAX + PART_OVERHEAD_BYTES;
  let bytes = units;
  for (const { name, literal } of properties)
    bytes += Buffer.byteLength(literal) - literal.length + 2 * (Buffer.byteLength(name) - name.length);
  return bytes + PART_OVERHEAD_BYTES;
}

export class Writer {
  readonly #table: TargetTable;
  readonly #options: WriterOptions;
  readonly #applier: Applier;
  readonly #gathered = new Map<string, Group>();
  #gatheredBytes = 0;
  readonly #gatheredMost: number;
  readonly #active = new Set<Group>();
  #nextPlace = 0;
  #failure: { readonly error: unknown } | undefined;
  #waiting: (() => void)[] = [];
  /** Places of rows that were left alone. */
  readonly #conflicts: number[] = [];
  readonly #refused: number[] = [];

  constructor(table: TargetTable, options: WriterOptions) {
    this.#table = table;
    this.#options = options;
    this.#applier = new Applier(table, options);
    this.#gatheredMost = Math.max(GATHERED_BYTES_LEAST, GATHERED_BYTES_MAX / options.writers);
  }

  /** Takes a change, and waits while too many are in flight. @throws the failure of an earlier one. */
  async add(kind: ChangeKind, row: Row): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (!this.#options.hasDistinctKeys && this.#hasKey(row)) await this.#drain();
    const change: Change = { kind, row, place: this.#nextPlace++ };
    const bytes = bytesOf(row);
    let group = this.#gathered.get(row.partitionKey);
    if (group !== undefined && group.bytes + bytes > BODY_BYTES_MAX) {
      await this.#send(row.partitionKey, group);
      group = undefined;
    }
    if (group === undefined) {
      group = { changes: [], keys: new Set(), bytes: PART_OVERHEAD_BYTES };
      this.#gathered.set(row.partitionKey, group);
    }
    group.changes.push(change);
    if (!this.#options.hasDistinctKeys) group.keys.add(row.rowKey);
    group.bytes += bytes;
    this.#gatheredBytes += bytes;
    if (group.changes.length === CHANGES_MAX) await this.#send(row.partitionKey, group);
    while (this.#gatheredBytes > this.#gatheredMost || this.#gathered.size > GATHERED_GROUPS_MAX) {
      const [first] = this.#gathered;
      if (first === undefined) break;
      await this.#send(...first);
    }
  }

  #hasKey({ partitionKey, rowKey }: Row): boolean {
    if (this.#gathered.get(partitionKey)?.keys.has(rowKey)) return true;
    for (const { keys, changes } of this.#active)
      if (keys.has(rowKey) && changes[0]?.row.partitionKey === partitionKey) return true;
    return false;
  }

  async #send(partitionKey: string, group: Group): Promise<void> {
    this.#gathered.delete(partitionKey);
    this.#gatheredBytes -= group.bytes - PART_OVERHEAD_BYTES;
    this.#active.add(group);
    await this.#options.budget.take(group.bytes);
    void this.#apply(group);
    while (this.#active.size >= this.#options.parallel && this.#failure === undefined) await this.#oneDone();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #oneDone(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve));
  }

  async #apply(group: Group): Promise<void> {
    try {
      for (const outcome of await this.#applier.apply(group.changes)) this.#take(outcome);
      this.#options.reporter.rows(group.changes.filter(({ kind }) => kind !== 'delete').length);
      this.#active.delete(group);
    } catch (error) {
      // A failed change stays in flight: the run is not done up to there.
      this.#failure ??= { error };
    } finally {
      this.#options.budget.give(group.bytes);
    }
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #take({ change, kind, reason }: Outcome): void {
    if (kind === 'done') return;
    const { row, place } = change;
    const { partitionKey: PartitionKey, rowKey: RowKey } = row;
    (kind === 'conflict' ? this.#conflicts : this.#refused).push(place);
    this.#options.reporter.tell(kind, {
      table: this.#table.name,
      PartitionKey,
      RowKey,
      ...(reason !== undefined && { reason }),
    });
  }

  async #drain(): Promise<void> {
    for (const [partitionKey, group] of [...this.#gathered]) await this.#send(partitionKey, group);
    while (this.#active.size > 0 && this.#failure === undefined) await this.#oneDone();
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Sends what is gathered, and waits for all. @throws the failure of one. */
  end(): Promise<void> {
    return this.#drain();
  }

  /** The place of the change that comes next. */
  get nextPlace(): number {
    return this.#nextPlace;
  }

  /** All changes before this place are done, or reported. */
  get donePlace(): number {
    let place = this.#nextPlace;
    for (const { changes } of [...this.#gathered.values(), ...this.#active])
      place = Math.min(place, changes[0]?.place ?? place);
    return place;
  }

  /** For the changes before `donePlace`. */
  get told(): Told {
    const before = this.donePlace;
    const count = (places: readonly number[]): number => places.filter(place => place < before).length;
    return { conflicts: count(this.#conflicts), refused: count(this.#refused) };
  }
}
