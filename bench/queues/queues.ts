// The Queue service: its rates compared with the table service's insert and with Azurite, the cost of its operations on
// queues of different lengths, and how the background task that reclaims expired messages affects latency. Runs are
// interleaved, as everywhere in the benchmark.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { askOnce } from '../load/ask-once.js';
import { type Latency, WrongAnswer } from '../load/job.js';
import type { Endpoint } from '../load/requests.js';
import { median } from '../load/statistics.js';
import { Arena, type ArenaOptions } from '../subjects/arena.js';
import { startAzuriteQueues } from '../subjects/azurite.js';
import type { ServerProcess } from '../subjects/server-process.js';
import { inTurn } from '../subjects/turn.js';
import type { QueueJob, QueueResult, QueueStep } from './queue-load.js';

export interface QueuesOptions extends ArenaOptions {
  /** Number of rows in the table for inserts, for comparison. */
  readonly rows: number;
  readonly runs: number;
  readonly milliseconds: number;
  readonly withAzurite: boolean;
  readonly depths: readonly number[];
}

/** The number in the goals. */
export const QUEUE_CLIENTS = 16;
const FILLING_CLIENTS = 64;
/** Azurite needs 72 ms for a get at this length, and hours to be filled with more. */
const AZURITE_DEPTH_MAX = 10_000;
/** The share of the longest queue that expires at once. */
const EXPIRING_SHARE = 0.1;
const EXPIRING_SECONDS_MIN = 5;
/** Longer than filling takes on any server here. */
const FILLED_A_SECOND = 2000;
/** A pass over a queue of a million takes 100 s, and may have just begun. */
const RECLAIM_MILLISECONDS_MAX = 300_000;
const WARM_UP_MILLISECONDS = 1000;
const RATES_QUEUE = 'rates';
const EXPIRING_QUEUE = 'expiring';

export type RateWork = 'insert' | 'put' | 'take';
const RATE_WORKS: readonly RateWork[] = ['insert', 'put', 'take'];

/** A server of queues. */
interface Subject {
  readonly name: string;
  readonly process: ServerProcess;
  readonly queues: Endpoint;
  /** Absent: it has no tables to compare with. */
  readonly tables?: Endpoint;
  readonly data?: string | undefined;
}

export interface Rate {
  readonly subject: string;
  readonly work: RateWork;
  /** Medians of the runs. */
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

export interface DepthCost {
  readonly subject: string;
  readonly depth: number;
  /** Put, get and delete of a message, over all clients. */
  readonly cyclesPerSecond: number;
  /** Milliseconds, medians of the runs' medians. */
  readonly p50: Readonly<Record<'put' | 'get' | 'delete', number>>;
}

/** Latencies of all steps of cycles on another queue, and how long reclaiming took. */
export interface Reclaiming {
  readonly messages: number;
  readonly seconds: number;
  readonly before: Readonly<Partial<Record<QueueStep, Latency>>>;
  readonly meanwhile: Readonly<Partial<Record<QueueStep, Latency>>>;
}

export interface Queues {
  readonly rates: readonly Rate[];
  readonly depths: readonly DepthCost[];
  readonly reclaiming: Reclaiming;
}

class QueueContest {
  readonly #options: QueuesOptions;
  readonly #subjects: Subject[] = [];
  /** Each number of a message or row is used once. */
  #sequence = 0;

  constructor(options: QueuesOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { rows, withAzurite, directory } = this.#options;
    const arena = new Arena(rows, this.#options);
    const { endpoint, processes, data } = await arena.addShelfmark();
    const [process] = processes;
    const port = process?.ports[1];
    if (process === undefined || port === undefined) throw new Error('Shelfmark names no port of queues.');
    this.#subjects.push({
      name: 'shelfmark',
      process,
      tables: endpoint,
      queues: { ...endpoint, port },
      data,
    });
    if (!withAzurite) return;
    const azurite = await startAzuriteQueues(join(directory, 'azurite-queues'), arena.account);
    const queues = { ...endpoint, port: azurite.port };
    this.#subjects.push({ name: 'azurite', process: azurite, queues });
  }

  async stop(): Promise<void> {
    for (const { process } of this.#subjects) await process.stop();
  }

  async #job(
    { name, queues, tables }: Subject,
    job: Pick<QueueJob, 'work' | 'queue'> & Partial<QueueJob>,
  ): Promise<QueueResult> {
    const endpoint = job.work === 'insert' && tables ? tables : queues;
    const defaults = { endpoint, clients: QUEUE_CLIENTS, first: this.#sequence, rows: this.#options.rows };
    const reply = await askOnce(new URL('queue-load-process.js', import.meta.url), { ...defaults, ...job });
    const { result, failure } = reply as { readonly result?: QueueResult; readonly failure?: unknown };
    if (result === undefined) throw new WrongAnswer(`${name}, ${job.work}: ${String(failure)}`);
    this.#sequence += result.completed + QUEUE_CLIENTS;
    return result;
  }

  /** One run, while all other servers are stopped. */
  #turn(subject: Subject, job: Pick<QueueJob, 'work' | 'queue'> & Partial<QueueJob>): Promise<QueueResult> {
    const { process, data } = subject;
    return inTurn({ processes: [process], data }, () => this.#job(subject, job));
  }

  async #fill(subject: Subject, queue: string, count: number, timeToLiveSeconds?: number): Promise<void> {
    const start = performance.now();
    await this.#turn(subject, { work: 'create', queue, clients: 1, count: 1 });
    const lasting = timeToLiveSeconds === undefined ? {} : { timeToLiveSeconds };
    await this.#turn(subject, { work: 'put', queue, count, clients: FILLING_CLIENTS, ...lasting });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    this.#options.say(`${subject.name}: ${count} messages in ${seconds} s`);
  }

  async rates(): Promise<readonly Rate[]> {
    const { runs, milliseconds, say } = this.#options;
    const held = new Map<string, { subject: string; work: RateWork; results: QueueResult[] }>();
    for (const subject of this.#subjects) await this.#fill(subject, RATES_QUEUE, FILLING_CLIENTS);
    for (let run = 0; run <= runs; run++) {
      for (const work of RATE_WORKS) {
        for (const subject of this.#subjects) {
          if (work === 'insert' && subject.tables === undefined) continue;
          const time = run === 0 ? WARM_UP_MILLISECONDS : milliseconds;
          const result = await this.#turn(subject, { work, queue: RATES_QUEUE, milliseconds: time });
          if (run === 0) continue;
          const key = `${work} ${subject.name}`;
          const one = held.get(key) ?? { subject: subject.name, work, results: [] };
          held.set(key, one);
          one.results.push(result);
          say(`${work}, run ${run}, ${subject.name}: ${Math.round(perSecondOf(result))} per second`);
        }
      }
    }
    return [...held.values()].map(({ subject, work, results }) => ({
      subject,
      work,
      perSecond: median(results.map(perSecondOf)),
      p50: median(results.map(({ steps }) => totalOf(steps, 'p50'))),
      p99: median(results.map(({ steps }) => totalOf(steps, 'p99'))),
    }));
  }

  async depths(): Promise<readonly DepthCost[]> {
    const { runs, milliseconds, depths, say } = this.#options;
    const cases = this.#subjects.flatMap(subject =>
      depths
        .filter(depth => subject.name !== 'azurite' || depth <= AZURITE_DEPTH_MAX)
        .map(depth => ({ subject, depth, results: [] as QueueResult[] })),
    );
    for (const { subject, depth } of cases) await this.#fill(subject, `depth-${depth}`, depth);
    for (let run = 0; run <= runs; run++) {
      for (const { subject, depth, results } of cases) {
        const time = run === 0 ? WARM_UP_MILLISECONDS : milliseconds;
        const result = await this.#turn(subject, {
          work: 'cycle',
          queue: `depth-${depth}`,
          milliseconds: time,
        });
        if (run > 0) results.push(result);
        if (run > 0)
          say(
            `cycle at ${depth}, run ${run}, ${subject.name}: ${Math.round(perSecondOf(result))} per second`,
          );
      }
    }
    return cases.map(({ subject, depth, results }) => {
      const p50Of = (step: QueueStep): number =>
        median(results.map(({ steps }) => steps[step]?.p50 ?? Number.NaN));
      return {
        subject: subject.name,
        depth,
        cyclesPerSecond: median(results.map(perSecondOf)),
        p50: { put: p50Of('put'), get: p50Of('get'), delete: p50Of('delete') },
      };
    });
  }

  /** For Shelfmark only: messages expire in one queue while another one is used. */
  async reclaiming(): Promise<Reclaiming> {
    const { milliseconds, depths } = this.#options;
    const [subject] = this.#subjects;
    if (subject === undefined) throw new Error('Nothing was started.');
    const queue = `depth-${depths[0]}`;
    const messages = Math.ceil(Math.max(...depths) * EXPIRING_SHARE);
    const expiry = EXPIRING_SECONDS_MIN + Math.ceil(messages / FILLED_A_SECOND);
    const filled = performance.now();
    await this.#fill(subject, EXPIRING_QUEUE, messages, expiry);
    const before = await this.#turn(subject, { work: 'cycle', queue, milliseconds });
    await sleep(Math.max(0, expiry * 1000 - (performance.now() - filled)));
    subject.process.resume();
    const start = performance.now();
    const results: QueueResult[] = [];
    while ((await this.#count(subject)) > 0 && performance.now() - start < RECLAIM_MILLISECONDS_MAX)
      results.push(await this.#job(subject, { work: 'cycle', queue, milliseconds }));
    const seconds = (performance.now() - start) / 1000;
    if ((await this.#count(subject)) > 0)
      throw new Error(`Expired messages are there after ${Math.round(seconds)} s.`);
    return { messages, seconds, before: before.steps, meanwhile: worstOf(results) };
  }

  async #count({ queues }: Subject): Promise<number> {
    const { port, account, signature } = queues;
    const url = `http://127.0.0.1:${port}/${account}/${EXPIRING_QUEUE}?comp=metadata&${signature}`;
    const { headers } = await fetch(url, { headers: { 'x-ms-version': '2019-02-02' } });
    return Number(headers.get('x-ms-approximate-messages-count') ?? Number.NaN);
  }
}

const perSecondOf = ({ completed, milliseconds }: QueueResult): number => (completed * 1000) / milliseconds;

/** The sum of a get and its delete: an upper bound for both. */
const totalOf = (steps: QueueResult['steps'], share: 'p50' | 'p99'): number =>
  Object.values(steps).reduce((sum, latency) => sum + latency[share], 0);

/** By step, the run whose 99.9th percentile was the highest. */
function worstOf(results: readonly QueueResult[]): Reclaiming['meanwhile'] {
  const worst: Partial<Record<QueueStep, Latency>> = {};
  for (const step of ['put', 'get', 'delete'] as const) {
    for (const { steps } of results) {
      const latency = steps[step];
      if (latency !== undefined && latency.p999 >= (worst[step]?.p999 ?? 0)) worst[step] = latency;
    }
  }
  return worst;
}

export async function measureQueues(options: QueuesOptions): Promise<Queues> {
  const contest = new QueueContest(options);
  await contest.start();
  const rates = await contest.rates();
  const depths = await contest.depths();
  const reclaiming = await contest.reclaiming();
  await contest.stop();
  return { rates, depths, reclaiming };
}
