// Checksums of rows: for one, the first 128 bits of SHA-256 of its line without the Timestamp; for many, their sum
// modulo 2^128. A sum ignores the order, and both sides of a copy have the same whatever their Timestamps are. Written
// as 32 hexadecimal digits.
import { hash } from 'node:crypto';

const BITS = 128;
const DIGITS = 32;

export class Checksum {
  #sum = 0n;

  /** Adds a row by its line without the Timestamp (`formatContent`). */
  addContent(content: string | Buffer): void {
    this.#sum += BigInt(`0x${hash('sha256', content).slice(0, DIGITS)}`);
  }

  add(other: Checksum): void {
    this.#sum += other.#sum;
  }

  toString(): string {
    return BigInt.asUintN(BITS, this.#sum).toString(16).padStart(DIGITS, '0');
  }

  /** @throws RangeError for a text of another form. */
  static parse(text: string): Checksum {
    if (!/^[0-9a-f]{32}$/.test(text)) throw new RangeError('A checksum has 32 hexadecimal digits.');
    const checksum = new Checksum();
    checksum.#sum = BigInt(`0x${text}`);
    return checksum;
  }
}
