// How many bytes of rows are in transactions in flight at once. A caller that would exceed the budget waits, in order;
// one that needs more than the whole budget waits until it is alone. Without it memory grows with the rows: 300 of 1.28
// MB took 233 MiB instead of 170.

/** Two transactions of 4 MiB, each twice more as text and as bytes of a socket. */
export const WRITE_BYTES_MAX = 8 * 1_048_576;

export class ByteBudget {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: { readonly bytes: number; readonly wake: () => void }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#most;
  }

  /** Waits until there is room. */
  async take(bytes: number): Promise<void> {
    if (this.#waiting.length > 0 || !this.#fits(bytes))
      await new Promise<void>(wake => this.#waiting.push({ bytes, wake }));
    else this.#taken += bytes;
  }

  give(bytes: number): void {
    this.#taken -= bytes;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.wake();
    }
  }
}
