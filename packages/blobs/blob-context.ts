// The context of the Blob service's operations.
import type { DeletionDelay } from '#account';
import type { Clock } from '#base';
import type { ContentStore, Store } from '#store';
import type { BackgroundWork } from './background-work.js';

/** The MD5 of one body, computed off the event loop. Must be ended or dropped. */
export interface OffThreadMd5 {
  /** A promise where the piece has to be waited for; afterwards it may change. */
  update(piece: Buffer): Promise<void> | undefined;
  end(): Promise<Buffer>;
  drop(): void;
}

/** Gives undefined where it has too much to do. */
export type OpenMd5 = () => OffThreadMd5 | undefined;

export interface BlobContext {
  readonly store: Store;
  /** Of the same engine. */
  readonly content: ContentStore;
  readonly account: string;
  /** Gives new GUIDs in lower case, which cannot be guessed. */
  readonly ids: () => string;
  readonly clock: Clock;
  /** One for all requests of a server. */
  readonly background: BackgroundWork;
  /** Its commits do not wait for the writer that has the blob to itself: it is that one. */
  readonly isAlone?: boolean | undefined;
  /** Absent where the event loop computes every MD5 itself. */
  readonly openMd5?: OpenMd5 | undefined;
  /** Absent where a deleted container's name is free at once. */
  readonly deletion?: DeletionDelay | undefined;
}
