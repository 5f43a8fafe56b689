// The stage on which the processes of one case act: it performs one request at a time, looks at what must always be true after each that may have changed something, and moves its clock on only when nothing
// can happen at this time. So a case takes as long as its requests, whatever times messages are hidden for, and the same order of requests is the same history.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '#base/testing/until';
import type { Messages } from './messages.js';

interface Request {
  readonly label: string;
  readonly due: number;
  end(thrown: unknown): void;
  act(): Promise<void>;
}

/** Chooses which of the requests that are under way comes next. */
export type Order = <T extends { readonly label: string }>(waiting: readonly T[]) => Promise<T | undefined>;

interface Sleeper {
  readonly due: number;
  /** Wakes when there is a message, and not by its time. */
  readonly isResting: boolean;
  wake(): void;
}

/** Milliseconds from which a sleep is a worker's rest. */
export const REST = 1_000_000;
/** More are no history of these cases: something goes round in circles. */
const REQUESTS_MAX = 3_000;
/** Turns of the event loop in which a process comes to its next request. */
const TURNS = 3;
/** The same, while a body is read. */
const TURNS_OF_BODY = 20;
/** Checks, a millisecond or more apart, for a retry of an official client: it pauses for two milliseconds in this process, however long a check takes. An aborted client does not retry. */
const RETRY_LOOKS = 500;

const START = Date.UTC(2026, 0, 1);

interface StageParts {
  readonly order: Order;
  readonly messages: Messages;
  /** Throws if what must always be true is not. */
  readonly look: () => Promise<void>;
}

export class Stage {
  now = START;
  /** What was performed, for a reader of a failure. */
  readonly trace: string[] = [];
  readonly messages: Messages;
  readonly #order: Order;
  readonly #look: () => Promise<void>;
  readonly #waiting: Request[] = [];
  readonly #sleepers = new Set<Sleeper>();
  /** How many looks each is awaited for. */
  readonly #retries = new Map<string, number>();
  #turns = TURNS;

  constructor({ order, messages, look }: StageParts) {
    this.#order = order;
    this.messages = messages;
    this.#look = look;
  }

  /** Performs the request when its turn has come, `delay` milliseconds of the stage from now at the earliest. */
  perform<T>(label: string, of: string, act: () => Promise<T>, delay = 0): Promise<T> {
    this.#retries.delete(of);
    return new Promise<T>((resolve, reject) => {
      const request: Request = {
        label,
        due: this.now + delay,
        end: reject,
        act: async () => {
          let end: () => void;
          try {
            const answer = await act();
            end = () => resolve(answer);
          } catch (thrown) {
            end = () => reject(thrown);
          }
          try {
            // Everything is still as this request left it.
            if (!label.includes(' GET ')) await this.#look();
          } finally {
            end();
          }
        },
      };
      this.#waiting.push(request);
    });
  }

  /** A slow request is still under way. */
  get isBusy(): boolean {
    return this.#waiting.length > 0;
  }

  /** Fails the requests that were not performed: their clients wait for them. */
  close(): void {
    for (const request of this.#waiting.splice(0)) request.end(new Error('The case is over.'));
  }

  /** A client retries soon; its request is recognized by this. */
  expectRetry(of: string): void {
    this.#retries.set(of, RETRY_LOOKS);
  }

  /** A client reads the body of an answer. */
  expectReading(): void {
    this.#turns = TURNS_OF_BODY;
  }

  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const abort = (): void => {
        this.#sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        due: this.now + milliseconds,
        isResting: milliseconds >= REST,
        wake: () => {
          this.#sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          resolve();
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#sleepers.add(sleeper);
    });
  }

  /** Runs until it is over; also checked when nothing can happen at this time. */
  async play(isOver: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      if (await this.#performOne()) continue;
      if (await isOver()) return;
      // Others may have begun when they were asked.
      if (await this.#performOne()) continue;
      if (this.messages.isAnyVisible && this.#wakeResting()) continue;
      await this.#advance(isOver);
    }
  }

  /** Whether there was one at this time. */
  async #performOne(): Promise<boolean> {
    await this.#settled();
    const ready = this.#waiting.filter(({ due }) => due <= this.now);
    if (ready.length === 0) return false;
    if (this.trace.length >= REQUESTS_MAX) throw new Error(`No end after ${REQUESTS_MAX} requests.`);
    const request = await this.#order(ready);
    if (request === undefined) throw new Error('The order chose what is not under way.');
    this.#waiting.splice(this.#waiting.indexOf(request), 1);
    this.trace.push(request.label);
    await request.act();
    return true;
  }

  #wakeResting(): boolean {
    const resting = [...this.#sleepers].filter(({ isResting }) => isResting);
    for (const sleeper of resting) sleeper.wake();
    return resting.length > 0;
  }

  async #advance(isOver: () => boolean | Promise<boolean>): Promise<void> {
    const awake = [...this.#sleepers].filter(({ isResting }) => !isResting);
    const next = Math.min(...[...this.#waiting, ...awake].map(({ due }) => due), this.messages.nextDue);
    if (next === Number.POSITIVE_INFINITY) {
      await this.#computed(isOver);
      return;
    }
    this.now = Math.max(this.now, next);
    await this.messages.show(this.now);
    for (const sleeper of awake) if (sleeper.due <= this.now) sleeper.wake();
  }

  /** A process may be computing what other threads do for it, such as a hash: its next request comes, or a sleep, or it has ended with that. */
  async #computed(isOver: () => boolean | Promise<boolean>): Promise<void> {
    const sleeping = this.#sleepers.size;
    await until(
      'a process that computes',
      async () => this.#waiting.length > 0 || this.#sleepers.size !== sleeping || (await isOver()),
    );
  }

  /** When every process has come to its next request, or waits. */
  async #settled(): Promise<void> {
    for (let turn = 0; turn < this.#turns; turn++) await new Promise(setImmediate);
    this.#turns = TURNS;
    for (;;) {
      for (const [of, looks] of this.#retries)
        if (looks === 0) this.#retries.delete(of);
        else this.#retries.set(of, looks - 1);
      if (this.#retries.size === 0) return;
      await pause(1);
    }
  }
}
