// How many bytes of rows are processed at once: pages that are read, transactions in flight. A caller that would exceed
// the budget waits, in order; one that needs more than the whole budget waits until it is alone. Without it memory
// grows with the rows: eight readers of rows of 1 MiB have eight pages of 4 MiB, each also as text, as lines and as
// bytes of a file.

/**
 * For pages of several readers, as received. A reader uses about four times as much for each: text, rows, lines, bytes
 * of a file.
 */
export const PAGE_BYTES_MAX = 8 * 1_048_576;
/** For rows in transactions in flight: two transactions of 4 MiB, each twice more as text and as bytes of a socket. */
export const WRITE_BYTES_MAX = 8 * 1_048_576;

export class ByteBudget {
  readonly #most: number;
  #taken = 0;
  readonly #waiting: { readonly bytes: number; readonly wake: () => void }[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** Bytes that are taken now. */
  get taken(): number {
    return this.#taken;
  }

  #fits(bytes: number): boolean {
    return this.#taken === 0 || this.#taken + bytes <= this.#most;
  }

  /** Takes this many bytes if no caller waits and there is room. */
  tryTake(bytes: number): boolean {
    if (this.#waiting.length > 0 || !this.#fits(bytes)) return false;
    this.#taken += bytes;
    return true;
  }

  /** Waits until there is room. */
  async take(bytes: number): Promise<void> {
    if (this.tryTake(bytes)) return;
    await new Promise<void>(wake => this.#waiting.push({ bytes, wake }));
  }

  /** Corrects an estimate by this many bytes, more or less. */
  adjust(bytes: number): void {
    this.#taken += bytes;
    for (let next = this.#waiting[0]; next !== undefined && this.#fits(next.bytes); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#taken += next.bytes;
      next.wake();
    }
  }

  give(bytes: number): void {
    this.adjust(-bytes);
  }
}
