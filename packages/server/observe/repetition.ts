// Suppresses repeated log lines: a full disk fails each write for the same reason, and its log is often on the same disk.
// Check here before you log.

export const REPEATED_MILLISECONDS = 1000;

export class Repetition {
  readonly #milliseconds: () => number;
  #text: string | undefined;
  #since = 0;
  #count = 0;

  constructor(milliseconds: () => number = () => performance.now()) {
    this.#milliseconds = milliseconds;
  }

  /** Undefined if the text was logged less than a second ago; else how often it was suppressed since. */
  next(text: string): number | undefined {
    const now = this.#milliseconds();
    if (text === this.#text && now - this.#since < REPEATED_MILLISECONDS) {
      this.#count += 1;
      return undefined;
    }
    const keptBack = this.#count;
    this.#text = text;
    this.#since = now;
    this.#count = 0;
    return keptBack;
  }
}
