// The stage on which the processes of one case act: it performs one request at a time, looks at what must always be true after each that may have changed something, and moves its clock on only when nothing
// can happen at this time. So a case takes as long as its requests, whatever times messages are hidden for, and the same order of requests is the same history.
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '#base/testing/until';
import type { Messages } from './messages.js';

/** A request that a process sends. */
export interface Sent {
  /** Of the process, and the number of the request: `program.3`. */
  readonly label: string;
  /** Others leave nothing that a process could end behind. */
  readonly isChange: boolean;
}

/** What the stage has to know of a request. */
interface Turn {
  /** For a reader of a failure. */
  readonly text: string;
  /** The same in all attempts of a client. */
  readonly id: string;
  readonly isRead: boolean;
  /** Milliseconds of the stage before it is performed. */
  readonly delay: number;
}

interface Waiting {
  readonly text: string;
  readonly due: number;
  end(thrown: unknown): void;
  act(): Promise<void>;
}

interface Sleeper {
  /** Infinite for a worker's rest, which ends when there is a message. */
  readonly due: number;
  wake(): void;
}

/** Which of so many requests under way comes next, from 0. */
export type Order = (waiting: number) => number;
type IsOver = () => boolean | Promise<boolean>;

/** Milliseconds from which a sleep is a worker's rest. */
export const REST = 1_000_000_000;
/** More are no history of these cases: something goes round in circles. */
const REQUESTS_MAX = 3_000;
/** Turns of the event loop in which a process comes to its next request. */
const TURNS = 3;
/** The same, while a body is read. */
const TURNS_OF_BODY = 20;
/** Checks, a millisecond or more apart, for a retry of an official client: it pauses for two milliseconds in this process, however long a check takes. An aborted client does not retry. */
const RETRY_LOOKS = 500;

export class Stage {
  readonly messages: Messages;
  readonly sent: Sent[] = [];
  /** What was performed. */
  readonly trace: string[] = [];
  readonly #order: Order;
  readonly #look: () => Promise<unknown>;
  readonly #waiting: Waiting[] = [];
  readonly #sleepers = new Set<Sleeper>();
  /** Requests that clients are about to retry. */
  readonly #retries = new Set<string>();
  #turns = TURNS;

  /** `look` throws if what must always be true is not. */
  constructor(messages: Messages, order: Order, look: () => Promise<unknown>) {
    this.messages = messages;
    this.#order = order;
    this.#look = look;
  }

  get now(): number {
    return this.messages.now;
  }

  /** Performs a request when its turn has come. */
  perform<T>({ text, id, isRead, delay }: Turn, request: () => Promise<T>): Promise<T> {
    this.#retries.delete(id);
    return new Promise<T>((resolve, reject) => {
      const act = async (): Promise<void> => {
        const [answer] = await Promise.allSettled([request()]);
        try {
          // Everything is still as this request left it.
          if (!isRead) await this.#look();
        } finally {
          if (answer.status === 'fulfilled') resolve(answer.value);
          else reject(answer.reason);
        }
      };
      this.#waiting.push({ text, due: this.now + delay, end: reject, act });
    });
  }

  /** A slow request is still under way, or a message is left. */
  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.messages.due.length > 0;
  }

  /** Fails the requests that were not performed: their clients wait for them. */
  close(): void {
    for (const request of this.#waiting.splice(0)) request.end(new Error('The case is over.'));
  }

  /** A client retries this request soon. */
  expectRetry(id: string): void {
    this.#retries.add(id);
  }

  /** A client reads the body of an answer. */
  expectReading(): void {
    this.#turns = TURNS_OF_BODY;
  }

  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const ending = (end: () => void) => () => {
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', abort);
        end();
      };
      const due = milliseconds < REST ? this.now + milliseconds : Number.POSITIVE_INFINITY;
      const sleeper: Sleeper = { due, wake: ending(resolve) };
      const abort = ending(() => reject(signal?.reason));
      this.#sleepers.add(sleeper);
      signal?.addEventListener('abort', abort);
      if (signal?.aborted) abort();
    });
  }

  /** Runs until it is over; also checked when nothing can happen at this time. */
  async play(isOver: IsOver): Promise<void> {
    for (;;) {
      if (await this.#performOne()) continue;
      if (await isOver()) return;
      // Others may have begun when they were asked.
      if (!(await this.#performOne())) await this.#advance(isOver);
    }
  }

  /** Whether there was one at this time. */
  async #performOne(): Promise<boolean> {
    await this.#settled();
    const ready = this.#waiting.filter(({ due }) => due <= this.now);
    if (ready.length === 0) return false;
    if (this.trace.length >= REQUESTS_MAX) throw new Error(`No end after ${REQUESTS_MAX} requests.`);
    const request = ready[this.#order(ready.length)] as Waiting;
    this.#waiting.splice(this.#waiting.indexOf(request), 1);
    this.trace.push(request.text);
    await request.act();
    return true;
  }

  /** To when something can happen. */
  async #advance(isOver: IsOver): Promise<void> {
    const { now, messages } = this;
    const isResting = ({ due }: Sleeper): boolean => due === Number.POSITIVE_INFINITY;
    const asleep = [...this.#sleepers];
    if (messages.due.some(due => due <= now) && asleep.some(isResting)) {
      for (const sleeper of asleep.filter(isResting)) sleeper.wake();
      return;
    }
    const later = messages.due.filter(due => due > now);
    const next = Math.min(...[...this.#waiting, ...asleep].map(({ due }) => due), ...later);
    if (next === Number.POSITIVE_INFINITY) {
      // A process may be computing what other threads do for it, such as a hash: its next request comes, or a sleep, or it has ended with that.
      const hasGoneOn = (): boolean => this.#waiting.length > 0 || this.#sleepers.size !== asleep.length;
      await until('a process that computes', async () => hasGoneOn() || (await isOver()));
      return;
    }
    await messages.moveTo(Math.max(now, next));
    for (const sleeper of asleep) if (sleeper.due <= this.now) sleeper.wake();
  }

  /** When every process has come to its next request, or waits. */
  async #settled(): Promise<void> {
    for (let turn = 0; turn < this.#turns; turn++) await new Promise(setImmediate);
    this.#turns = TURNS;
    for (let looks = 0; this.#retries.size > 0 && looks < RETRY_LOOKS; looks++) await pause(1);
    this.#retries.clear();
  }
}
