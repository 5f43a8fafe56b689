// The contents of the memory store: the reference model of content.ts, simple rather than fast.
import { Crc64, nextTurn } from '#base';
import {
  CONTENT_PIECE_MAX,
  type ContentPin,
  type ContentStore,
  type ContentWriter,
  type ListedContent,
} from './content.js';
import type { Space } from './store.js';
import { StoreError } from './store-error.js';

interface MemoryContent {
  readonly space: number;
  readonly id: string;
  pieces: Buffer[];
  bytes: number;
  state: 'open' | 'finished' | 'released' | 'dropped' | 'gone';
}

interface MemoryContentOptions {
  /** For all contents together; a write beyond it fails with `full`. */
  readonly bytesMax: number;
  readonly isLiving: (space: Space) => boolean;
}

export class MemoryContentStore implements ContentStore {
  readonly #options: MemoryContentOptions;
  readonly #contents = new Map<string, MemoryContent>();
  readonly #pins = new Set<number>();
  /** Dropped while pins below the number existed. */
  #dropped: { readonly content: MemoryContent; readonly before: number }[] = [];
  #lastId = 0;
  #lastPin = 0;
  #bytes = 0;
  #isClosed = false;

  constructor(options: MemoryContentOptions) {
    this.#options = options;
  }

  async create(space: Space): Promise<ContentWriter> {
    this.assertOpen();
    this.#lastId += 1;
    const id = `m${this.#lastId}`;
    const content: MemoryContent = { space: space.id, id, pieces: [], bytes: 0, state: 'open' };
    this.#contents.set(id, content);
    return new MemoryWriter(this, space, content);
  }

  async *read(space: Space, id: string, from: number, until: number): AsyncIterable<Buffer> {
    this.assertOpen();
    if (from >= until) return;
    const content = this.#contents.get(id);
    if (content?.space !== space.id || content.state === 'open') throw missing(id);
    const { pieces, bytes } = content;
    let start = 0;
    for (const piece of pieces) {
      const [first, last] = [Math.max(from, start), Math.min(until, start + piece.length)];
      for (let at = first; at < last; at += CONTENT_PIECE_MAX) {
        this.assertOpen();
        yield piece.subarray(at - start, Math.min(at + CONTENT_PIECE_MAX, last) - start);
      }
      start += piece.length;
    }
    if (until > bytes) throw missing(id);
  }

  /** There is no other process. */
  async unpinnedElsewhere(): Promise<boolean> {
    return true;
  }

  pin(): ContentPin {
    this.assertOpen();
    this.#lastPin += 1;
    const pin = this.#lastPin;
    this.#pins.add(pin);
    return {
      release: () => {
        if (this.#pins.delete(pin)) this.#reclaim();
      },
    };
  }

  async drop(space: Space, id: string): Promise<void> {
    this.assertOpen();
    const content = this.#contents.get(id);
    if (content?.space !== space.id) return;
    this.#drop(content);
  }

  async *list(space: Space): AsyncIterable<ListedContent> {
    this.assertOpen();
    for (const { space: owner, id, state } of [...this.#contents.values()]) {
      if (owner === space.id && state === 'released') yield { id };
    }
  }

  /** Removes all contents of a dropped space. */
  dropSpace(space: number): void {
    for (const content of this.#contents.values()) {
      if (content.space === space && content.state !== 'open') this.#drop(content);
    }
  }

  /** Fails with `full`. */
  add(content: MemoryContent, piece: Buffer): void {
    this.assertOpen();
    if (this.#bytes + piece.length > this.#options.bytesMax) {
      throw new StoreError('full', 'The contents have as many bytes as they may have.');
    }
    this.#bytes += piece.length;
    content.bytes += piece.length;
    content.pieces.push(Buffer.from(piece));
  }

  release(space: Space, content: MemoryContent): void {
    if (content.state === 'finished') content.state = 'released';
    if (!this.#options.isLiving(space)) this.#drop(content);
  }

  remove(content: MemoryContent): void {
    if (content.state !== 'gone') this.#bytes -= content.bytes;
    content.state = 'gone';
    // Reads in progress keep the pieces.
    content.pieces = [];
    content.bytes = 0;
    this.#contents.delete(content.id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await nextTurn();
    for (const content of [...this.#contents.values()]) this.remove(content);
  }

  assertOpen(): void {
    if (this.#isClosed) throw new StoreError('closed', 'The store is closed.');
  }

  #drop(content: MemoryContent): void {
    content.state = 'dropped';
    this.#dropped.push({ content, before: this.#lastPin });
    this.#reclaim();
  }

  #reclaim(): void {
    const oldest = Math.min(...this.#pins);
    const isFree = ({ before }: { before: number }) => before < oldest;
    for (const { content } of this.#dropped.filter(isFree)) this.remove(content);
    this.#dropped = this.#dropped.filter(dropped => !isFree(dropped));
  }
}

class MemoryWriter implements ContentWriter {
  readonly id: string;
  readonly #store: MemoryContentStore;
  readonly #space: Space;
  readonly #content: MemoryContent;
  readonly #sum = new Crc64();
  #failure: unknown;

  constructor(store: MemoryContentStore, space: Space, content: MemoryContent) {
    this.id = content.id;
    this.#store = store;
    this.#space = space;
    this.#content = content;
  }

  async write(piece: Buffer): Promise<void> {
    this.#assertOpen();
    try {
      this.#store.add(this.#content, piece);
      this.#sum.update(piece);
    } catch (error) {
      this.#failure = error;
      this.#store.remove(this.#content);
      throw error;
    }
  }

  async finish(): Promise<Buffer> {
    this.#assertOpen();
    this.#content.state = 'finished';
    return this.#sum.digest();
  }

  release(): void {
    this.#store.release(this.#space, this.#content);
  }

  async discard(): Promise<void> {
    this.#store.remove(this.#content);
  }

  #assertOpen(): void {
    this.#store.assertOpen();
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#content.state !== 'open') throw ended(this.id);
  }
}

const missing = (id: string): StoreError =>
  new StoreError('corrupt', `The content ${id} is missing, or shorter than it was.`);

const ended = (id: string): StoreError =>
  new StoreError('closed', `The content ${id} is not written to any more.`);
