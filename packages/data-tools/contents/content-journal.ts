// The entries of a journal about queues and containers, one for each blob or message that is done: a resumed run lists
// everything again and leaves these out. Entries of tables (run/move-shards.ts) have a `kind`.
import type { Journal } from '../run/journal.js';
import type { TakeStep } from './taken-queue.js';

/** What came of a message; `begun` is before the first. */
export type MessageStep = 'begun' | 'put' | 'refused' | 'expired';

export type ContentEntry =
  /** A blob is done, with what its place keeps of it. */
  | { readonly container: string; readonly blob: string; readonly kept: unknown }
  /** Messages are read. */
  | (TakeStep & { readonly queue: string })
  /** A message is written. */
  | { readonly queue: string; readonly message: MessageStep };

/** The part of a run's journal about contents. Entries are kept by name: each of many containers looks for its own. */
export class ContentJournal {
  /** Whether an earlier process of the run left entries. */
  readonly isResumed: boolean;
  readonly #blobs = new Map<string, Map<string, unknown>>();
  readonly #taken = new Map<string, TakeStep[]>();
  readonly #messages = new Map<string, MessageStep[]>();
  readonly append: (entry: ContentEntry) => void;

  constructor(entries: readonly ContentEntry[], append: (entry: ContentEntry) => void) {
    this.isResumed = entries.length > 0;
    this.append = append;
    for (const entry of entries)
      if ('container' in entry)
        valueAt(this.#blobs, entry.container, () => new Map<string, unknown>()).set(entry.blob, entry.kept);
      else if ('step' in entry) valueAt(this.#taken, entry.queue, (): TakeStep[] => []).push(entry);
      else valueAt(this.#messages, entry.queue, (): MessageStep[] => []).push(entry.message);
  }

  /** By blob, what its place keeps of it. */
  blobs(container: string): ReadonlyMap<string, unknown> {
    return this.#blobs.get(container) ?? new Map();
  }

  taken(queue: string): readonly TakeStep[] {
    return this.#taken.get(queue) ?? [];
  }

  messages(queue: string): readonly MessageStep[] {
    return this.#messages.get(queue) ?? [];
  }
}

function valueAt<Value>(byName: Map<string, Value>, name: string, make: () => Value): Value {
  const value = byName.get(name) ?? make();
  byName.set(name, value);
  return value;
}

const isContentEntry = <Entry extends object>(entry: Entry | ContentEntry): entry is ContentEntry =>
  !('kind' in entry);

export const contentsIn = <Entry extends object>(journal: Journal<Entry | ContentEntry>): ContentJournal =>
  new ContentJournal(
    journal.entries.filter(entry => isContentEntry(entry)),
    entry => journal.append(entry),
  );
