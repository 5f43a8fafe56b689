// A server of the Table API under the workloads. What a run writes is read back afterwards and removed, so that every
// run meets the same table, and an acknowledged write that is missing fails the run.
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeJson, propertiesComplaint } from '../load/checks.js';
import { insertedProperties, memberProperties, mergedProperties, type Properties } from '../load/dataset.js';
import { drive, type GeneratorName } from '../load/drive.js';
import { getEntity } from '../load/get-answer.js';
import { type Job, type JobResult, type RequestKind, WrongAnswer } from '../load/job.js';
import * as requests from '../load/requests.js';
import { MEMBERS } from '../load/template.js';
import { type Contestant, type Sample, sampleOf, type WorkloadName } from './contestant.js';
import type { ServerProcess } from './server-process.js';

export const TABLE = 'rows';
/** For transactions, as in the goals. */
const TRANSACTIONS = { connections: 8 } as const;
/** Enough to keep a compute-bound server busy between two answers. */
const READERS_OF_FILTERS = 2;
/** Requests in flight when the generator ended are done or aborted after this time. */
const SETTLE_MILLISECONDS = 300;
const READ_BACK = 20;
const STOCK_FIRST = 200_000;
const STOCKS = 700_000;

/** For the merges of a run that begins at this sequence number: six digits. */
const stockOf = (first: number): number => STOCK_FIRST + (first % STOCKS);

export interface TableOptions {
  readonly name: string;
  readonly process: ServerProcess;
  readonly endpoint: requests.Endpoint;
  readonly rows: number;
  readonly connections: number;
  readonly generator: GeneratorName;
  readonly data?: string | undefined;
}

export class TableContestant implements Contestant {
  readonly name: string;
  readonly endpoint: requests.Endpoint;
  readonly rows: number;
  readonly processes: readonly ServerProcess[];
  readonly data: string | undefined;
  readonly #options: TableOptions;
  /** Sequence numbers are used once, so that a row is never inserted twice. */
  #sequence = 0;

  constructor(options: TableOptions) {
    this.name = options.name;
    this.endpoint = options.endpoint;
    this.rows = options.rows;
    this.processes = [options.process];
    this.data = options.data;
    this.#options = options;
  }

  can(_workload: WorkloadName): boolean {
    return true;
  }

  stop(): Promise<void> {
    return this.#options.process.stop();
  }

  /** Creates a table and fills it with rows in order, by transactions. */
  async load(table = TABLE, rows = this.rows): Promise<void> {
    await this.job([requests.createTable(this.endpoint, table)], { count: 1 });
    await this.job([requests.load(this.endpoint, table)], {
      first: 0,
      count: rows / MEMBERS,
      ...TRANSACTIONS,
    });
  }

  /** Continues after the last job's sequence numbers, unless `first` is given. */
  async job(kinds: readonly RequestKind[], options: Partial<Job>): Promise<JobResult> {
    const { connections, generator } = this.#options;
    const { port } = this.endpoint;
    const defaults = { port, connections, rows: this.rows, requests: kinds, first: this.#sequence };
    const job = { ...defaults, ...options };
    const result = await drive(job, generator).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      throw error instanceof WrongAnswer ? new WrongAnswer(`${this.name}: ${reason}`) : error;
    });
    if (options.first === undefined) this.#sequence += result.used;
    return result;
  }

  async run(workload: WorkloadName, milliseconds: number): Promise<Sample> {
    const first = this.#sequence;
    const result = await this.measure(workload, milliseconds);
    if (result.completed === 0)
      throw new Error(`${this.name} answered nothing in ${milliseconds} ms of ${workload}`);
    if (workload === 'insert') await this.#settleInserts(first, result);
    if (workload === 'merge') await this.#settleMerges(first, result);
    if (workload === 'transaction') await this.#settleTransactions(first, result);
    return sampleOf(result, workload, this.rows);
  }

  /** A run without the cleanup: what was written stays. */
  measure(workload: WorkloadName, milliseconds: number): Promise<JobResult> {
    const { endpoint } = this;
    switch (workload) {
      case 'point-get':
        return this.job([requests.pointGet(endpoint, TABLE)], { milliseconds });
      case 'range':
        return this.job([requests.range(endpoint, TABLE)], { milliseconds });
      case 'filter':
        return this.job([requests.filter(endpoint, TABLE)], {
          milliseconds,
          connections: READERS_OF_FILTERS,
        });
      case 'insert':
        return this.job([requests.insert(endpoint, TABLE)], { milliseconds });
      case 'merge':
        return this.job([requests.merge(endpoint, TABLE, stockOf(this.#sequence))], { milliseconds });
      case 'transaction':
        return this.job([requests.transaction(endpoint, TABLE)], { milliseconds, ...TRANSACTIONS });
    }
  }

  async #settleInserts(first: number, result: JobResult): Promise<void> {
    await this.#readBack(first, result, sequence => insertedProperties(sequence, this.rows));
    await this.#remove(requests.deleteInserted(this.endpoint, TABLE), first, result, {});
  }

  async #settleTransactions(first: number, result: JobResult): Promise<void> {
    await this.#readBack(first, result, sequence => memberProperties(sequence, this.rows));
    await this.#remove(requests.deleteTransaction(this.endpoint, TABLE), first, result, TRANSACTIONS);
  }

  #settleMerges(first: number, result: JobResult): Promise<void> {
    const stock = stockOf(first);
    return this.#readBack(first, result, sequence => mergedProperties(sequence, this.rows, stock));
  }

  /** Removes what a run wrote. No acknowledged write may be missing. */
  async #remove(kind: RequestKind, first: number, run: JobResult, options: Partial<Job>): Promise<void> {
    if (run.used > run.completed) await sleep(SETTLE_MILLISECONDS);
    const { completed, absent } = await this.job([kind], { first, count: run.used, ...options });
    const there = completed - absent;
    if (there >= run.completed) return;
    throw new WrongAnswer(`${this.name}: of ${run.completed} writes that were answered ${there} were there`);
  }

  /** Reads some of the rows that a run wrote, from its first half: the generator's unanswered requests were sent at the end. */
  async #readBack(
    first: number,
    { completed }: JobResult,
    expected: (sequence: number) => Properties,
  ): Promise<void> {
    const half = Math.ceil(completed / 2);
    const step = Math.ceil(half / READ_BACK);
    for (let sequence = first; sequence < first + half; sequence += step) {
      const properties = expected(sequence);
      const { body } = await getEntity(this.endpoint, TABLE, properties);
      const complaint = propertiesComplaint(decodeJson(body), properties);
      if (complaint !== undefined) throw new WrongAnswer(`${this.name}, read back: ${complaint}`);
    }
  }
}
