// The primary process of a cluster: forks workers, replaces those that die, and stops them. node:cluster accepts
// connections in it and hands them to the workers in rotation; the primary answers no request and does not open the
// store.
import cluster, { type Worker } from 'node:cluster';
import type { AccountKeys, MetricFamily } from '#server';
import { lastingMetrics, mergeMetrics } from '#server/parts';
import { say } from '../fail.js';
import type { Answer, PrimaryMessage, Request, Started, WorkerMessage } from './worker-message.js';

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
  /** By request: takes the answer, or that there will be none. */
  readonly waiting: Map<number, (answer: Answer | undefined) => void>;
}

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
    await Promise.all(
      asked.map(async life => {
        const request: Request = { kind: 'accounts', request: ++this.#lastRequest, accounts };
        const answer = await this.#ask(life, request, ACCOUNTS_MILLISECONDS_MAX);
        if (answer !== undefined || !this.#living.has(life)) return;
        life.worker.process.kill('SIGKILL');
        this.#lose(life, 'it did not take the keys');
      }),
    );
  }

  async metrics(): Promise<ClusterMetrics> {
    const asked = [...this.#living].filter(({ readySince }) => readySince !== undefined);
    const answers = await Promise.all(
      asked.map(async life => {
        const request: Request = { kind: 'metrics', request: ++this.#lastRequest };
        const answer = await this.#ask(life, request, METRICS_MILLISECONDS_MAX);
        if (answer?.kind !== 'metrics') return [];
        life.families = answer.metrics.families;
        return [answer.metrics];
      }),
    );
    const metrics = answers.flat();
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

  /** Undefined from a worker that ends, or does not answer in time. */
  #ask(life: Life, request: Request, milliseconds: number): Promise<Answer | undefined> {
    return new Promise(resolve => {
      const settle = (answer?: Answer): void => {
        clearTimeout(timer);
        life.waiting.delete(request.request);
        resolve(answer);
      };
      const timer = setTimeout(settle, milliseconds);
      life.waiting.set(request.request, settle);
      // The exit handler deals with a worker that is gone.
      life.worker.send(request, () => undefined);
    });
  }

  #fork(): void {
    const worker = cluster.fork();
    const life: Life = { worker, readySince: undefined, listens: false, families: [], waiting: new Map() };
    this.#living.add(life);
    worker.on('message', message => this.#hear(life, message));
    worker.on('error', error => this.#lose(life, error.message));
    worker.on('exit', (code, signal) => {
      if (this.#state === 'stopping' && signal !== 'SIGTERM') this.#exitCode ||= signal ? 1 : code;
      this.#lose(life, signal ?? `exit code ${code}`);
    });
  }

  #hear(life: Life, message: WorkerMessage): void {
    if (message.kind === 'asking') this.#introduce(life);
    else if (message.kind === 'ready') this.#welcome(life, message);
    else if (message.kind === 'failed') this.#giveUp(life, message);
    else life.waiting.get(message.request)?.(message);
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
    for (const settle of life.waiting.values()) settle(undefined);
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
