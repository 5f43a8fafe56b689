// The entities of a JSON array, one after the other, in memory that does not grow with the array: the text is cut at
// the ends of entities, and each is parsed separately.
import { readRow } from '../line/read-rows.js';
import type { Row } from '../line/row.js';
import { RowError } from '../line/row-error.js';
import { RowShape } from '../line/row-shape.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const SPACE = 0x20;

/** Finds where objects of an array begin and end. */
class ArrayCutter {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** What may come between the objects. */
  #expects: 'array' | 'first' | 'object' | 'comma' | 'end' = 'array';
  #rest: Buffer[] = [];

  /** The objects that end in these bytes. @throws RowError */
  cut(piece: Buffer): Buffer[] {
    const objects: Buffer[] = [];
    let from = this.#depth > 0 ? 0 : -1;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.#depth === 0) {
        if (this.#between(byte)) from = at;
      } else if (this.#within(byte)) {
        objects.push(Buffer.concat([...this.#rest, piece.subarray(from, at + 1)]));
        this.#rest = [];
        this.#expects = 'comma';
        from = -1;
      }
    }
    if (this.#depth > 0) this.#rest.push(Buffer.from(piece.subarray(from)));
    return objects;
  }

  /** Whether an object begins here. */
  #between(byte: number): boolean {
    if (byte <= SPACE || (this.#expects === 'array' && byte > CLOSE_BRACE)) return false;
    const may = this.#expects;
    if (may === 'array' && byte === OPEN_BRACKET) this.#expects = 'first';
    else if (may === 'comma' && byte === COMMA) this.#expects = 'object';
    else if ((may === 'comma' || may === 'first') && byte === CLOSE_BRACKET) this.#expects = 'end';
    else if ((may === 'first' || may === 'object') && byte === OPEN_BRACE) {
      this.#depth = 1;
      return true;
    } else
      throw new RowError(
        `${JSON.stringify(String.fromCharCode(byte))} is out of place in an array of entities`,
      );
    return false;
  }

  /** Whether the object ends here. */
  #within(byte: number): boolean {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) this.#isInString = false;
      return false;
    }
    if (byte === QUOTE) this.#isInString = true;
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return --this.#depth === 0;
    return false;
  }

  end(): void {
    if (this.#expects !== 'end') throw new RowError('the array of entities does not end');
  }
}

/** @throws RowError */
export async function* arrayPages(
  bytes: AsyncIterable<Buffer>,
  name: string,
): AsyncGenerator<readonly Row[], void> {
  const cutter = new ArrayCutter();
  const shape = new RowShape();
  let count = 0;
  try {
    for await (const piece of bytes) {
      const page: Row[] = [];
      for (const text of cutter.cut(piece)) {
        page.push(readRow(text.toString('utf8'), shape));
        count++;
      }
      if (page.length > 0) yield page;
    }
    cutter.end();
  } catch (error) {
    if (error instanceof RowError) throw new RowError(`${name}, behind entity ${count}: ${error.message}`);
    throw error;
  }
}
