// A server of tables, queues and blobs under the workloads: Shelfmark, Azurite, or bare node:http, which repeats Shelfmark's answers.
import { fire } from '../load/autocannon.js';
import { generate, type Job, type Load, sendAll } from '../load/generate.js';
import { createQueue, putMessage, putStep, takeSteps } from '../load/queues.js';
import { create, type Endpoint, type Kind } from '../load/request.js';
import * as requests from '../load/requests.js';
import { GROUP_ROWS } from '../load/rows.js';
import { transfer } from '../load/transfers.js';
import type { ServerProcess } from './server-process.js';
import type { Sample, Subject, SubjectName, WorkloadName } from './subject.js';

export const TABLE = 'rows';
export const CONTAINER = 'blobs';
const QUEUE = 'messages';
const SMALL_BLOBS = 2000;
const CONNECTIONS = 32;
const TRANSACTION_CONNECTIONS = 8;
/** Enough to keep a compute-bound server busy between two answers. */
const FILTER_CONNECTIONS = 2;
const QUEUE_CONNECTIONS = 16;
/** More messages than a run can take. */
const MESSAGES_A_SECOND = 5000;

export interface Endpoints {
  readonly tables: Endpoint;
  readonly queues: Endpoint;
  readonly blobs: Endpoint;
}

export class HttpSubject implements Subject {
  readonly name: SubjectName;
  readonly process: ServerProcess;
  readonly #at: Endpoints;
  readonly #rows: number;
  /** Sequence numbers are used once, so that no row is inserted twice. */
  #sequence = 0;

  constructor(name: SubjectName, process: ServerProcess, endpoints: Endpoints, rows: number) {
    this.name = name;
    this.process = process;
    this.#at = endpoints;
    this.#rows = rows;
  }

  async load(): Promise<void> {
    const { tables, blobs, queues } = this.#at;
    await create(tables, requests.createTable(tables, TABLE));
    await create(blobs, requests.createContainer(blobs, CONTAINER));
    await create(queues, createQueue(queues, QUEUE));
    const groups = this.#rows / GROUP_ROWS;
    await sendAll(requests.load(tables, TABLE), tables.port, TRANSACTION_CONNECTIONS, groups);
    const put = requests.putBlob(blobs, CONTAINER, '', 'sequence');
    await sendAll(put, blobs.port, TRANSACTION_CONNECTIONS, SMALL_BLOBS);
    await transfer('upload', blobs, CONTAINER);
  }

  async run(workload: WorkloadName, seconds: number): Promise<Sample> {
    const { tables, blobs, queues } = this.#at;
    const rows = this.#rows;
    const load = (kind: Kind, job: Partial<Job> = {}) => this.#generate(kind, { seconds, ...job });
    const small = { port: blobs.port, rows: SMALL_BLOBS };
    switch (workload) {
      case 'point-get':
        return load(requests.pointGet(tables, TABLE));
      case 'range':
        return load(requests.range(tables, TABLE));
      case 'filter':
        return load(requests.filter(tables, TABLE, rows), { connections: FILTER_CONNECTIONS });
      case 'insert':
        return load(requests.insert(tables, TABLE));
      case 'merge':
        return load(requests.merge(tables, TABLE));
      case 'transaction':
        return load(requests.transaction(tables, TABLE), { connections: TRANSACTION_CONNECTIONS });
      case 'blob-get':
        return load(requests.getBlob(blobs, CONTAINER), small);
      case 'blob-put':
        return load(requests.putBlob(blobs, CONTAINER, '-{10:sequence}'), small);
      case 'queue-put':
        return load(putMessage(queues, QUEUE), { port: queues.port, connections: QUEUE_CONNECTIONS });
      case 'queue-take':
        return this.#take(seconds);
      default:
        return { perSecond: await transfer(workload, blobs, CONTAINER) };
    }
  }

  close(): Promise<void> {
    return this.process.stop();
  }

  async #generate(kind: Kind, job: Pick<Job, 'seconds'> & Partial<Job>): Promise<Sample> {
    const { port } = this.#at.tables;
    const all = { port, connections: CONNECTIONS, rows: this.#rows, first: this.#sequence, ...job };
    // Bare node:http has one answer of each kind, which was checked.
    const asked = this.name === 'bare' ? { ...kind, check: requests.hasStatus(200) } : kind;
    const { completed, used, milliseconds, latency }: Load = await generate(asked, all);
    this.#sequence += used;
    return { perSecond: (completed * 1000) / milliseconds, latency };
  }

  async #take(seconds: number): Promise<Sample> {
    const { queues } = this.#at;
    const { port } = queues;
    const amount = seconds * MESSAGES_A_SECOND;
    const connections = QUEUE_CONNECTIONS;
    await fire([putStep(queues, QUEUE, this.#sequence)], { port, connections, amount });
    this.#sequence += amount;
    const { completed, milliseconds } = await fire(takeSteps(queues, QUEUE), { port, connections, seconds });
    return { perSecond: ((completed[1] ?? 0) * 1000) / milliseconds };
  }
}
