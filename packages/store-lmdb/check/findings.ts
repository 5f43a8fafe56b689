// Collects what a check finds wrong: a bounded number of sentences, and the total count.

/** Enough to see the pattern of a damage, few enough to read. */
const SENTENCES_MAX = 50;

export class Findings {
  readonly sentences: string[] = [];
  count = 0;

  add(sentence: string): void {
    this.count += 1;
    if (this.sentences.length < SENTENCES_MAX) this.sentences.push(sentence);
  }

  /**
   * Returns the result of `look`; if it throws, the error becomes a finding at `place`, and the result is undefined.
   */
  guard<T>(place: string, look: () => T): T | undefined {
    try {
      return look();
    } catch (error) {
      this.add(`${place}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }
}

/** With the noun in its number. */
export const counted = (count: number, one: string): string => `${count} ${count === 1 ? one : `${one}s`}`;
