// A clock with the faults of real clocks: it stands still, advances in steps, and jumps when a plan contains it. Never
// back to before 1970.
import { below, chance, type Draw, drawFrom } from '../../random/arbitrary.js';

const START = Date.parse('2020-01-01T00:00:00Z');
const TICKS_PER_MS = 10_000n;
const TICKS_PER_SECOND = 10_000_000n;
const TICKS_PER_HOUR = 3600n * TICKS_PER_SECOND;
const FIT = below(30_000);
const MOVES = chance(30);

export class SimulatedClock {
  readonly #draw: Draw;
  #now = BigInt(START) * TICKS_PER_MS;
  #highest = this.#now;

  constructor(seed: number) {
    this.#draw = drawFrom(seed);
  }

  /** In ticks of 100 ns, as the packages read it. */
  readonly read = (): bigint => {
    if (this.#draw(MOVES)) this.#move(BigInt(this.#draw(FIT)));
    return this.#now;
  };

  /** Reads it without moving it. */
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

  /** Reads it without moving it too. */
  get date(): Date {
    return new Date(Number(this.#now / TICKS_PER_MS));
  }
}
