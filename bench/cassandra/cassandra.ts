// The engine on a cluster beside the driver alone, which does the same statements, and beside itself behind HTTP: by turns, on the same tables. A cluster has to be
// there (npm run cassandra -- start 3); the keyspace is the run's own.
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { askOnce } from '../load/ask-once.js';
import { drive } from '../load/drive.js';
import { type JobResult, type RequestKind, WrongAnswer } from '../load/job.js';
import * as requests from '../load/requests.js';
import { MEMBERS, PARTITION_ROWS } from '../load/template.js';
import type { ScanTime } from '../scans/page-scan.js';
import { entityOf, type Shape } from '../scans/shapes.js';
import { makeAccount } from '../subjects/account.js';
import { ServerProcess } from '../subjects/server-process.js';
import { startShelfmark } from '../subjects/shelfmark.js';
import {
  CLIENTS,
  type Job,
  type Looked,
  partitionsOf,
  type Table,
  type Work,
  type WorkResult,
} from './works.js';

export interface CassandraOptions {
  readonly hosts: readonly string[];
  readonly works: readonly Work[];
  /** Of the tables that are scanned. */
  readonly rows: number;
  readonly runs: number;
  readonly milliseconds: number;
  readonly say: (line: string) => void;
}

export const SUBJECTS = ['driver', 'engine', 'http'] as const;
export type SubjectName = (typeof SUBJECTS)[number];

export interface RateFigure {
  readonly work: Work;
  readonly subject: SubjectName;
  readonly runs: readonly WorkResult[];
}

const READ_ROWS = 20_000;
const LOADERS = 8;
const WARM_UP_MILLISECONDS = 2000;
const PROGRAM = new URL('subject-process.js', import.meta.url);
const PAGES = new URL('../scans/page-scan-process.js', import.meta.url);

function resultOf<T>(reply: unknown): T {
  const { result, failure } = reply as { readonly result?: T; readonly failure?: unknown };
  if (result === undefined) throw new WrongAnswer(String(failure));
  return result;
}

class ClusterContest {
  readonly #options: CassandraOptions;
  readonly #account = makeAccount();
  readonly #place: string;
  readonly #processes: Partial<Record<SubjectName, ServerProcess>> = {};
  readonly #values = new Map<Shape, readonly string[]>();
  #tables = 0;
  #sequence = 0;

  constructor(options: CassandraOptions) {
    this.#options = options;
    const keyspace = `bench_${randomBytes(4).toString('hex')}`;
    this.#place = `//${options.hosts.join(',')}/${keyspace}?replicas=${Math.min(3, options.hosts.length)}`;
  }

  async start(): Promise<void> {
    this.#processes.http = await startShelfmark({
      store: `cassandra:${this.#place}&create`,
      account: this.#account,
      durability: 'full',
      workers: 1,
    });
    for (const kind of ['engine', 'driver'] as const)
      this.#processes[kind] = await ServerProcess.start({
        name: kind,
        script: fileURLToPath(PROGRAM),
        args: [kind, this.#place, this.#account.name],
        ready: /is ready\n/,
        answers: true,
      });
    for (const shape of ['narrow', 'wide'] as const) {
      const { name } = await this.#create();
      await this.#load(name, shape, MEMBERS);
      this.#values.set(shape, (await this.#ask<Looked>('engine', { look: true, table: name })).values);
    }
  }

  async stop(): Promise<void> {
    const { driver, engine, http } = this.#processes;
    await http?.stop();
    await engine?.stop();
    if (driver !== undefined) await this.#ask('driver', { end: true });
    await driver?.stop();
  }

  async measure(work: Work): Promise<readonly RateFigure[]> {
    const { runs, milliseconds, say } = this.#options;
    const figures = SUBJECTS.map(subject => ({ work, subject, runs: [] as WorkResult[] }));
    const kept = await this.#prepare(work);
    // A scan is as long as its table.
    for (let run = kept !== undefined && partitionsOf(work) !== undefined ? 1 : 0; run <= runs; run++) {
      for (const { subject, runs: results } of figures) {
        const table = kept ?? (await this.#create());
        const result = await this.#run(subject, work, table, run === 0 ? WARM_UP_MILLISECONDS : milliseconds);
        if (run === 0) continue;
        results.push(result);
        say(
          `${work}, run ${run}, ${subject}: ${Math.round((result.rows * 1000) / result.milliseconds)} rows a second`,
        );
      }
    }
    return figures;
  }

  /** The table of works that change nothing. */
  async #prepare(work: Work): Promise<Table | undefined> {
    const { rows, say } = this.#options;
    const partitions = partitionsOf(work);
    if (partitions === undefined && work !== 'gets') return undefined;
    const table = await this.#create();
    const start = performance.now();
    if (partitions === undefined) await this.#load(table.name, 'wide', READ_ROWS);
    else {
      const values = this.#values.get('narrow') ?? [];
      await this.#ask('driver', { fill: true, table, rows, partitions: Math.min(rows, partitions), values });
    }
    say(`${work}: filled in ${((performance.now() - start) / 1000).toFixed(1)} s`);
    return table;
  }

  #run(subject: SubjectName, work: Work, table: Table, milliseconds: number): Promise<WorkResult> {
    const rows = work === 'gets' ? READ_ROWS : this.#options.rows;
    if (subject === 'http') return this.#request(work, table, rows, milliseconds);
    const value = this.#values.get('wide')?.[0] ?? '';
    return this.#ask<WorkResult>(subject, { work, table, rows, value, milliseconds });
  }

  async #request(work: Work, { name }: Table, rows: number, milliseconds: number): Promise<WorkResult> {
    const endpoint = this.#endpoint();
    const { http } = this.#processes;
    const used = http?.processorMilliseconds() ?? 0;
    const done = await this.#requested(endpoint, work, name, rows, milliseconds);
    return { ...done, processorMilliseconds: (http?.processorMilliseconds() ?? 0) - used };
  }

  async #requested(
    endpoint: requests.Endpoint,
    work: Work,
    table: string,
    rows: number,
    milliseconds: number,
  ): Promise<Omit<WorkResult, 'processorMilliseconds'>> {
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
        const time = resultOf<ScanTime>(await askOnce(PAGES, { endpoint, table, rows, match: 'all' }));
        const { longest, milliseconds: taken } = time;
        return { rows, milliseconds: taken, latency: { p50: taken, p99: taken, p999: taken, max: longest } };
      }
    }
  }

  #endpoint(): requests.Endpoint {
    const { name: account, signature } = this.#account;
    return { port: this.#processes.http?.port ?? 0, account, signature };
  }

  async #drive(
    request: RequestKind,
    job: { connections: number; rows: number; milliseconds?: number; count?: number },
  ): Promise<JobResult> {
    const result = await drive(
      { ...job, port: this.#endpoint().port, requests: [request], first: this.#sequence },
      'built-in',
    );
    this.#sequence += result.used;
    return result;
  }

  async #create(): Promise<Table> {
    this.#tables += 1;
    const name = `table${this.#tables}`;
    await this.#drive(requests.createTable(this.#endpoint(), name), { connections: 1, rows: 1, count: 1 });
    const { sid } = await this.#ask<Looked>('engine', { look: true, table: name });
    return { name, sid };
  }

  /** From row 0 on. */
  async #load(table: string, shape: Shape, rows: number): Promise<void> {
    const request = requests.load(this.#endpoint(), table, entityOf(shape));
    const { port } = this.#endpoint();
    const job = { port, requests: [request], connections: LOADERS, rows, first: 0, count: rows / MEMBERS };
    await drive(job, 'built-in');
  }

  async #ask<T>(subject: 'driver' | 'engine', job: Job): Promise<T> {
    return resultOf<T>(await this.#processes[subject]?.ask(job));
  }
}

export async function measureCassandra(options: CassandraOptions): Promise<readonly RateFigure[]> {
  const contest = new ClusterContest(options);
  const figures: RateFigure[] = [];
  try {
    await contest.start();
    for (const work of options.works) figures.push(...(await contest.measure(work)));
  } finally {
    await contest.stop();
  }
  return figures;
}
