// A secret text with comparison in constant time. Bytes are compared by node's own function, where there is one
// (server/auth/authenticate.ts).

export class SecretText {
  /** Its UTF-16 units, which are faster to read than a string's. */
  readonly #units: Uint16Array;

  constructor(text: string) {
    this.#units = Uint16Array.from({ length: text.length }, (_, i) => text.charCodeAt(i));
  }

  /** Whether it is the text at that position. Takes the same time for any difference; the length is not secret. */
  isAt(text: string, from: number, until: number): boolean {
    const units = this.#units;
    if (until - from !== units.length) return false;
    let difference = 0;
    for (let i = 0; i < units.length; i++) difference |= text.charCodeAt(from + i) ^ (units[i] ?? 0);
    return difference === 0;
  }
}
