// The memory that LMDB maps the data file to, for code that reads pages without a copy (scan/), and the file of its locks. LMDB keeps the map where it is until it closes the file: a
// larger one, of a file that outgrows it, is made beside it.
//
// The package can make a buffer of any memory, and Linux tells where the map is. Elsewhere, and where address space is limited, there is none to be had.
import { readFileSync } from 'node:fs';
import { PAGE_BYTES } from './file-head.js';
import { bufferAt, detach } from './lmdb.js';

/** Offsets of this size are integers to V8, and it sees few buffers. */
const SEGMENT_PAGES = 2 ** 30 / PAGE_BYTES;

/** A part of the map. To write to it ends the process. */
export interface MapSegment {
  /** Of its first page. */
  readonly first: number;
  readonly bytes: Buffer;
  readonly words: Uint16Array;
}

export class FileMap {
  /** How many pages the map has room for. The file may have fewer: to read behind its end ends the process. */
  readonly pages: number;
  readonly #address: number;
  readonly #segmentPages: number;
  readonly #segments: (MapSegment | undefined)[] = [];

  constructor(address: number, pages: number, segmentPages: number) {
    this.#address = address;
    this.pages = pages;
    this.#segmentPages = segmentPages;
  }

  /** The only map of a file that LMDB has open; `path` is the file's real path. */
  static of(path: string, segmentPages = SEGMENT_PAGES): FileMap | undefined {
    const place = placeOf(path);
    if (place === undefined || bufferAt === undefined) return undefined;
    return new FileMap(place.from, (place.until - place.from) / PAGE_BYTES, segmentPages);
  }

  /** The part that has the page, which the file has too. */
  segmentOf(page: number): MapSegment {
    const index = Math.floor(page / this.#segmentPages);
    return this.#segments[index] ?? this.#open(index);
  }

  /** A view of pages that follow each other; a copy if they are in two segments. */
  view(page: number, count: number): Buffer {
    const parts: Buffer[] = [];
    for (let from = page; from < page + count; ) {
      const { first, bytes } = this.segmentOf(from);
      const until = Math.min(page + count, first + this.#segmentPages);
      parts.push(bytes.subarray((from - first) * PAGE_BYTES, (until - first) * PAGE_BYTES));
      from = until;
    }
    const [part] = parts;
    return parts.length === 1 && part !== undefined ? part : Buffer.concat(parts);
  }

  /** Before LMDB closes the file. Whatever still looks at the map sees empty buffers from then on. */
  close(): void {
    for (const segment of this.#segments) if (segment !== undefined) detach?.(segment.bytes.buffer);
    this.#segments.length = 0;
  }

  #open(index: number): MapSegment {
    const first = index * this.#segmentPages;
    const count = Math.min(this.#segmentPages, this.pages - first);
    const memory = bufferAt?.(this.#address + first * PAGE_BYTES, count * PAGE_BYTES);
    if (memory === undefined || !(count > 0)) throw new Error(`The map has no page ${first}.`);
    // Of the class that all other buffers have, so that code which reads buffers knows one kind.
    const bytes = Buffer.from(memory.buffer, memory.byteOffset, memory.length);
    const words = new Uint16Array(memory.buffer, memory.byteOffset, memory.length / 2);
    const segment = { first, bytes, words };
    this.#segments[index] = segment;
    return segment;
  }
}

/** Of the file's map in the memory of this process; undefined if there is none, or more than one. */
function placeOf(path: string): { readonly from: number; readonly until: number } | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const lines = readFileSync('/proc/self/maps', 'utf8').split('\n');
    const [line, another] = lines.filter(each => each.endsWith(` ${path}`));
    if (line === undefined || another !== undefined) return undefined;
    const [, from, until] = /^([\da-f]+)-([\da-f]+) r[w-]-s 0+ /.exec(line) ?? [];
    if (from === undefined || until === undefined) return undefined;
    return { from: Number.parseInt(from, 16), until: Number.parseInt(until, 16) };
  } catch {
    return undefined;
  }
}
