// How fast requests go to one account: how many at once, how many a second, and none at all while the account asks for
// a pause. All requests to an account share one Pace, whichever part of a tool sends them, so that a 503 to one of them
// holds back all. endpoint.ts retries.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Address } from './address.js';

interface PaceOptions {
  /** Maximum of concurrent requests. */
  readonly parallel: number;
  /** Maximum of requests a second; undefined is unbounded. */
  readonly rate: number | undefined;
}

/** Successes at one width before it grows by one: after a 503 recovery takes hundreds of requests. */
const SUCCESSES_TO_GROW = 20;

export class Pace {
  readonly #parallel: number;
  readonly #interval: number;
  /** The current maximum of concurrent requests. */
  #width: number;
  #active = 0;
  #successes = 0;
  #heldUntil = 0;
  #nextAt = 0;
  readonly #waiting: (() => void)[] = [];

  constructor({ parallel, rate }: PaceOptions) {
    this.#parallel = parallel;
    this.#width = parallel;
    this.#interval = rate === undefined ? 0 : 1000 / rate;
  }

  /** Waits for a turn; the caller calls `leave` after its request. */
  async enter(signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    while (this.#active >= this.#width) await new Promise<void>(resolve => this.#waiting.push(resolve));
    this.#active++;
    try {
      for (let wait = this.#wait(); wait > 0; wait = this.#wait()) await sleep(wait, undefined, { signal });
      signal?.throwIfAborted();
    } catch (error) {
      this.leave();
      throw error;
    }
    if (this.#interval > 0) this.#nextAt = Math.max(this.#nextAt, performance.now()) + this.#interval;
  }

  leave(): void {
    this.#active--;
    this.#waiting.shift()?.();
  }

  #wait(): number {
    return Math.max(this.#heldUntil, this.#nextAt) - performance.now();
  }

  /** The account is busy: sends nothing for this many milliseconds, and half as many at once afterwards. */
  hold(milliseconds: number): void {
    const now = performance.now();
    // Among concurrent requests only the first 503 halves it.
    if (now >= this.#heldUntil) this.#width = Math.max(1, Math.floor(this.#width / 2));
    this.#successes = 0;
    this.#heldUntil = Math.max(this.#heldUntil, now + milliseconds);
  }

  succeeded(): void {
    if (this.#width >= this.#parallel || ++this.#successes < SUCCESSES_TO_GROW) return;
    this.#successes = 0;
    this.#width++;
    this.#waiting.shift()?.();
  }
}

/** One for each account. */
export function pacesOf(options: PaceOptions): (address: Address) => Pace {
  const paces = new Map<string, Pace>();
  return ({ name }) => {
    const pace = paces.get(name) ?? new Pace(options);
    paces.set(name, pace);
    return pace;
  };
}
