// A server of tables, queues and blobs under the workloads: Shelfmark, or Azurite.
import {
  createContainer,
  getSmall,
  putBlobHead,
  putSmall,
  SMALL_BODY,
  smallName,
} from '../blobs/blob-requests.js';
import type { TransferJob, TransferResult } from '../blobs/transfers.js';
import { askOnce } from '../load/ask-once.js';
import { Caller } from '../load/caller.js';
import { drive, type GeneratorName } from '../load/drive.js';
import { type Job, type JobResult, type RequestKind, WrongAnswer } from '../load/job.js';
import * as requests from '../load/requests.js';
import { MEMBERS } from '../load/template.js';
import type { QueueJob, QueueResult } from '../queues/queue-load.js';
import { putMessages } from '../queues/queue-requests.js';
import type { ServerProcess } from './server-process.js';
import type { Sample, Subject, SubjectName, WorkloadName } from './subject.js';

export const TABLE = 'rows';
export const CONTAINER = 'blobs';
const QUEUE = 'messages';
export const SMALL_BLOBS = 2000;
const TRANSACTION_CONNECTIONS = 8;
/** Enough to keep a compute-bound server busy between two answers. */
const FILTER_CONNECTIONS = 2;
const QUEUE_CLIENTS = 16;
const MEGABYTE = 1_000_000;
const BLOCK_BYTES = 4 * MEGABYTE;
const BLOCK_TRANSFERS = 4;
/** More messages than a run can take. */
const MESSAGES_A_MILLISECOND = 5;
const STOCK = 200_000;

interface ServerOptions {
  readonly name: SubjectName;
  readonly process: ServerProcess;
  readonly tables: requests.Endpoint;
  readonly queues: requests.Endpoint;
  readonly blobs: requests.Endpoint;
  readonly rows: number;
  readonly connections: number;
  readonly generator: GeneratorName;
  readonly megabytes: number;
}

const TRANSFERS = new URL('../blobs/transfers.js', import.meta.url);
const QUEUES = new URL('../queues/queue-load.js', import.meta.url);

export async function transfer(job: TransferJob): Promise<Sample> {
  const { bytes, milliseconds } = await askOnce<TransferResult>(TRANSFERS, 'runTransfers', job);
  return { perSecond: bytes / MEGABYTE / (milliseconds / 1000) };
}

/** Jobs of the large blobs. */
export function transferOf(
  workload: 'download' | 'upload' | 'upload-blocks',
  endpoint: requests.Endpoint,
  megabytes: number,
): TransferJob {
  const bytes = megabytes * MEGABYTE;
  const whole = { endpoint, container: CONTAINER, transfers: 1, bytes };
  if (workload === 'download') return { ...whole, kind: 'download' };
  if (workload === 'upload') return { ...whole, kind: 'upload' };
  const blocks = { transfers: BLOCK_TRANSFERS, bytes: bytes / BLOCK_TRANSFERS, blockBytes: BLOCK_BYTES };
  return { ...whole, kind: 'upload', container: `${CONTAINER}-in-blocks`, ...blocks };
}

export const sampleOf = ({ completed, milliseconds, latency }: JobResult): Sample => ({
  perSecond: (completed * 1000) / milliseconds,
  latency,
});

export class ServerSubject implements Subject {
  readonly name: SubjectName;
  readonly process: ServerProcess;
  readonly #options: ServerOptions;
  /** Sequence numbers are used once, so that no row is inserted twice. */
  #sequence = 0;

  constructor(options: ServerOptions) {
    this.name = options.name;
    this.process = options.process;
    this.#options = options;
  }

  can(_workload: WorkloadName): boolean {
    return true;
  }

  async load(): Promise<void> {
    const { tables, blobs, queues, rows, megabytes } = this.#options;
    await this.#drive(requests.createTable(tables, TABLE), { count: 1, connections: 1 });
    const connections = TRANSACTION_CONNECTIONS;
    await this.#drive(requests.load(tables, TABLE), { first: 0, count: rows / MEMBERS, connections });
    const caller = new Caller(blobs.port);
    const put = async (request: string): Promise<void> => {
      const { status, body } = await caller.ask(request);
      if (status !== 201) throw new WrongAnswer(`${this.name}: status ${status}: ${body}`);
    };
    await put(createContainer(blobs, CONTAINER));
    await put(createContainer(blobs, `${CONTAINER}-in-blocks`));
    for (let blob = 0; blob < SMALL_BLOBS; blob++)
      await put(putBlobHead(blobs, CONTAINER, smallName(blob), SMALL_BODY.length) + SMALL_BODY);
    caller.close();
    await transfer(transferOf('upload', blobs, megabytes));
    await this.#queue({ work: 'create', endpoint: queues, clients: 1, count: 1 });
  }

  async run(workload: WorkloadName, milliseconds: number): Promise<Sample> {
    const { tables, blobs, queues, megabytes } = this.#options;
    const timed = async (kind: RequestKind, job: Partial<Job> = {}): Promise<Sample> =>
      sampleOf(await this.#drive(kind, { milliseconds, ...job }));
    switch (workload) {
      case 'point-get':
        return timed(requests.pointGet(tables, TABLE));
      case 'range':
        return timed(requests.range(tables, TABLE));
      case 'filter':
        return timed(requests.filter(tables, TABLE), { connections: FILTER_CONNECTIONS });
      case 'insert':
        return timed(requests.insert(tables, TABLE));
      case 'merge':
        return timed(requests.merge(tables, TABLE, STOCK));
      case 'transaction':
        return timed(requests.transaction(tables, TABLE), { connections: TRANSACTION_CONNECTIONS });
      case 'blob-get':
        return timed(getSmall(blobs, CONTAINER), { port: blobs.port, rows: SMALL_BLOBS });
      case 'blob-put':
        return timed(putSmall(blobs, CONTAINER), { port: blobs.port, rows: SMALL_BLOBS });
      case 'queue-put':
        return timed(putMessages(queues, QUEUE), { port: queues.port, connections: QUEUE_CLIENTS });
      case 'queue-take':
        return this.#take(milliseconds);
      default:
        return transfer(transferOf(workload, blobs, megabytes));
    }
  }

  /** Get and delete: each needs the receipt of its message, so the clients are the benchmark's own. */
  async #take(milliseconds: number): Promise<Sample> {
    const count = Math.ceil(milliseconds * MESSAGES_A_MILLISECOND);
    await this.#queue({ work: 'put', count, clients: QUEUE_CLIENTS });
    const taken = await this.#queue({ work: 'take', count, milliseconds, clients: QUEUE_CLIENTS });
    return { perSecond: (taken.completed * 1000) / taken.milliseconds };
  }

  async #queue(job: Pick<QueueJob, 'work' | 'clients'> & Partial<QueueJob>): Promise<QueueResult> {
    const { queues, rows } = this.#options;
    const defaults = { endpoint: queues, queue: QUEUE, first: this.#sequence, rows };
    const result = await askOnce<QueueResult>(QUEUES, 'runQueueJob', { ...defaults, ...job });
    this.#sequence += result.completed + QUEUE_CLIENTS;
    return result;
  }

  async #drive(kind: RequestKind, changes: Partial<Job>): Promise<JobResult> {
    const { tables, rows, connections, generator } = this.#options;
    const job = { port: tables.port, connections, rows, first: this.#sequence, requests: [kind], ...changes };
    try {
      const result = await drive(job, generator);
      if (changes.first === undefined) this.#sequence += result.used;
      return result;
    } catch (error) {
      throw error instanceof WrongAnswer ? new WrongAnswer(`${this.name}: ${error.message}`) : error;
    }
  }
}
