// The options and counts of writing contents, and its journal entries.
import type { ToolContext } from '../run/context.js';
import type { Endpoint } from '../source/endpoint.js';

/** A journal entry about contents. */
export type ContentEntry =
  /** All blobs before this place are done or reported. */
  | { readonly container: string; readonly place: string; readonly counts: ContentCounts }
  /** A blob of the page at the last place is done. */
  | { readonly container: string; readonly blob: string }
  | { readonly container: string; readonly isDone: true; readonly counts: ContentCounts }
  /** Before the first message: the ids of existing ones, null if they are too many to be known. */
  | { readonly queue: string; readonly there: readonly string[] | null; readonly counts: ContentCounts }
  /** This many messages are put or reported; the last one was put with this id, or with an unknown one. */
  | {
      readonly queue: string;
      readonly messages: number;
      readonly id?: string | null;
      readonly counts: ContentCounts;
    }
  | { readonly queue: string; readonly isDone: true; readonly counts: ContentCounts };

export interface ContentCounts {
  readonly blobs: number;
  readonly messages: number;
  readonly conflicts: number;
  readonly refused: number;
}

export const NO_COUNTS: ContentCounts = { blobs: 0, messages: 0, conflicts: 0, refused: 0 };

export const addCounts = (one: ContentCounts, other: ContentCounts): ContentCounts => ({
  blobs: one.blobs + other.blobs,
  messages: one.messages + other.messages,
  conflicts: one.conflicts + other.conflicts,
  refused: one.refused + other.refused,
});

export interface ContentJournal {
  readonly entries: readonly ContentEntry[];
  append(entry: ContentEntry): void;
}

export interface WriteOptions {
  readonly context: ToolContext;
  readonly blobs: Endpoint | undefined;
  readonly queues: Endpoint | undefined;
  readonly mode: 'insert' | 'upsert' | 'merge' | 'skip';
  readonly journal: ContentJournal | undefined;
  /** Called with the names of all blobs of a container once they are written: to find what else the target has. */
  readonly onContainer?: (container: string, names: ReadonlySet<string>) => Promise<void>;
}
