// Timestamps for keys that grow with each write, such as those of a log: unique in a process and never decreasing, even if the computer's clock is set
// back. Clock and random bytes can be injected.

import { REAL_SURROUNDINGS } from '../concurrency/surroundings.js';
import { Instant } from '../values/instant.js';

/** What a clock of ticks takes from outside; the computer's by default. */
interface TickClockOptions {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** So many random bytes. */
  readonly random?: (count: number) => Uint8Array;
}

const WRITER_DIGITS = 8;
/** 32, in the order of their codes. */
const DIGITS = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * A clock of ticks. Two processes may give the same tick, and so two clocks: put `writer` behind the time in a key.
 *
 * ```ts
 * const clock = new TickClock();
 * const row = { at: clock.next(), writer: clock.writer };
 * clock.next() > row.at; // => true
 * ```
 */
export class TickClock {
  /** Forty random bits as a text, the same as long as the clock lives. */
  readonly writer: string;
  readonly #now: () => number;
  #last = 0n;

  constructor({ now, random }: TickClockOptions = REAL_SURROUNDINGS) {
    this.#now = now ?? REAL_SURROUNDINGS.now;
    this.writer = Array.from(
      (random ?? REAL_SURROUNDINGS.random)(WRITER_DIGITS),
      byte => DIGITS[byte % DIGITS.length],
    ).join('');
  }

  /** Now, or one tick after the last time that was given, if that is later. */
  next(): Instant {
    const { ticks } = Instant.fromDate(new Date(this.#now()));
    this.#last = ticks > this.#last ? ticks : this.#last + 1n;
    return Instant.fromTicks(this.#last);
  }
}
