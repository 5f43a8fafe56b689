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
  /** This many messages are put or reported; undefined before the first. */
  | { readonly queue: string; readonly messages?: number; readonly counts: ContentCounts }
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

/** The part of a run's journal about contents. Entries are kept by name: each of many containers looks for its own. */
export class ContentJournal {
  /** Whether an earlier process of the run left entries. */
  readonly isResumed: boolean;
  readonly lists: ListsEntry | undefined;
  readonly #containers = new Map<string, ContainerEntry[]>();
  readonly #taken = new Map<string, TakeEntry[]>();
  readonly #put = new Map<string, PutEntry[]>();
  readonly append: (entry: ContentEntry) => void;

  constructor(entries: readonly ContentEntry[], append: (entry: ContentEntry) => void) {
    this.isResumed = entries.length > 0;
    this.append = append;
    for (const entry of entries)
      if ('lists' in entry) this.lists ??= entry.lists;
      else if ('container' in entry) addTo(this.#containers, entry.container, entry);
      else if ('step' in entry) addTo(this.#taken, entry.queue, entry);
      else addTo(this.#put, entry.queue, entry);
  }

  container(name: string): readonly ContainerEntry[] {
    return this.#containers.get(name) ?? [];
  }

  taken(queue: string): readonly TakeStep[] {
    return this.#taken.get(queue) ?? [];
  }

  put(queue: string): readonly PutEntry[] {
    return this.#put.get(queue) ?? [];
  }
}

function addTo<Entry>(byName: Map<string, Entry[]>, name: string, entry: Entry): void {
  const entries = byName.get(name);
  if (entries === undefined) byName.set(name, [entry]);
  else entries.push(entry);
}

const isContentEntry = <Entry extends object>(entry: Entry | ContentEntry): entry is ContentEntry =>
  !('kind' in entry);

export const contentsIn = <Entry extends object>(journal: Journal<Entry | ContentEntry>): ContentJournal =>
  new ContentJournal(
    journal.entries.filter(entry => isContentEntry(entry)),
    entry => journal.append(entry),
  );
