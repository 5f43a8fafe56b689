// The content contract: immutable bytes beside the rows, for values that are too large to pass the commits of rows. An engine that has it
// says so in `Engine.content`. A content belongs to a space, and is there for readers once a committed row names it; which rows do is its
// domain's to know. store.ts has the laws of the rows.
//
// Laws, proved by the content conformance suite:
// 1. What `finish` answered survives what an answered commit survives.
// 2. A content that was finished never changes, and is whole or gone: a read that has begun ends with the bytes that were written, also
//    when the content is dropped meanwhile, or fails.
// 3. Contents of a dropped space are reclaimed with its rows.
// 4. What was begun and never finished is gone after the next open of the store, at the latest.
import type { Space } from './store.js';

/** Writes one content. Its methods are called one after the other. */
export interface ContentWriter {
  /** Unlike any other in the store, for all time; letters and digits, at most 40. */
  readonly id: string;
  /** Resolves when the store can take more. The piece may be used again then. Fails with `full`. */
  write(piece: Buffer): Promise<void>;
  /** Resolves once all of it is durable. */
  finish(): Promise<void>;
  /** To be called once the row that names it is committed, or never will be: until then `list` leaves it out. */
  release(): void;
  /** Gives it up, whether it was finished or not. */
  discard(): Promise<void>;
}

export interface ListedContent {
  readonly id: string;
  /** The bytes that it takes. */
  readonly bytes: number;
}

export interface ContentStore {
  /** Begins a content of the space. */
  create(space: Space): Promise<ContentWriter>;
  /**
   * Reads the bytes from `from` until `until`, in pieces that nobody changes afterwards, as fast as they are taken. Fails with `corrupt`
   * where they are not there.
   */
  read(space: Space, id: string, from: number, until: number): AsyncIterable<Buffer>;
  /** Harmless for one that is gone. */
  drop(space: Space, id: string): Promise<void>;
  /** What is finished and released, of living writers of any process: what no row names of it may be dropped. */
  list(space: Space): AsyncIterable<ListedContent>;
}
