// Lines of a file, as text, with their number and where they end: split at LF, without a preceding CR. Bytes that are
// not UTF-8, and a last line without an end, are reported.
import { isUtf8 } from 'node:buffer';
import { RowError } from './row.js';

interface TextLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
  /** Bytes up to the end of the line, including its LF. */
  readonly end: number;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function textOf(line: Buffer, number: number): string {
  if (!isUtf8(line)) throw new RowError(`line ${number} is not UTF-8`);
  return line.toString('utf8');
}

/** @throws RowError for a line that is not UTF-8. */
export async function* textLines(pieces: AsyncIterable<Buffer>): AsyncGenerator<readonly TextLine[], void> {
  let rest: Buffer[] = [];
  let number = 0;
  let end = 0;
  const take = (bytes: Buffer): TextLine => {
    end += bytes.length;
    number++;
    let length = bytes.length;
    if (bytes[length - 1] === LINE_FEED) length--;
    if (bytes[length - 1] === CARRIAGE_RETURN) length--;
    return { text: textOf(bytes.subarray(0, length), number), number, end };
  };
  for await (const piece of pieces) {
    const lines: TextLine[] = [];
    let from = 0;
    for (let at = piece.indexOf(LINE_FEED); at !== -1; at = piece.indexOf(LINE_FEED, from)) {
      const own = piece.subarray(from, at + 1);
      lines.push(take(rest.length === 0 ? own : Buffer.concat([...rest, own])));
      rest = [];
      from = at + 1;
    }
    // The stream may reuse the piece's memory.
    if (from < piece.length) rest.push(Buffer.from(piece.subarray(from)));
    if (lines.length > 0) yield lines;
  }
  if (rest.length > 0) yield [take(Buffer.concat(rest))];
}
