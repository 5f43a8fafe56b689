// What a write of contents is asked, what it counts, and what of it stands in a journal.
import type { ToolContext } from '../run/context.js';
import type { Endpoint } from '../source/endpoint.js';

/** What a journal has of contents. */
export type ContentEntry =
  /** All blobs before this place are done or told. */
  | { readonly container: string; readonly place: string; readonly counts: ContentCounts }
  /** A blob of the page at the last place is done. */
  | { readonly container: string; readonly blob: string }
  | { readonly container: string; readonly isDone: true; readonly counts: ContentCounts }
  /** Before the first message: the ids of those that are there, null where they are too many to be known. */
  | { readonly queue: string; readonly there: readonly string[] | null; readonly counts: ContentCounts }
  /** So many messages are put or told; the last one was put with this id, or with one that is not known. */
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
  /** Called with the names of all blobs of a container when they are written: for what the target has besides. */
  readonly onContainer?: (container: string, names: ReadonlySet<string>) => Promise<void>;
}
