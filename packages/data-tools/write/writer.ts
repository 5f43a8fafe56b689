// Writes changes in any order of partitions, many transactions at once: gathers those of a partition up to the limits
// of a transaction. Memory is bounded: adding waits while too much is gathered or in flight.
import type { Row } from '../line/row.js';
import type { Reporter } from '../progress/reporter.js';
import { Applier, type ApplyOptions, type Outcome } from './apply.js';
import {
  BODY_BYTES_MAX,
  CHANGES_MAX,
  type Change,
  type ChangeKind,
  changeOf,
  PART_OVERHEAD_BYTES,
} from './change.js';
import type { TargetTable } from './target-table.js';

/** Two transactions of 4 MiB, each twice more as text and as bytes of a socket. */
export const WRITE_BYTES_MAX = 8 * 1_048_576;

/**
 * Callers wait in order; one that needs more than all waits until it is alone. Without it 300 rows of 1.28 MB took 233
 * MiB instead of 170.
 */
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

interface WriterOptions extends ApplyOptions {
  readonly parallel: number;
  readonly reporter: Reporter;
  /** Whether no key is repeated: rows of a table. */
  readonly hasDistinctKeys: boolean;
  /** For the transactions in flight, of all writers of a run. */
  readonly budget: ByteBudget;
  /** The number of writers; each one gathers. */
  readonly writers: number;
  /** Rows that were left alone are added. */
  readonly counts: { conflicts: number; refused: number };
}

/** For all writers of a run; but each may gather a row. */
const GATHERED_BYTES_MAX = 4 * 1_048_576;
const GATHERED_BYTES_LEAST = 1_048_576;
const GATHERED_GROUPS_MAX = 1000;
/** A unit of a key in a URL: three bytes of UTF-8, each as `%E2`. */
const URL_BYTES_MAX = 9;

/** An upper bound of the bytes of a change in a request. */
function bytesOf({ row: { partitionKey, rowKey }, body }: Change, endpoint: string): number {
  const url = endpoint.length + URL_BYTES_MAX * (partitionKey.length + rowKey.length);
  return PART_OVERHEAD_BYTES + url + Buffer.byteLength(body);
}

export class Writer {
  readonly #table: TargetTable;
  readonly #options: WriterOptions;
  readonly #applier: Applier;
  readonly #gathered = new Map<string, Group>();
  #gatheredBytes = 0;
  readonly #gatheredMost: number;
  readonly #active = new Map<Group, Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(table: TargetTable, options: WriterOptions) {
    this.#table = table;
    this.#options = options;
    this.#applier = new Applier(table, options);
    this.#gatheredMost = Math.max(GATHERED_BYTES_LEAST, GATHERED_BYTES_MAX / options.writers);
  }

  /** Takes a change, and waits while too many are in flight. @throws the failure of an earlier one. */
  async add(kind: ChangeKind, row: Row): Promise<void> {
    const { hasDistinctKeys } = this.#options;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (!hasDistinctKeys && this.#hasKey(row)) await this.drain();
    const change = changeOf(kind, row);
    const bytes = bytesOf(change, this.#table.endpoint.name);
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
    if (!hasDistinctKeys) group.keys.add(row.rowKey);
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
    for (const { keys, changes } of this.#active.keys())
      if (keys.has(rowKey) && changes[0]?.row.partitionKey === partitionKey) return true;
    return false;
  }

  async #send(partitionKey: string, group: Group): Promise<void> {
    const { budget, parallel } = this.#options;
    this.#gathered.delete(partitionKey);
    this.#gatheredBytes -= group.bytes - PART_OVERHEAD_BYTES;
    await budget.take(group.bytes);
    this.#active.set(group, this.#apply(group));
    while (this.#active.size >= parallel) await Promise.race(this.#active.values());
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #apply(group: Group): Promise<void> {
    try {
      for (const outcome of await this.#applier.apply(group.changes)) this.#take(outcome);
      this.#options.reporter.rows(group.changes.filter(({ kind }) => kind !== 'delete').length);
    } catch (error) {
      this.#failure ??= { error };
    } finally {
      this.#options.budget.give(group.bytes);
      this.#active.delete(group);
    }
  }

  #take({ change, kind, reason }: Outcome): void {
    if (kind === 'done') return;
    const { reporter, counts } = this.#options;
    const { partitionKey: PartitionKey, rowKey: RowKey } = change.row;
    if (kind === 'conflict') counts.conflicts++;
    else counts.refused++;
    const told = { table: this.#table.name, PartitionKey, RowKey };
    reporter.tell(kind, { ...told, ...(reason !== undefined && { reason }) });
  }

  /** Sends what is gathered, and waits until all is done or reported. @throws the failure of one. */
  async drain(): Promise<void> {
    for (const [partitionKey, group] of [...this.#gathered]) await this.#send(partitionKey, group);
    while (this.#active.size > 0 && this.#failure === undefined) await Promise.race(this.#active.values());
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
