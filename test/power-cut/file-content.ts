// The model of a file: bytes that are certainly on the disk, and the writes since the last sync, in order, which may be.
import { chance, type Draw, from } from '../random/arbitrary.js';

/** A disk writes a sector whole or not at all. */
const SECTOR_BYTES = 512;
/** The system writes a file's pages to the disk one by one. */
const PAGE_BYTES = 4096;

/** How much of what was not synced is lost: all of it, none, or some. */
export type Mood = 'all' | 'none' | 'some';

const HALF = chance(50);
const FATE = from(['lost', 'lost', 'whole', 'whole', 'sectors', 'pages', 'length'] as const);

interface Part {
  readonly offset: number;
  readonly data: Buffer;
}

export interface Write {
  /** The parts that nothing newer has replaced. */
  parts: readonly Part[];
  /** The file gets this length. */
  readonly length: number | undefined;
  /** The call has completed: a sync that begins now covers it. */
  isDone: boolean;
}

export class FileContent {
  #settled: Buffer = Buffer.alloc(0);
  #pending: Write[] = [];

  write(offset: number, data: Buffer): Write {
    const write: Write = { parts: [{ offset, data }], length: undefined, isDone: false };
    this.#pending.push(write);
    return write;
  }

  truncate(length: number): void {
    this.#pending.push({ parts: [], length, isDone: true });
  }

  /** What a sync that begins now will make certain. */
  covered(): ReadonlySet<Write> {
    return new Set(this.#pending.filter(({ isDone }) => isDone));
  }

  settle(writes: ReadonlySet<Write>): void {
    const older: Write[] = [];
    for (const write of this.#pending) {
      if (!writes.has(write)) {
        older.push(write);
        continue;
      }
      this.#settled = applied(this.#settled, write.parts, write.length);
      // A killed process's call never completes, and later writes there stand.
      for (const other of older) other.parts = write.parts.reduce(without, other.parts);
    }
    this.#pending = this.#pending.filter(write => !writes.has(write));
  }

  /** What is left of it. */
  cut(mood: Mood, draw: Draw): Buffer {
    let content: Buffer = Buffer.from(this.#settled);
    if (mood === 'all') return content;
    for (const { parts, length } of this.#pending) {
      if (mood === 'none') content = applied(content, parts, length);
      else if (length === undefined) content = appliedInPart(content, parts, draw);
      else if (draw(HALF)) content = applied(content, [], length);
    }
    return content;
  }
}

function resized(content: Buffer, length: number): Buffer {
  if (length <= content.length) return content.subarray(0, length);
  return Buffer.concat([content, Buffer.alloc(length - content.length)]);
}

function applied(content: Buffer, parts: readonly Part[], length?: number): Buffer {
  const needed = parts.reduce(
    (most, { offset, data }) => Math.max(most, offset + data.length),
    content.length,
  );
  const grown = resized(content, length ?? needed);
  for (const { offset, data } of parts) data.copy(grown, offset);
  return grown;
}

function appliedInPart(content: Buffer, parts: readonly Part[], draw: Draw): Buffer {
  const fate = draw(FATE);
  if (fate === 'lost') return content;
  if (fate === 'whole') return applied(content, parts);
  // The length of the file may reach the disk before its content.
  if (fate === 'length')
    return applied(
      content,
      parts.map(({ offset, data }) => ({ offset: offset + data.length, data: Buffer.alloc(0) })),
    );
  const size = fate === 'sectors' ? SECTOR_BYTES : PAGE_BYTES;
  const pieces = parts.flatMap(part => piecesOf(part, size));
  return applied(
    content,
    pieces.filter(() => draw(HALF)),
  );
}

function piecesOf({ offset, data }: Part, size: number): Part[] {
  const pieces: Part[] = [];
  for (let at = offset; at < offset + data.length; ) {
    const end = Math.min((Math.floor(at / size) + 1) * size, offset + data.length);
    pieces.push({ offset: at, data: data.subarray(at - offset, end - offset) });
    at = end;
  }
  return pieces;
}

/** The rest of the parts that another one does not replace. */
function without(parts: readonly Part[], { offset: from, data: { length } }: Part): readonly Part[] {
  const until = from + length;
  return parts.flatMap(({ offset, data }) => {
    const end = offset + data.length;
    if (end <= from || offset >= until) return [{ offset, data }];
    const before = { offset, data: data.subarray(0, Math.max(0, from - offset)) };
    const behind = { offset: Math.max(offset, until), data: data.subarray(Math.max(0, until - offset)) };
    return [before, behind].filter(part => part.data.length > 0);
  });
}
