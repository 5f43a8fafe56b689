// The content contract: immutable bytes beside the rows, for values that are too large to pass the commits of rows. A content belongs to a
// space, and readers find it by a committed row that names it; which rows do is known to its domain. store.ts has the laws of the rows.
//
// Laws, proved by the content conformance suite:
// 1. A content whose `finish` was answered survives what an answered commit survives.
// 2. A finished content never changes. A read that has begun ends with the bytes that were written, also when the content is dropped
//    meanwhile, or fails.
// 3. Contents of a dropped space are reclaimed like its rows, in the background and after a restart.
// 4. What was never finished is gone when it is discarded or when the store is closed; what a killed process leaves behind, finished or
//    not, is listed from then on like any content that no row names.
// 5. A content that is dropped while a pin is there can be read until the pin is released.
// 6. A write for which there is no space fails with `full` and leaves nothing; others succeed when there is space again.
import type { Space, Store } from './store.js';

/** Longest piece of a content that a read yields. */
export const CONTENT_PIECE_MAX = 256 * 1024;

/** Writes one content. Its methods are called one after the other; after a failure nothing is left, and all of them fail. */
export interface ContentWriter {
  /** Unlike any other in the store, for all time; letters and digits, at most 40. */
  readonly id: string;
  /** Resolves when the store can take more. The caller may change the piece then. */
  write(piece: Buffer): Promise<void>;
  /** Resolves once all of it is durable, to the CRC-64 of its bytes (base/crc64.ts): who wants to compare what came with what is stored need not sum it up again. */
  finish(): Promise<Buffer>;
  /** To be called after `finish`, once a committed row names the content: until then `list` leaves it out. */
  release(): void;
  /** Removes what was written, finished or not. Harmless after a failure, and when it was called before. */
  discard(): Promise<void>;
}

/** See `ContentStore.pin`. */
export interface ContentPin {
  /** Releasing twice is harmless. */
  release(): void;
}

export interface ListedContent {
  readonly id: string;
}

/** Methods fail only with a `StoreError`. */
export interface ContentStore {
  /** Begins a content of the space. */
  create(space: Space): Promise<ContentWriter>;
  /**
   * Reads the bytes from `from` until `until`, in pieces that nobody changes, as fast as they are taken. It has begun when the first
   * piece is there. Fails with `corrupt` where bytes are missing, so also if the content was dropped: its caller then reads the row again.
   */
  read(space: Space, id: string, from: number, until: number): AsyncIterable<Buffer>;
  /**
   * To be called before the row is read that names several contents to be read one after the other: those that are dropped from now
   * on, by any process, can be read until the pin is released.
   */
  pin(): ContentPin;
  /**
   * For rows that their readers go on to read after such a pin, and that one process would remove: true once no other process has a pin that was
   * there when it was called, false where one is held for long.
   */
  unpinnedElsewhere(): Promise<boolean>;
  /** To be called once no committed row names it any more. Harmless for one that is gone. */
  drop(space: Space, id: string): Promise<void>;
  /**
   * The finished and released contents, and what killed processes left: those that no row names then may be dropped. Of several
   * processes each lists its own and those of processes that have ended. In no order; what is created or dropped meanwhile may be missing.
   */
  list(space: Space): AsyncIterable<ListedContent>;
}

/** What a domain with large values builds on. */
export interface StoreWithContent extends Store {
  readonly content: ContentStore;
}
