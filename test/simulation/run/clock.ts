// A clock with the faults of real clocks: it stands still, advances in steps, and jumps when a plan requires it. Never back to before 1970.
import { Random } from '../plan/random.js';

const START = Date.parse('2020-01-01T00:00:00Z');
const TICKS_PER_MS = 10_000n;
const TICKS_PER_SECOND = 10_000_000n;
const TICKS_PER_HOUR = 3600n * TICKS_PER_SECOND;
const FIT_TICKS = 30_000;

export class SimulatedClock {
  readonly #random: Random;
  #now = BigInt(START) * TICKS_PER_MS;
  #highest = this.#now;

  constructor(seed: number) {
    this.#random = new Random(seed);
  }

  /** In ticks of 100 ns, as the packages ask it. */
  readonly read = (): bigint => {
    if (this.#random.happens(0.3)) this.#move(BigInt(this.#random.below(FIT_TICKS)));
    return this.#now;
  };

  /** As it is, without moving it. */
  get now(): bigint {
    return this.#now;
  }

  /** The latest that it ever was. */
  get highest(): bigint {
    return this.#highest;
  }

  jump(hours: number): void {
    this.#move(BigInt(hours) * TICKS_PER_HOUR);
  }

  pass(seconds: number): void {
    this.#move(BigInt(seconds) * TICKS_PER_SECOND);
  }

  #move(ticks: bigint): void {
    this.#now += ticks;
    if (this.#now > this.#highest) this.#highest = this.#now;
  }

  /** As x-ms-date has it; asking does not move the clock. */
  get date(): string {
    return new Date(Number(this.#now / TICKS_PER_MS)).toUTCString();
  }
}
