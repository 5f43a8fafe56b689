// The content contract: immutable bytes next to the rows, for values that are too large to pass the commits of rows. A
// content belongs to a space, and readers find it by a committed row that names it; its domain knows which rows do.
// store.ts has the laws of the rows.
//
// Laws, proved by the content conformance suite:
// 1. An acknowledged `finish` survives whatever an acknowledged commit survives.
// 2. A finished content never changes. A read in progress ends with the bytes that were written, even if the content is
//    dropped before it ends, or fails.
// 3. Contents of a dropped space are reclaimed like its rows, in the background and after a restart.
// 4. An unfinished content is gone when it is discarded or when the store is closed; what a killed process leaves
//    behind, finished or not, is listed from then on like any content that no row names.
// 5. A content that is dropped during a pin can be read until the pin is released.
// 6. A write for which there is no space fails with `full` and leaves nothing; others succeed when there is space
//    again.
import type { Space, Store } from './store.js';

/** Longest piece of a content that a read yields. */
export const CONTENT_PIECE_MAX = 256 * 1024;

/** Writes one content. Call its methods one after the other; after a failure nothing is left, and all of them fail. */
export interface ContentWriter {
  /** Unique in the store, for all time; letters and digits, at most 40. */
  readonly id: string;
  /** Resolves when the store can take more. The caller may change the piece then. */
  write(piece: Buffer): Promise<void>;
  /**
   * Resolves once all of it is durable, to the CRC-64 of its bytes (base/crc64.ts), so that callers can compare it with
   * what arrived.
   */
  finish(): Promise<Buffer>;
  /** Call after `finish`, once a committed row names the content: until then `list` leaves it out. */
  release(): void;
  /** Removes what was written, finished or not. Harmless after a failure, and when called twice. */
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
   * Reads the bytes from `from` until `until`, in pieces that never change, as fast as they are consumed. It has begun
   * when the first piece is there. Fails with `corrupt` if bytes are missing, including when the content was dropped:
   * the caller then reads the row again.
   */
  read(space: Space, id: string, from: number, until: number): AsyncIterable<Buffer>;
  /**
   * Call before reading a row that names several contents to be read one after the other: contents dropped from now on,
   * by any process, can be read until the pin is released.
   */
  pin(): ContentPin;
  /**
   * For removing rows that readers read after such a pin: true once no other process has a pin from before the call,
   * false if one is held for long.
   */
  unpinnedElsewhere(): Promise<boolean>;
  /** Call once no committed row names it any more. Harmless for one that is gone. */
  drop(space: Space, id: string): Promise<void>;
  /**
   * The finished and released contents, and what killed processes left: those that no row names then may be dropped. Of
   * several processes each lists its own and those of processes that have ended. Unordered; contents created or dropped
   * during the call may be missing.
   */
  list(space: Space): AsyncIterable<ListedContent>;
}

/** What a domain with large values builds on. */
export interface StoreWithContent extends Store {
  readonly content: ContentStore;
}
