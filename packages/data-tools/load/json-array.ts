// The entities of a JSON array, one after the other, in memory that does not grow with the array: the text is cut at
// the ends of entities, and each is parsed separately.
import { readRow } from '../line/read-rows.js';
import { type Row, RowError } from '../line/row.js';
import { RowShape } from '../line/row-shape.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
/** What stands before the first object, between two, and after the last; a byte order mark may come first. */
const BEFORE = /^[^\x21-\x7e]*\[\s*$/;
const BETWEEN = /^\s*,\s*$/;
const AFTER = /^\s*\]\s*$/;
const EMPTY = /^[^\x21-\x7e]*\[\s*\]\s*$/;

/** Finds where objects of an array begin and end. */
class ArrayCutter {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #isFirst = true;
  /** Since the last object. */
  #gap = '';
  #rest: Buffer[] = [];

  /** The objects that end in these bytes. @throws RowError */
  cut(piece: Buffer): Buffer[] {
    const objects: Buffer[] = [];
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (this.#depth === 0) {
        if (byte !== OPEN_BRACE) {
          this.#gap += String.fromCharCode(byte);
          continue;
        }
        this.#begin();
        from = at;
      } else if (this.#within(byte)) {
        objects.push(Buffer.concat([...this.#rest, piece.subarray(from, at + 1)]));
        this.#rest = [];
      }
    }
    if (this.#depth > 0) this.#rest.push(Buffer.from(piece.subarray(from)));
    return objects;
  }

  #begin(): void {
    if (!(this.#isFirst ? BEFORE : BETWEEN).test(this.#gap)) throw this.#outOfPlace();
    this.#isFirst = false;
    this.#gap = '';
    this.#depth = 1;
  }

  #outOfPlace(): RowError {
    return new RowError(`${JSON.stringify(this.#gap.trim())} is out of place in an array of entities`);
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
    if ((this.#isFirst ? EMPTY : AFTER).test(this.#gap)) return;
    throw this.#gap.includes(']') ? this.#outOfPlace() : new RowError('the array of entities does not end');
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
