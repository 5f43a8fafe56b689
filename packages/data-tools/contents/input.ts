// Queues and containers as what is written somewhere: of a dump, of a folder of Azurite's, or of another account.
import type { Blob, ContainerRecord } from '../blobs/blob-record.js';
import type { QueueContent } from '../queues/queue-record.js';

export interface InputPage {
  readonly blobs: readonly Blob[];
  /** Names and reasons of what is not taken. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** Where the next page begins, for who goes on later; undefined behind the last. */
  readonly next: string | undefined;
}

export interface InputContainer extends ContainerRecord {
  /** Undefined where it is not known before all are read. */
  readonly count: number | undefined;
  /** Pages by name from a place; from the start where it is ''. */
  readonly pages: (from: string) => AsyncIterable<InputPage>;
}

export interface ContentInput {
  /** Undefined where there are none by their nature, as in a file of one table. */
  readonly queues?: readonly QueueContent[] | undefined;
  readonly containers?: readonly InputContainer[] | undefined;
}
