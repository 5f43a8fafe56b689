// The engine on a cluster, compared with the driver alone executing the same statements, interleaved and on the same
// tables; then the engine behind HTTP. A cluster must be running (npm run cassandra -- start 3); the keyspace is the
// run's own. cluster-processes.ts decides which process has the store open.
import { randomBytes } from 'node:crypto';
import { askOnce } from '../load/ask-once.js';
import { loadedEntity, narrowEntity } from '../load/dataset.js';
import { drive } from '../load/drive.js';
import type { JobResult, RequestKind } from '../load/job.js';
import * as requests from '../load/requests.js';
import { MEMBERS, PARTITION_ROWS } from '../load/template.js';
import { ClusterProcesses } from './cluster-processes.js';
import type { ScanTime } from './page-scan.js';
import { measureQueueDepth, type QueueDepth } from './queue-depth.js';
import {
  CLIENTS,
  type Created,
  isRateWork,
  type Looked,
  partitionsOf,
  type RateWork,
  SPREAD_PARTITIONS,
  type Table,
  type Work,
  type WorkResult,
} from './works.js';

interface CassandraOptions {
  readonly hosts: readonly string[];
  readonly works: readonly Work[];
  /** Number of rows in the scanned tables. */
  readonly rows: number;
  /** In the long queue. */
  readonly messages: number;
  readonly runs: number;
  readonly milliseconds: number;
  readonly say: (line: string) => void;
}

export const SUBJECTS = ['driver', 'engine', 'http'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export interface RateFigure {
  readonly work: RateWork;
  readonly subject: SubjectName;
  readonly runs: readonly WorkResult[];
}

export interface ClusterFigures {
  readonly rates: readonly RateFigure[];
  readonly queue: readonly QueueDepth[];
}

/** Rows of 200 bytes, which scans read, and those of all other works. */
const ENTITIES = { narrow: narrowEntity, wide: loadedEntity } as const;
type Shape = keyof typeof ENTITIES;

const READ_ROWS = 20_000;
const LOADERS = 8;
const ATTEMPTS = 3;
/** A server first has to compile its code. */
const WARM_UP_MILLISECONDS = 5000;
const WARM_PARTITIONS_MAX = 1000;
const PAGES = new URL('page-scan.js', import.meta.url);

const isReadWork = (work: RateWork): boolean =>
  partitionsOf(work) !== undefined || work === 'gets' || work === 'spread-gets';

class ClusterContest {
  readonly #options: CassandraOptions;
  readonly #processes: ClusterProcesses;
  readonly #values = new Map<Shape, readonly string[]>();
  #tables = 0;
  #sequence = 0;

  constructor(options: CassandraOptions) {
    this.#options = options;
    const keyspace = `bench_${randomBytes(4).toString('hex')}`;
    const replicas = Math.min(3, options.hosts.length);
    this.#processes = new ClusterProcesses(`//${options.hosts.join(',')}/${keyspace}?replicas=${replicas}`);
  }

  async start(): Promise<void> {
    await this.#processes.start();
    const tables: [Shape, string][] = [];
    for (const shape of ['narrow', 'wide'] as const) {
      const name = await this.#createOverHttp();
      await this.#load(name, shape, MEMBERS);
      tables.push([shape, name]);
    }
    for (const [shape, name] of tables) {
      const { values } = await this.#processes.ask<Looked>('engine', { look: true, table: name });
      this.#values.set(shape, values);
    }
  }

  stop(): Promise<void> {
    return this.#processes.stop();
  }

  async measure(work: RateWork): Promise<readonly RateFigure[]> {
    const { runs, milliseconds, say } = this.#options;
    // Requests name the partitions of other tables.
    const subjects = work === 'spread-gets' ? SUBJECTS.filter(name => name !== 'http') : SUBJECTS;
    const figures = subjects.map(subject => ({ work, subject, runs: [] as WorkResult[] }));
    const kept = await this.#prepare(work);
    // The time of a scan grows with its table, to minutes if each row is a partition.
    const first = (partitionsOf(work) ?? 0) > WARM_PARTITIONS_MAX ? 1 : 0;
    // The server comes last: the engine is stopped for it.
    for (const turn of [figures.slice(0, 2), figures.slice(2)])
      for (let run = first; run <= runs; run++)
        for (const { subject, runs: results } of turn) {
          const length = run === 0 ? WARM_UP_MILLISECONDS : milliseconds;
          const result = await this.#patient(subject, work, kept, length);
          if (run === 0) continue;
          results.push(result);
          const rate = Math.round((result.rows * 1000) / result.milliseconds);
          say(`${work}, run ${run}, ${subject}: ${rate} rows a second`);
        }
    return figures;
  }

  measureQueue(): Promise<readonly QueueDepth[]> {
    const { messages, runs, milliseconds, say } = this.#options;
    return measureQueueDepth({
      ...{ messages, runs, milliseconds, say },
      endpoint: () => this.#processes.endpoint('queue'),
      ask: (subject, job) => this.#processes.ask(subject, job),
    });
  }

  /** The table of works that change nothing. */
  async #prepare(work: RateWork): Promise<Table | undefined> {
    const { rows, say } = this.#options;
    const partitions = partitionsOf(work);
    if (!isReadWork(work)) return undefined;
    const table = await this.#create();
    const start = performance.now();
    if (work === 'gets') await this.#load(table.name, 'wide', READ_ROWS);
    else {
      const isScan = partitions !== undefined;
      const values = this.#values.get(isScan ? 'narrow' : 'wide') ?? [];
      const size = isScan
        ? { rows, partitions: Math.min(rows, partitions) }
        : { rows: READ_ROWS, partitions: SPREAD_PARTITIONS };
      await this.#processes.ask('driver', { fill: true, table, ...size, values });
    }
    say(`${work}: filled in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return table;
  }

  /** Retries while a cluster is too slow for a moment; other failures are permanent. */
  async #patient(
    subject: SubjectName,
    work: RateWork,
    kept: Table | undefined,
    milliseconds: number,
  ): Promise<WorkResult> {
    for (let attempt = 1; ; attempt++) {
      try {
        // A table of writes has rows of earlier runs and attempts.
        if (subject === 'http') {
          const name = kept?.name ?? (await this.#createOverHttp());
          return await this.#request(work, name, milliseconds);
        }
        return await this.#run(subject, work, kept ?? (await this.#create()), milliseconds);
      } catch (error) {
        this.#options.say(`${work}, ${subject}, failed at attempt ${attempt}: ${error}`);
        if (attempt === ATTEMPTS) throw error;
      }
    }
  }

  #run(
    subject: 'driver' | 'engine',
    work: RateWork,
    table: Table,
    milliseconds: number,
  ): Promise<WorkResult> {
    const value = this.#values.get('wide')?.[0] ?? '';
    const job = { work, table, rows: this.#rowsOf(work), value, milliseconds };
    return this.#processes.ask<WorkResult>(subject, job);
  }

  async #request(work: RateWork, table: string, milliseconds: number): Promise<WorkResult> {
    const endpoint = await this.#processes.endpoint('table');
    return this.#requested(endpoint, work, table, this.#rowsOf(work), milliseconds);
  }

  #rowsOf(work: RateWork): number {
    return work === 'gets' || work === 'spread-gets' ? READ_ROWS : this.#options.rows;
  }

  async #requested(
    endpoint: requests.Endpoint,
    work: RateWork,
    table: string,
    rows: number,
    milliseconds: number,
  ): Promise<WorkResult> {
    const closed = async (request: RequestKind, size: number, ofRows: number) => {
      const connections = CLIENTS[work as keyof typeof CLIENTS];
      const result = await this.#drive(request, { connections, rows: ofRows, milliseconds });
      return { rows: result.completed * size, milliseconds: result.milliseconds, latency: result.latency };
    };
    switch (work) {
      case 'inserts':
        return closed(requests.insert(endpoint, table), 1, READ_ROWS);
      case 'transactions':
        return closed(requests.transaction(endpoint, table), MEMBERS, CLIENTS[work] * PARTITION_ROWS);
      case 'hot-transactions':
        return closed(requests.transaction(endpoint, table), MEMBERS, READ_ROWS);
      case 'gets':
        return closed(requests.pointGet(endpoint, table), 1, READ_ROWS);
      default: {
        const { longest, milliseconds: taken } = await askOnce<ScanTime>(PAGES, 'scanPages', {
          endpoint,
          table,
          rows,
        });
        return { rows, milliseconds: taken, latency: { p50: taken, p99: taken, p999: taken, max: longest } };
      }
    }
  }

  async #drive(
    request: RequestKind,
    job: { connections: number; rows: number; milliseconds?: number; count?: number },
  ): Promise<JobResult> {
    const { port } = await this.#processes.endpoint('table');
    const result = await drive({ ...job, port, requests: [request], first: this.#sequence }, 'built-in');
    this.#sequence += result.used;
    return result;
  }

  async #create(): Promise<Table> {
    const name = this.#newName();
    const { sid } = await this.#processes.ask<Created>('engine', { create: name });
    return { name, sid };
  }

  async #createOverHttp(): Promise<string> {
    const name = this.#newName();
    const request = requests.createTable(await this.#processes.endpoint('table'), name);
    await this.#drive(request, { connections: 1, rows: 1, count: 1 });
    return name;
  }

  #newName(): string {
    this.#tables += 1;
    return `table${this.#tables}`;
  }

  /** Rows as the server writes them, from row 0 on. */
  async #load(table: string, shape: Shape, rows: number): Promise<void> {
    const endpoint = await this.#processes.endpoint('table');
    const request = requests.load(endpoint, table, ENTITIES[shape]);
    const job = { requests: [request], connections: LOADERS, rows, first: 0, count: rows / MEMBERS };
    await drive({ ...job, port: endpoint.port }, 'built-in');
  }
}

export async function measureCassandra(options: CassandraOptions): Promise<ClusterFigures> {
  const contest = new ClusterContest(options);
  const rates: RateFigure[] = [];
  try {
    await contest.start();
    for (const work of options.works.filter(isRateWork)) rates.push(...(await contest.measure(work)));
    const queue = options.works.every(isRateWork) ? [] : await contest.measureQueue();
    await contest.stop();
    return { rates, queue };
  } catch (error) {
    // The failure counts, not what it leads to.
    await contest.stop().catch(() => undefined);
    throw error;
  }
}
