// Keeps deletes possible when the disk is full. LMDB writes a changed page to another place, so a delete needs pages
// before it frees any. A file of a few MiB next to the data file, the reserve, provides them: it is released when a
// delete finds no space. Until it is back, or as much is free inside the data file, nothing is put. All processes of a
// directory share it.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { processLimit } from './map-size.js';

/** 100 deletes in as many leaves, with all pages above them and the list of free pages, take less than half. */
export const RESERVE_BYTES = 4 * 1024 * 1024;
const RESERVE_NAME = 'reserve';
/** Left for others when the reserve is created. */
const SPARE_BYTES = 1024 * 1024;
/** Many times what a full log may take in the tree. */
const AMPLE_BYTES = 64 * 1024 * 1024;
/** A store that is closed sooner needs none: most tests. */
const YOUNG_MS = 200;
/** Between two attempts while nothing may be put. */
const PAUSE_MS = 1000;
/** Least space of a group: pages on the way to its rows. */
const GROUP_BYTES_MIN = 256 * 1024;

interface DiskReserveOptions {
  /** The data file. */
  readonly path: string;
  readonly reserveBytes?: number | undefined;
  /** Bytes of pages that the data file can reuse. */
  readonly freeBytes: () => number;
  readonly milliseconds?: (() => number) | undefined;
}

export class DiskReserve {
  readonly #path: string;
  readonly #directory: string;
  readonly #bytes: number;
  readonly #freeBytes: () => number;
  readonly #milliseconds: () => number;
  #nextMaking: number;
  #file: number | undefined;
  /** A put has found no space. */
  #isPressed = false;
  /** Bytes that may still be put into free pages of the file. */
  #budget = 0;
  #nextLook = 0;

  constructor({ path, reserveBytes = RESERVE_BYTES, freeBytes, milliseconds }: DiskReserveOptions) {
    this.#path = path;
    this.#directory = dirname(path);
    this.#bytes = reserveBytes;
    this.#freeBytes = freeBytes;
    this.#milliseconds = milliseconds ?? (() => performance.now());
    this.#nextMaking = this.#milliseconds() + YOUNG_MS;
    this.#file = openIfThere(join(this.#directory, RESERVE_NAME));
  }

  /** Nothing may be put for lack of space. */
  get isShort(): boolean {
    return this.#isPressed || (this.#file !== undefined && !this.#isWhole(this.#file));
  }

  /** Whether a group may put. Call under the write lock. */
  mayGrow(): boolean {
    if (!this.isShort) {
      if (this.#file === undefined) this.#make();
      if (!this.#isTight()) return true;
      this.#isPressed = true;
    }
    if (this.#budget > 0) return true;
    const now = this.#milliseconds();
    if (now < this.#nextLook) return false;
    this.#nextLook = now + PAUSE_MS;
    if (this.#refill() && !this.#isTight()) {
      this.#isPressed = false;
      return true;
    }
    this.#budget = (this.#freeBytes() - this.#bytes) / 4;
    return this.#budget > 0;
  }

  /** Whether contents may take this many bytes of the disk: contents run out of space before rows do. */
  mayTake(bytes: number): boolean {
    return !this.isShort && this.#freeOnDisk() >= bytes + this.#bytes + 2 * SPARE_BYTES;
  }

  /** Whether enough is free that changes which are durable elsewhere will fit into the data file. */
  isAmple(): boolean {
    if (this.isShort || this.#freeOnDisk() < AMPLE_BYTES) return false;
    return processLimit('Max file size') - statSync(this.#path).size >= AMPLE_BYTES;
  }

  /** Reports a written group that put this many bytes, or none. */
  wrote(bytes: number, didGrow: boolean): void {
    if (!didGrow) this.#nextLook = 0;
    else if (this.#budget > 0) {
      this.#budget -= 2 * bytes + GROUP_BYTES_MIN;
      // There was enough, so counting again at once is worth it.
      if (this.#budget <= 0) this.#nextLook = 0;
    }
  }

  /** Reports that there is no space for a put. */
  refuse(): void {
    this.#isPressed = true;
    this.#budget = 0;
    this.#nextLook = this.#milliseconds() + PAUSE_MS;
  }

  /** Reports that there is no space for changes that put nothing: true if there is some now. */
  release(): boolean {
    this.refuse();
    if (this.#file === undefined || fstatSync(this.#file).size === 0) return false;
    empty(this.#file);
    return true;
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #isWhole(file: number): boolean {
    return fstatSync(file).size >= this.#bytes;
  }

  #make(): void {
    const now = this.#milliseconds();
    if (now < this.#nextMaking) return;
    this.#nextMaking = now + PAUSE_MS;
    if (!this.#hasSpace()) return;
    this.#file = openSync(join(this.#directory, RESERVE_NAME), 'a+', 0o600);
    this.#refill();
  }

  #hasSpace(): boolean {
    return this.#freeOnDisk() >= this.#bytes + SPARE_BYTES;
  }

  /**
   * A write that finds no space has to be rare: LMDB formats the failure into a text that is longer than the memory it
   * allocates for it (mdb_page_flush of its package), which may end the process.
   */
  #isTight(): boolean {
    return this.#freeOnDisk() < SPARE_BYTES;
  }

  #freeOnDisk(): number {
    const { bavail, bsize } = statfsSync(this.#directory);
    return bavail * bsize;
  }

  /** @returns whether the reserve is there. */
  #refill(): boolean {
    const file = this.#file;
    if (file === undefined) return true;
    if (this.#isWhole(file)) return true;
    if (!this.#hasSpace()) return false;
    const zeros = Buffer.alloc(this.#bytes - fstatSync(file).size);
    try {
      for (let at = 0; at < zeros.length; ) at += writeSync(file, zeros, at);
      return true;
    } catch {
      ftruncateSync(file, 0);
      return false;
    }
  }
}

/**
 * Releases the reserve if the disk has less than this many bytes: for changes that were acknowledged and have to be put
 * before a store is open. Puts then wait until the reserve is back, as after a delete.
 */
export function spendReserve(directory: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize >= bytes) return;
  const file = openIfThere(join(directory, RESERVE_NAME));
  if (file === undefined) return;
  try {
    empty(file);
  } finally {
    closeSync(file);
  }
}

/** Some file systems release freed space only when that change is written. */
function empty(file: number): void {
  ftruncateSync(file, 0);
  fsyncSync(file);
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, constants.O_RDWR | constants.O_APPEND);
  } catch {
    return undefined;
  }
}
