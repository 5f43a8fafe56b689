// The primary process of a cluster: forks workers, replaces those that die, and stops them. node:cluster accepts
// connections in it and hands them to the workers in rotation; the primary answers no request and does not open the
// store.
import cluster, { type Worker } from 'node:cluster';
import type { AccountKeys, MetricFamily } from '#server';
import { lastingMetrics, mergeMetrics } from '#server/parts';
import { ScatterGather } from './scatter-gather.js';
import {
  type PrimaryMessage,
  parseWorkerMessage,
  type WorkerMessage,
  type WorkerMetrics,
} from './worker-message.js';

/** A worker that ends within this time of its start counts as a short life. */
const LIFE_MILLISECONDS_MIN = 1000;
/** After so many consecutive short lives for each worker the primary ends. */
const SHORT_LIVES_MAX = 4;
/** For a worker that does not send its metrics in this time, its last ones are used. */
const METRICS_MILLISECONDS_MAX = 1000;
/** A worker that does not apply keys in this time may still accept old ones, and is replaced. */
const ACCOUNTS_MILLISECONDS_MAX = 5000;

interface Life {
  readonly worker: Worker;
  /** When it began to accept connections; undefined before. */
  readySince: number | undefined;
  /** It receives messages. */
  listens: boolean;
  /** The last metrics that it sent. */
  families: readonly MetricFamily[];
}

/** The result of the start. */
export type Started = Extract<WorkerMessage, { readonly kind: 'ready' | 'failed' }>;

/** The workers' metrics, added up. */
interface ClusterMetrics {
  readonly unreadiness: string | undefined;
  /** Those of ended workers are included. */
  readonly families: readonly MetricFamily[];
  readonly workers: number;
  readonly restarts: number;
}

interface PrimaryOptions {
  readonly workers: number;
  /** The command line of each worker. */
  readonly args: readonly string[];
  readonly accounts: AccountKeys;
}

export class Primary {
  readonly #workers: number;
  readonly #living = new Set<Life>();
  #shortLives = 0;
  #state: 'starting' | 'serving' | 'stopping' = 'starting';
  #exitCode = 0;
  #settle: (message: Started) => void = () => undefined;
  #accounts: AccountKeys;
  readonly #gathers = new Map<number, ScatterGather<Life, WorkerMessage>>();
  #lastRequest = 0;
  /** The counters of ended workers. */
  #past: readonly MetricFamily[] = [];
  #restarts = 0;

  constructor({ workers, args, accounts }: PrimaryOptions) {
    this.#workers = workers;
    this.#accounts = accounts;
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ args: [...args] });
  }

  /**
   * Resolves to the ready message of the last worker once all accept, or to the failure of the first worker that cannot start, after the
   * others were ended. The first worker starts alone: it creates the files of a new store, and a wrong setting is reported once.
   */
  start(): Promise<Started> {
    this.#fork();
    return new Promise(resolve => {
      this.#settle = resolve;
    });
  }

  /** The first call stops gracefully, the second at once. Ends the process. */
  stop(): void {
    if (this.#state === 'stopping') this.#end(1);
    this.#state = 'stopping';
    for (const { worker, readySince } of this.#living) {
      // node:cluster reads the channel from the beginning, so a message before the worker's own listener is lost.
      if (readySince === undefined) worker.process.kill('SIGTERM');
      // The exit handler deals with a worker that is gone.
      else worker.send({ kind: 'stop' } satisfies PrimaryMessage, () => undefined);
    }
    this.#endIfAlone();
  }

  /** Resolves once no worker accepts other accounts; a worker that does not apply them in time is replaced. */
  async replaceAccounts(accounts: AccountKeys): Promise<void> {
    this.#accounts = accounts;
    const asked = [...this.#living].filter(({ listens }) => listens);
    const taken = await this.#ask(
      asked,
      request => ({ kind: 'accounts', request, accounts }),
      ACCOUNTS_MILLISECONDS_MAX,
    );
    for (const life of asked) {
      if (taken.has(life) || !this.#living.has(life)) continue;
      life.worker.process.kill('SIGKILL');
      this.#lose(life, 'it did not take the keys');
    }
  }

  async metrics(): Promise<ClusterMetrics> {
    const asked = [...this.#living].filter(({ readySince }) => readySince !== undefined);
    const told = await this.#ask(asked, request => ({ kind: 'metrics', request }), METRICS_MILLISECONDS_MAX);
    const metrics: WorkerMetrics[] = [];
    for (const [life, message] of told) {
      if (message.kind !== 'metrics') continue;
      life.families = message.metrics.families;
      metrics.push(message.metrics);
    }
    const unready = metrics.find(({ unreadiness }) => unreadiness !== undefined)?.unreadiness;
    const silent = metrics.length === 0 ? 'no worker answers' : undefined;
    const families = [this.#past, ...[...this.#living].map(life => life.families)];
    return {
      unreadiness: this.#state === 'serving' ? (unready ?? silent) : this.#state,
      families: mergeMetrics(families),
      workers: metrics.length,
      restarts: this.#restarts,
    };
  }

  async #ask(
    lives: readonly Life[],
    question: (request: number) => PrimaryMessage,
    milliseconds: number,
  ): Promise<ReadonlyMap<Life, WorkerMessage>> {
    this.#lastRequest += 1;
    const number = this.#lastRequest;
    const gather = new ScatterGather<Life, WorkerMessage>(lives, milliseconds);
    this.#gathers.set(number, gather);
    // The exit handler deals with a worker that is gone.
    for (const { worker } of lives) worker.send(question(number), () => undefined);
    const answers = await gather.done;
    this.#gathers.delete(number);
    return answers;
  }

  #fork(): void {
    const worker = cluster.fork();
    const life: Life = { worker, readySince: undefined, listens: false, families: [] };
    this.#living.add(life);
    worker.on('message', message => this.#hear(life, message));
    worker.on('error', error => this.#lose(life, error.message));
    worker.on('exit', (code, signal) => {
      if (this.#state === 'stopping' && signal !== 'SIGTERM') this.#exitCode ||= signal ? 1 : code;
      this.#lose(life, signal ?? `exit code ${code}`);
    });
  }

  #hear(life: Life, message: unknown): void {
    const heard = parseWorkerMessage(message);
    if (heard?.kind === 'asking') this.#introduce(life);
    else if (heard?.kind === 'ready') this.#welcome(life, heard);
    else if (heard?.kind === 'failed') this.#giveUp(life, heard);
    else if (heard !== undefined) this.#gathers.get(heard.request)?.answer(life, heard);
  }

  #introduce(life: Life): void {
    life.listens = true;
    const message: PrimaryMessage = { kind: 'accounts', request: 0, accounts: this.#accounts };
    life.worker.send(message, () => undefined);
  }

  #giveUp(life: Life, heard: Extract<Started, { readonly kind: 'failed' }>): void {
    if (this.#state === 'starting') {
      this.#killAll();
      this.#settle(heard);
      return;
    }
    this.#lose(life, heard.text);
    life.worker.process.kill('SIGKILL');
  }

  #welcome(life: Life, message: Started): void {
    life.readySince = performance.now();
    if (this.#state !== 'starting') return;
    while (this.#living.size < this.#workers) this.#fork();
    if ([...this.#living].some(({ readySince }) => readySince === undefined)) return;
    this.#state = 'serving';
    this.#settle(message);
  }

  #lose(life: Life, why: string): void {
    if (!this.#living.delete(life)) return;
    for (const gather of this.#gathers.values()) gather.leave(life);
    this.#past = mergeMetrics([this.#past, lastingMetrics(life.families)]);
    if (this.#state === 'stopping') {
      this.#endIfAlone();
      return;
    }
    const lived = life.readySince === undefined ? 0 : performance.now() - life.readySince;
    this.#shortLives = lived < LIFE_MILLISECONDS_MIN ? this.#shortLives + 1 : 0;
    if (this.#shortLives >= SHORT_LIVES_MAX * this.#workers) {
      say(`worker ${life.worker.process.pid} ended (${why}), as those before it did; no other is tried.`);
      this.#end(1);
    }
    say(`worker ${life.worker.process.pid} ended (${why}); another takes its place.`);
    this.#restarts += 1;
    this.#fork();
  }

  #endIfAlone(): void {
    if (this.#living.size === 0) process.exit(this.#exitCode);
  }

  #end(code: number): never {
    this.#killAll();
    process.exit(code);
  }

  #killAll(): void {
    for (const { worker } of this.#living) worker.process.kill('SIGKILL');
    this.#living.clear();
  }
}

function say(text: string): void {
  process.stderr.write(`shelfmark: ${text}\n`);
}
