// The memory that LMDB maps the data file to, for code that reads pages without a copy (scan/). LMDB
// keeps the map in place until it closes the file; when the file outgrows it, LMDB adds a larger one.
//
// The package can make a buffer of any memory, and Linux reports where the map is. On other systems, and where address
// space is limited, there is no map.
import { readFileSync } from 'node:fs';
import { PAGE_BYTES } from './file-head.js';
import { bufferAt, detach } from './lmdb.js';

/** V8 treats offsets of this size as integers, and sees few buffers. */
const SEGMENT_PAGES = 2 ** 30 / PAGE_BYTES;

/** A part of the map. Writing to it ends the process. */
export interface MapSegment {
  /** Number of its first page. */
  readonly first: number;
  readonly bytes: Buffer;
  readonly words: Uint16Array;
}

export class FileMap {
  /** How many pages the map has room for. The file may have fewer: reading past its end ends the process. */
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

  /** The segment with the page, which must exist in the file. */
  segmentOf(page: number): MapSegment {
    const index = Math.floor(page / this.#segmentPages);
    return this.#segments[index] ?? this.#open(index);
  }

  /** A view of consecutive pages; a copy if they span two segments. */
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

  /** Call before LMDB closes the file. All buffers of the map are empty from then on. */
  close(): void {
    for (const segment of this.#segments) if (segment !== undefined) detach?.(segment.bytes.buffer);
    this.#segments.length = 0;
  }

  #open(index: number): MapSegment {
    const first = index * this.#segmentPages;
    const count = Math.min(this.#segmentPages, this.pages - first);
    const memory = bufferAt?.(this.#address + first * PAGE_BYTES, count * PAGE_BYTES);
    if (memory === undefined || !(count > 0)) throw new Error(`The map has no page ${first}.`);
    // Has the same class as all other buffers, so that code which reads buffers stays monomorphic.
    const bytes = Buffer.from(memory.buffer, memory.byteOffset, memory.length);
    const words = new Uint16Array(memory.buffer, memory.byteOffset, memory.length / 2);
    const segment = { first, bytes, words };
    this.#segments[index] = segment;
    return segment;
  }
}

/** Where the file is mapped in this process's memory; undefined if nowhere, or more than once. */
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
