// A clock that is wrong as clocks are: it stands still, goes on by fits and jumps when it is told to. Never back to before 1970.
import { Random } from './random.js';

const START = Date.parse('2020-01-01T00:00:00Z');
const TICKS_PER_MS = 10_000n;
const TICKS_PER_HOUR = 36_000_000_000n;
const FIT_TICKS = 30_000;

export class SimulatedClock {
  readonly #random: Random;
  #now = BigInt(START) * TICKS_PER_MS;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** In ticks of 100 ns, as the packages ask it. */
  readonly read = (): bigint => {
    if (this.#random.happens(0.3)) this.#now += BigInt(this.#random.below(FIT_TICKS));
    return this.#now;
  };

  jump(hours: number): void {
    this.#now += BigInt(hours) * TICKS_PER_HOUR;
  }

  /** As x-ms-date has it; asking does not move the clock. */
  get date(): string {
    return new Date(Number(this.#now / TICKS_PER_MS)).toUTCString();
  }
}
