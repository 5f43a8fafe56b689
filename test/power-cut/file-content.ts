// A file of which a part is on the disk for certain, and a part may be: the writes since the last sync, in their order.
import type { Random } from '../simulation/random.js';

/** A disk writes a sector whole or not at all. */
const SECTOR_BYTES = 512;
/** The system takes the pages of a file to the disk one by one. */
const PAGE_BYTES = 4096;

/** How much of what was not synced is lost: all of it, none, or some. */
export type Mood = 'all' | 'none' | 'some';

export interface Write {
  readonly offset: number;
  readonly data: Buffer;
  /** The file gets this length. */
  readonly length?: number;
  /** The call has come back: a sync that begins now covers it. */
  isDone: boolean;
}

export class FileContent {
  #settled: Buffer = Buffer.alloc(0);
  #pending: Write[] = [];

  write(offset: number, data: Buffer): Write {
    const write: Write = { offset, data, isDone: false };
    this.#pending.push(write);
    return write;
  }

  truncate(length: number): void {
    this.#pending.push({ offset: length, data: Buffer.alloc(0), length, isDone: true });
  }

  /** What a sync that begins now will have made certain. */
  covered(): ReadonlySet<Write> {
    return new Set(this.#pending.filter(({ isDone }) => isDone));
  }

  settle(writes: ReadonlySet<Write>): void {
    for (const write of this.#pending) if (writes.has(write)) this.#settled = applied(this.#settled, write);
    this.#pending = this.#pending.filter(write => !writes.has(write));
  }

  /** What is left of it. */
  cut(mood: Mood, random: Random): Buffer {
    let content: Buffer = Buffer.from(this.#settled);
    if (mood === 'all') return content;
    for (const write of this.#pending) {
      if (mood === 'none') content = applied(content, write);
      else for (const part of partsLeft(write, random)) content = applied(content, part);
    }
    return content;
  }
}

function applied(content: Buffer, { offset, data, length }: Write): Buffer {
  const needed = length ?? Math.max(content.length, offset + data.length);
  const grown =
    needed > content.length
      ? Buffer.concat([content, Buffer.alloc(needed - content.length)])
      : content.subarray(0, needed);
  data.copy(grown, offset);
  return grown;
}

function partsLeft(write: Write, random: Random): Write[] {
  const fate = random.pick(['lost', 'lost', 'whole', 'whole', 'sectors', 'pages', 'length'] as const);
  if (fate === 'lost') return [];
  if (fate === 'whole') return [write];
  const { offset, data } = write;
  // The length of the file may be known to the disk before its content is.
  if (fate === 'length') return [{ ...write, data: Buffer.alloc(0), offset: offset + data.length }];
  const size = fate === 'sectors' ? SECTOR_BYTES : PAGE_BYTES;
  const parts: Write[] = [];
  for (let at = offset; at < offset + data.length; ) {
    const end = Math.min((Math.floor(at / size) + 1) * size, offset + data.length);
    if (random.happens(0.5))
      parts.push({ offset: at, data: data.subarray(at - offset, end - offset), isDone: true });
    at = end;
  }
  return parts;
}
