// Checksums of rows: for one, the first 128 bits of SHA-256 of its line without the Timestamp; for many, their sum
// modulo 2^128. A sum ignores the order, and both sides of a copy have the same whatever their Timestamps are. Written
// as 32 hexadecimal digits.
import { hash } from 'node:crypto';

const MODULUS_BITS = 128;
const DIGITS = 32;
const WORD = 2 ** 32;
/** Rows that are summed up in numbers before the sum takes them; the sum of up to 2^21 words of 32 bits is exact in one. */
const ROWS_MAX = 2 ** 16;

/** Word `at` of a digest, as text of one byte a character. */
const wordAt = (digest: string, at: number): number =>
  digest.charCodeAt(at) * 0x1_00_00_00 +
  ((digest.charCodeAt(at + 1) << 16) | (digest.charCodeAt(at + 2) << 8) | digest.charCodeAt(at + 3));

export class Checksum {
  #sum = 0n;
  /** For rows that are not in the sum yet, by the digest's four words: a BigInt per row would cost a third of its hash. */
  readonly #words = [0, 0, 0, 0];
  #rows = 0;

  /** Adds a row by its line without the Timestamp (`formatContent`). */
  addContent(content: string | Buffer): void {
    const digest = hash('sha256', content, 'binary');
    const words = this.#words;
    for (let word = 0; word < 4; word++) words[word] = (words[word] ?? 0) + wordAt(digest, word * 4);
    if (++this.#rows === ROWS_MAX) this.#gather();
  }

  #gather(): void {
    let sum = 0n;
    for (const word of this.#words) sum = sum * BigInt(WORD) + BigInt(word);
    this.#sum += sum;
    this.#words.fill(0);
    this.#rows = 0;
  }

  add(other: Checksum): void {
    other.#gather();
    this.#sum += other.#sum;
  }

  toString(): string {
    this.#gather();
    return BigInt.asUintN(MODULUS_BITS, this.#sum).toString(16).padStart(DIGITS, '0');
  }

  /** @throws RangeError for a text of another form. */
  static parse(text: string): Checksum {
    if (!/^[0-9a-f]{32}$/.test(text)) throw new RangeError('A checksum has 32 hexadecimal digits.');
    const checksum = new Checksum();
    checksum.#sum = BigInt(`0x${text}`);
    return checksum;
  }
}
