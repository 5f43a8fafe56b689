// The engine on a cluster, at the store contract: without HTTP, authentication or an entity.
import { systemClock } from '../../packages/base/index.js';
import { ENGINES } from '../../packages/server/engines.js';
import type { Budget, Engine, Space } from '../../packages/store/index.js';
import { encodeTableMetadata, tableAddress } from '../../packages/tables/table-space.js';
import { partitionKey, rowKey } from '../load/dataset.js';
import { WrongAnswer } from '../load/job.js';
import { MEMBERS, scatter } from '../load/template.js';
import { closedLoop, once } from './closed-loop.js';
import { drainQueue, lookAtQueue } from './engine-queue.js';
import {
  CLIENTS,
  type Created,
  type CreateJob,
  type Done,
  type FillJob,
  type Looked,
  type LookJob,
  type QueueStepJob,
  type Subject,
  spreadPartition,
  type WorkJob,
} from './works.js';

const NO_BOUND = Number.POSITIVE_INFINITY;
const ALL: Budget = { rows: NO_BOUND, bytes: NO_BOUND, examined: NO_BOUND, milliseconds: NO_BOUND };
const START = { from: { partition: '', key: '' } };
const SAMPLES = 100;

/** What an insert decides: a row where none is. */
function inserted(
  rows: readonly unknown[],
  puts: readonly { readonly key: string; readonly value: Buffer }[],
) {
  if (rows.some(row => row !== undefined)) throw new WrongAnswer('engine: a new row is there already');
  return { result: undefined, puts };
}

export class EngineSubject implements Subject {
  readonly #store: Engine;
  readonly #account: string;

  private constructor(store: Engine, account: string) {
    this.#store = store;
    this.#account = account;
  }

  static async open(address: string, account: string): Promise<EngineSubject> {
    const options = { clock: systemClock, durability: 'full', exclusive: false } as const;
    return new EngineSubject(await ENGINES.open(address, options), account);
  }

  async work(job: WorkJob): Promise<Done> {
    const space = await this.#space(job.table.name);
    switch (job.work) {
      case 'inserts':
        return this.#insert(space, job, 1, 1);
      case 'transactions':
        return this.#insert(space, job, MEMBERS, CLIENTS.transactions);
      case 'hot-transactions':
        return this.#insert(space, job, MEMBERS, 1);
      case 'gets':
        return this.#get(space, job, CLIENTS.gets, partitionKey);
      case 'spread-gets':
        return this.#get(space, job, CLIENTS['spread-gets'], spreadPartition);
      default:
        return this.#scan(space, job);
    }
  }

  fill(_job: FillJob): Promise<void> {
    throw new Error('The engine fills no tables.');
  }

  async create({ create: name }: CreateJob): Promise<Created> {
    const metadata = encodeTableMetadata({ name, identifiers: [] });
    const space = await this.#store.createSpace(tableAddress(this.#account, name), metadata);
    if (space === undefined) throw new WrongAnswer(`engine: table ${name} is there already`);
    return { sid: space.id };
  }

  async look({ table }: LookJob): Promise<Looked> {
    const space = await this.#space(table);
    const values: string[] = [];
    await this.#store.scan(space, START, { ...ALL, rows: SAMPLES }, ({ value }) => {
      values.push(value.toString('base64'));
      return true;
    });
    return { values };
  }

  queue(job: QueueStepJob): Promise<object> {
    if ('drain' in job) return drainQueue(this.#store, this.#account, job);
    if ('lookAtQueue' in job) return lookAtQueue(this.#store, this.#account, job);
    throw new Error('The engine fills no queues.');
  }

  end(): Promise<void> {
    throw new Error('The engine removes no keyspace.');
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #space(name: string): Promise<Space> {
    const space = await this.#store.getSpace({ account: this.#account, service: 'table', name });
    if (space === undefined) throw new Error(`There is no table ${name}.`);
    return space;
  }

  async #insert(
    space: Space,
    { work, value, milliseconds }: WorkJob,
    size: number,
    partitions: number,
  ): Promise<Done> {
    const bytes = Buffer.from(value, 'base64');
    const clients = CLIENTS[work as keyof typeof CLIENTS];
    const { steps, latency } = await closedLoop(clients, milliseconds, (client, sequence) => {
      const keys = Array.from({ length: size }, (_, offset) => rowKey(sequence * size + offset));
      const puts = keys.map(key => ({ key, value: bytes }));
      const partition = `p${client % partitions}`;
      return this.#store.commit(space, partition, { keys }, rows => inserted(rows.keys, puts));
    });
    return { rows: steps * size, latency };
  }

  async #get(
    space: Space,
    { rows, milliseconds }: WorkJob,
    clients: number,
    partitionOf: (row: number) => string,
  ): Promise<Done> {
    const { steps, latency } = await closedLoop(clients, milliseconds, async (_, sequence) => {
      const row = scatter(sequence, rows);
      const [found] = await this.#store.read(space, partitionOf(row), [rowKey(row)]);
      if (found === undefined) throw new WrongAnswer(`engine: row ${row} is not there`);
    });
    return { rows: steps, latency };
  }

  async #scan(space: Space, { rows }: WorkJob): Promise<Done> {
    const latency = await once(async () => {
      let seen = 0;
      const count = (): boolean => {
        seen += 1;
        return true;
      };
      for (let range = START; ; ) {
        const { next } = await this.#store.scan(space, range, ALL, count);
        if (next === undefined) break;
        range = { from: next };
      }
      if (seen !== rows) throw new WrongAnswer(`engine: ${seen} rows instead of ${rows}`);
    });
    return { rows, latency };
  }
}
