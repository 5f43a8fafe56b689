// The process that others serve under: forks workers, replaces those that die, and stops them. It accepts connections and
// hands them out by turns, which node:cluster does for it; it answers none and opens nothing of the store.
import cluster, { type Worker } from 'node:cluster';
import { parseWorkerMessage, STOP, type WorkerMessage } from './worker-message.js';

/** A worker that ends sooner after its start than this counts as one that cannot live. */
const LIFE_MILLISECONDS_MIN = 1000;
/** So many short lives in a row for each worker, and no more is tried. */
const SHORT_LIVES_MAX = 4;

interface Life {
  readonly worker: Worker;
  /** When it began to accept; undefined before. */
  readySince: number | undefined;
}

export interface PrimaryOptions {
  readonly workers: number;
  /** Of each worker's command line. */
  readonly args: readonly string[];
}

export class Primary {
  readonly #workers: number;
  readonly #living = new Set<Life>();
  #shortLives = 0;
  #state: 'starting' | 'serving' | 'stopping' = 'starting';
  #exitCode = 0;
  #settle: (message: WorkerMessage) => void = () => undefined;

  constructor({ workers, args }: PrimaryOptions) {
    this.#workers = workers;
    cluster.schedulingPolicy = cluster.SCHED_RR;
    cluster.setupPrimary({ args: [...args] });
  }

  /**
   * What the last worker says once all accept, or what the first says that cannot, and then none is left. The first worker
   * starts alone: the file of a new store is made by it before others look at it, and what is wrong is told once.
   */
  start(): Promise<WorkerMessage> {
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
      else worker.send(STOP, () => undefined);
    }
    this.#endIfAlone();
  }

  #fork(): void {
    const worker = cluster.fork();
    const life: Life = { worker, readySince: undefined };
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
    if (heard?.kind === 'ready') this.#welcome(life, heard);
    if (heard?.kind !== 'failed') return;
    if (this.#state === 'starting') {
      this.#killAll();
      this.#settle(heard);
      return;
    }
    this.#lose(life, heard.text);
    life.worker.process.kill('SIGKILL');
  }

  #welcome(life: Life, message: WorkerMessage): void {
    life.readySince = performance.now();
    if (this.#state !== 'starting') return;
    while (this.#living.size < this.#workers) this.#fork();
    if ([...this.#living].some(({ readySince }) => readySince === undefined)) return;
    this.#state = 'serving';
    this.#settle(message);
  }

  #lose(life: Life, why: string): void {
    if (!this.#living.delete(life)) return;
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
