// Group commit: what waits to be written shares one LMDB transaction and one wait for the disk. While a group is on its
// way to the disk the next one gathers; a lone change is not delayed. It knows nothing of spaces and rows.
import type { Counters } from './counters.js';
import { commitError, EngineError } from './engine-error.js';
import type { Environment } from './environment.js';

/** A change, made inside a write transaction. */
export interface Work<T> {
  /**
   * Gives the answer for the caller. What it throws before its first change to a tree is for its caller alone; an
   * `EngineError` fails the whole transaction. Called again if the transaction failed and is tried once more.
   */
  run(group: Group): T;
}

/** What the works of one transaction share. */
export interface Group {
  readonly counters: Counters;
  /** Bytes put so far. */
  bytes: number;
}

/** A piece of work in the background, in a transaction of its own; false when there was nothing left to do. */
export type Chore = (counters: Counters) => boolean;

const GROUP_WORKS_MAX = 1000;
const GROUP_BYTES_MAX = 8 * 1024 * 1024;
/** Groups after which the background gets its turn although works wait. */
const GROUPS_BETWEEN_CHORES = 16;

export class CommitQueue {
  readonly #environment: Environment;
  readonly #counters: Counters;
  readonly #chore: Chore;
  #waiting: Waiting[] = [];
  #hasChores = false;
  #groupsSinceChore = 0;
  #worksMax = GROUP_WORKS_MAX;
  #drain: Promise<void> | undefined;
  #isStopping = false;
  #broken: EngineError | undefined;

  constructor(environment: Environment, counters: Counters, chore: Chore) {
    this.#environment = environment;
    this.#counters = counters;
    this.#chore = chore;
  }

  /** Fulfilled with the work's answer when all it changed is durable. */
  add<T>(work: Work<T>): Promise<T> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    return new Promise((fulfil, reject) => {
      this.#waiting.push(new WaitingWork(work, fulfil, reject));
      this.#start();
    });
  }

  /** There may be something to do in the background. */
  addChores(): void {
    this.#hasChores = true;
    this.#start();
  }

  /** Fulfilled when nothing waits any more; leaves what the background had to do. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#drain;
  }

  #start(): void {
    this.#drain ??= this.#run();
  }

  async #run(): Promise<void> {
    while (this.#waiting.length > 0 || (this.#hasChores && !this.#isStopping)) {
      if (this.#isChoreNext()) await this.#runChore();
      else await this.#runGroup();
    }
    this.#drain = undefined;
  }

  #isChoreNext(): boolean {
    if (!this.#hasChores || this.#isStopping) return false;
    return this.#waiting.length === 0 || this.#groupsSinceChore >= GROUPS_BETWEEN_CHORES;
  }

  async #runGroup(): Promise<void> {
    this.#groupsSinceChore += 1;
    let group: Waiting[] = [];
    try {
      await this.#environment.transaction(() => {
        group = this.#waiting.slice(0, this.#worksMax);
        const done = this.#runWorks(group);
        group.length = done;
        this.#waiting = this.#waiting.slice(done);
      });
      for (const waiting of group) waiting.settle();
    } catch (error) {
      await this.#fail(group, error);
    }
  }
}
