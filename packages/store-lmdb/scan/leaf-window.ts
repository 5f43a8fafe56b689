// Leaf pages that follow each other in a tree, read from the data file into memory that is used again. Those that follow each other in the file too are read
// at once. page-cursor.ts reads their entries.
import { PAGE_BYTES } from '../lmdb/file-head.js';
import type { Snapshot } from './snapshot.js';

/** What a processor's own cache holds together with what is made of it: more is slower. */
export const WINDOW_PAGES = 16;
/** Windows that wait for the next scan. */
const WINDOWS_MAX = 2;

export class LeafWindow {
  readonly bytes = Buffer.allocUnsafeSlow(WINDOW_PAGES * PAGE_BYTES);
  readonly words = new Uint16Array(this.bytes.buffer);
  readonly #pages = new Float64Array(WINDOW_PAGES);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
  }

  add(page: number): void {
    this.#pages[this.#count] = page;
    this.#count += 1;
  }

  page(index: number): number {
    return this.#pages[index] ?? 0;
  }

  /** Reads the pages that were added, one behind the other. */
  read(snapshot: Snapshot): void {
    for (let from = 0; from < this.#count; ) {
      const first = this.page(from);
      let until = from + 1;
      while (until < this.#count && this.page(until) === first + until - from) until += 1;
      snapshot.read(this.bytes, from * PAGE_BYTES, first, until - from);
      from = until;
    }
  }
}

const idle: LeafWindow[] = [];

export const takeWindow = (): LeafWindow => idle.pop() ?? new LeafWindow();

/** Nothing may look at its bytes any more. */
export function releaseWindow(window: LeafWindow): void {
  window.clear();
  if (idle.length < WINDOWS_MAX) idle.push(window);
}
