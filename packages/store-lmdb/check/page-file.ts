// Reads the pages of a data file without LMDB, so that damage can neither crash the process nor loop forever: each page
// is returned once. page-tree.ts reads their contents. This class does not keep a running store from overwriting pages;
// its caller holds a snapshot of the store (snapshot.ts).
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { StoreError } from '#store';
import { type Meta, PAGE_BYTES, readNewestMeta } from '../lmdb/file-head.js';

/** A running store's meta page may be read while it is written; two equal reads in a row are whole. */
const LOOKS_MAX = 1000;

export class PageFile {
  readonly path: string;
  readonly meta: Meta;
  readonly bytes: number;
  /** Pages returned so far, and pages that are listed as free: inside the file, and past its end. */
  used = 0;
  free = 0;
  freeBehind = 0;
  readonly #file: number;
  readonly #seen: Uint8Array;

  /** Fails with `corrupt` or `unsupported` if the head is not a store's, and with the system's error. */
  constructor(path: string) {
    this.path = path;
    this.#file = openSync(path, 'r');
    try {
      this.meta = settledMeta(this.#file, path);
      this.bytes = fstatSync(this.#file).size;
      this.#seen = new Uint8Array(Math.ceil(this.bytes / PAGE_BYTES));
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** Takes pages from `page` on, each only once; a string gives the reason for a refusal. `page` may be any number. */
  take(page: number, count: number): Buffer | string {
    if (!this.#isWithin(page, count)) return `page ${page} is not in the file`;
    for (let index = page; index < page + count; index += 1) {
      if (this.#seen[index] !== 0) return `page ${index} is used twice`;
    }
    this.#seen.fill(1, page, page + count);
    this.used += count;
    const bytes = Buffer.allocUnsafe(count * PAGE_BYTES);
    const length = readSync(this.#file, bytes, 0, bytes.length, page * PAGE_BYTES);
    return length === bytes.length ? bytes : `page ${page} is cut off`;
  }

  /**
   * Notes a page that is listed as free; a string gives the reason why it cannot be. Call after all pages in use were
   * taken.
   */
  release(page: number): string | undefined {
    if (page < 2 || BigInt(page) > this.meta.lastPage)
      return `page ${page} is listed as free and does not exist`;
    // A sound file may be shorter than its last free pages.
    if (page < this.#seen.length) {
      if (this.#seen[page] === 1) return `page ${page} is listed as free and in use`;
      if (this.#seen[page] === 2) return `page ${page} is listed as free twice`;
      this.#seen[page] = 2;
      this.free += 1;
    } else this.freeBehind += 1;
    return undefined;
  }

  /** How many pages the file should have and lacks. Call after all free pages were noted. */
  get missing(): bigint {
    const behind = this.meta.lastPage + 1n - BigInt(this.#seen.length);
    return behind > this.freeBehind ? behind - BigInt(this.freeBehind) : 0n;
  }

  /** Pages that are neither used nor free: LMDB lost them and will not reuse them. The content is unaffected. */
  get lost(): number {
    const pages = Number(this.meta.lastPage) + 1;
    return Math.max(0, Math.min(pages, this.#seen.length) - 2 - this.used - this.free);
  }

  close(): void {
    closeSync(this.#file);
  }

  #isWithin(page: number, count: number): boolean {
    const end = page + count;
    return page >= 2 && count >= 1 && end <= this.#seen.length && BigInt(end) <= this.meta.lastPage + 1n;
  }
}

function settledMeta(file: number, path: string): Meta {
  let meta = readNewestMeta(file, path);
  for (let look = 0; look < LOOKS_MAX; look += 1) {
    const again = readNewestMeta(file, path);
    if (again.bytes.equals(meta.bytes)) return meta;
    meta = again;
  }
  throw new StoreError('busy', `${path} changes faster than it can be read.`);
}
