// The entries of a journal about queues and containers; those of tables (run/shard-state.ts) have a `kind`.
import type { ContainerRecord } from '../blobs/blob-record.js';
import type { Journal } from '../run/journal.js';
import type { SpaceRecord } from '../source/space.js';
import type { TakeStep } from './taken-queue.js';

/** What an account had when the run began. */
interface ListsEntry {
  readonly containers: readonly ContainerRecord[] | undefined;
  readonly queues: readonly SpaceRecord[] | undefined;
}

type ContainerEntry =
  /** All blobs before `next` are done or reported, with the state of their place; null after the last. */
  | { readonly container: string; readonly next: string | null; readonly state: unknown }
  /** A blob of the page at the last `next` is done, with what its place keeps of it. */
  | { readonly container: string; readonly blob: string; readonly kept: unknown };

/** Messages that were read. */
type TakeEntry = TakeStep & { readonly queue: string };

/** Messages that were written. */
type PutEntry =
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

export type ContentEntry = { readonly lists: ListsEntry } | ContainerEntry | TakeEntry | PutEntry;

export interface ContentCounts {
  readonly blobs: number;
  readonly messages: number;
  readonly conflicts: number;
  readonly refused: number;
  /** Blobs that a mirror deleted. */
  readonly deleted: number;
}

export const NO_COUNTS: ContentCounts = { blobs: 0, messages: 0, conflicts: 0, refused: 0, deleted: 0 };

export const addCounts = (one: ContentCounts, more: Partial<ContentCounts>): ContentCounts => ({
  blobs: one.blobs + (more.blobs ?? 0),
  messages: one.messages + (more.messages ?? 0),
  conflicts: one.conflicts + (more.conflicts ?? 0),
  refused: one.refused + (more.refused ?? 0),
  deleted: one.deleted + (more.deleted ?? 0),
});

export interface ContentJournal {
  readonly entries: readonly ContentEntry[];
  append(entry: ContentEntry): void;
}

const isContentEntry = <Entry extends object>(entry: Entry | ContentEntry): entry is ContentEntry =>
  !('kind' in entry);

/** The part of a run's journal about contents. */
export const contentsIn = <Entry extends object>(journal: Journal<Entry | ContentEntry>): ContentJournal => ({
  entries: journal.entries.filter(entry => isContentEntry(entry)),
  append: entry => journal.append(entry),
});
