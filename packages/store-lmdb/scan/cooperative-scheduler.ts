// Divides the event loop: long works that run in slices together get a fixed share of each turn, and wait for one
// another in the order of arrival. The scheduler does not know what they do.

export class CooperativeScheduler {
  readonly #millisecondsMax: number;
  #milliseconds = 0;
  #isTurnPlanned = false;
  readonly #waiting: (() => void)[] = [];
  readonly #turn = () => {
    this.#isTurnPlanned = false;
    this.#milliseconds = 0;
    this.#release();
  };

  /** Slices together end a turn at most one slice after `millisecondsMax`. */
  constructor(millisecondsMax: number) {
    this.#millisecondsMax = millisecondsMax;
  }

  /** A promise if the caller has to wait before its slice; otherwise it has to begin before it yields the thread. */
  enter(): Promise<void> | undefined {
    if (this.#milliseconds < this.#millisecondsMax && this.#waiting.length === 0) return undefined;
    return new Promise(resolve => {
      this.#waiting.push(resolve);
    });
  }

  /** Call after each slice, with the time it took. */
  leave(milliseconds: number): void {
    this.#milliseconds += milliseconds;
    if (!this.#isTurnPlanned) {
      this.#isTurnPlanned = true;
      setImmediate(this.#turn);
    }
    if (this.#milliseconds < this.#millisecondsMax) this.#release();
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next !== undefined) next();
  }
}
