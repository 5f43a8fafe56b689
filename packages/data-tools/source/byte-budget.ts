// How many bytes of rows are worked on at once: pages that are read, transactions that are under way. Who would go beyond waits, in order; one who needs more than there is waits until it is alone.
// Without it memory grows with the rows: eight readers of rows of 1 MiB have eight pages of 4 MiB, each also as text, as lines and as bytes of a file.

/** Of pages of several readers, as they came. Of each a reader makes about four times as much: text, rows, lines, bytes of a file. */
export const PAGE_BYTES_MAX = 8 * 1_048_576;
/** Of rows in transactions that are under way: two transactions of 4 MiB, each twice more as text and as bytes of a socket. */
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

  /** Takes so many bytes if nobody waits and there is room. */
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

  /** What was taken turned out to be so many bytes more, or less. */
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
