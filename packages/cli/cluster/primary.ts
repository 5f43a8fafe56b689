// The process that others serve under: forks workers, replaces those that die, and stops them. It accepts connections and
// hands them out by turns, which node:cluster does for it; it answers none and opens nothing of the store.
import cluster, { type Worker } from 'node:cluster';
import { type AccountKeys, lastingMetrics, type MetricFamily, mergeMetrics } from '#server';
import { Round } from './scatter-gather.js';
import {
  type PrimaryMessage,
  parseWorkerMessage,
  type WorkerFigures,
  type WorkerMessage,
} from './worker-message.js';

/** A worker that ends sooner after its start than this counts as one that cannot live. */
const LIFE_MILLISECONDS_MIN = 1000;
/** So many short lives in a row for each worker, and no more is tried. */
const SHORT_LIVES_MAX = 4;
/** A worker that does not tell its numbers in this time is counted with those that it told last. */
const FIGURES_MILLISECONDS_MAX = 1000;
/** A worker that does not take keys in this time, and may still honour old ones, is replaced. */
const ACCOUNTS_MILLISECONDS_MAX = 5000;

interface Life {
  readonly worker: Worker;
  /** When it began to accept; undefined before. */
  readySince: number | undefined;
  /** It listens to messages. */
  listens: boolean;
  /** As it told them last. */
  families: readonly MetricFamily[];
}

/** What came of the start. */
export type Started = Extract<WorkerMessage, { readonly kind: 'ready' | 'failed' }>;

/** What the workers tell of themselves together. */
export interface TogetherFigures {
  readonly unreadiness: string | undefined;
  /** Those of workers that are gone are counted too. */
  readonly families: readonly MetricFamily[];
  readonly workers: number;
  readonly restarts: number;
}

export interface PrimaryOptions {
  readonly workers: number;
  /** Of each worker's command line. */
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
  readonly #rounds = new Map<number, Round<Life, WorkerMessage>>();
  #lastRound = 0;
  /** What workers counted that are gone. */
  #past: readonly MetricFamily[] = [];
  #restarts = 0;

  constructor({ workers, args, accounts }: PrimaryOptions) {
    this.#workers = workers;
    this.#accounts = accounts;
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ args: [...args] });
  }

  /**
   * What the last worker says once all accept, or what the first says that cannot, and then none is left. The first worker
   * starts alone: the file of a new store is made by it before others look at it, and what is wrong is told once.
   */
  start(): Promise<Started> {
    this.#fork();
    return new Promise(resolve => {
      this.#settle = resolve;
    });
  }

  /** The first call lets what is under way be answered, the second does not. Ends the process. */
  stop(): void {
    if (this.#state === 'stopping') this.#end(1);
    this.#state = 'stopping';
    for (const { worker, readySince } of this.#living) {
      // node:cluster listens on the channel from the beginning, so a message that comes before a worker listens is lost.
      if (readySince === undefined) worker.process.kill('SIGTERM');
      // A worker that is gone is seen at its exit.
      else worker.send({ kind: 'stop' } satisfies PrimaryMessage, () => undefined);
    }
    this.#endIfAlone();
  }

  /** Resolves once no worker knows any other accounts; one that does not take them is replaced by one that does. */
  async replaceAccounts(accounts: AccountKeys): Promise<void> {
    this.#accounts = accounts;
    const asked = [...this.#living].filter(({ listens }) => listens);
    const taken = await this.#ask(
      asked,
      round => ({ kind: 'accounts', round, accounts }),
      ACCOUNTS_MILLISECONDS_MAX,
    );
    for (const life of asked) {
      if (taken.has(life) || !this.#living.has(life)) continue;
      life.worker.process.kill('SIGKILL');
      this.#lose(life, 'it did not take the keys');
    }
  }

  async figures(): Promise<TogetherFigures> {
    const asked = [...this.#living].filter(({ readySince }) => readySince !== undefined);
    const told = await this.#ask(asked, round => ({ kind: 'figures', round }), FIGURES_MILLISECONDS_MAX);
    const figures: WorkerFigures[] = [];
    for (const [life, message] of told) {
      if (message.kind !== 'figures') continue;
      life.families = message.figures.families;
      figures.push(message.figures);
    }
    const unready = figures.find(({ unreadiness }) => unreadiness !== undefined)?.unreadiness;
    const silent = figures.length === 0 ? 'no worker answers' : undefined;
    const families = [this.#past, ...[...this.#living].map(life => life.families)];
    return {
      unreadiness: this.#state === 'serving' ? (unready ?? silent) : this.#state,
      families: mergeMetrics(families),
      workers: figures.length,
      restarts: this.#restarts,
    };
  }

  async #ask(
    lives: readonly Life[],
    question: (round: number) => PrimaryMessage,
    milliseconds: number,
  ): Promise<ReadonlyMap<Life, WorkerMessage>> {
    this.#lastRound += 1;
    const number = this.#lastRound;
    const round = new Round<Life, WorkerMessage>(lives, milliseconds);
    this.#rounds.set(number, round);
    // A worker that is gone is seen at its exit.
    for (const { worker } of lives) worker.send(question(number), () => undefined);
    const answers = await round.done;
    this.#rounds.delete(number);
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
    else if (heard !== undefined) this.#rounds.get(heard.round)?.answer(life, heard);
  }

  #introduce(life: Life): void {
    life.listens = true;
    const message: PrimaryMessage = { kind: 'accounts', round: 0, accounts: this.#accounts };
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
    for (const round of this.#rounds.values()) round.leave(life);
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
