// A dump's journal entries other than shards: the policies of its tables, and that its file has its name.
import type { ContainerRecord } from '../blobs/blob-record.js';
import type { TakeEntry } from '../contents/taken-queue.js';
import type { QueueRecord } from '../queues/queue-record.js';
import type { Journal } from '../run/journal.js';
import { type ShardEntry, ShardState } from '../run/shard-state.js';
import type { Policy } from '../source/policies.js';
import type { IndexedBlob } from './blob-index.js';
import type { Checkpoint } from './part.js';

export interface PartEnd {
  readonly rows: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** How much of a container's index is done. */
export interface IndexReached {
  readonly next: string;
  readonly bytes: number;
  readonly blobs: number;
  readonly blobBytes: number;
  readonly skipped: number;
  readonly isDone: boolean;
}

/** For containers: their names, how much of the index of one is done, and blobs of its current page. */
export type BlobEntry =
  | { readonly kind: 'containers'; readonly containers: readonly ContainerRecord[] }
  | {
      readonly kind: 'blobs';
      readonly container: string;
      readonly reached: IndexReached;
    }
  | { readonly kind: 'blob'; readonly container: string; readonly etag: string; readonly blob: IndexedBlob };

/** For queues: their names, and the state of one's messages. */
export type QueueEntry =
  | { readonly kind: 'queues'; readonly queues: readonly QueueRecord[] }
  | ({ readonly kind: 'messages' } & TakeEntry);

export type DumpEntry =
  | BlobEntry
  | QueueEntry
  | ShardEntry<Checkpoint, PartEnd>
  | { readonly kind: 'policies'; readonly table: string; readonly policies: readonly Policy[] | null }
  | { readonly kind: 'installed' };

const isBlobEntry = (entry: DumpEntry): entry is BlobEntry =>
  entry.kind === 'containers' || entry.kind === 'blobs' || entry.kind === 'blob';

const isQueueEntry = (entry: DumpEntry): entry is QueueEntry =>
  entry.kind === 'queues' || entry.kind === 'messages';

/** The state of a dump: from its journal, and then of the resumed run. */
export class DumpState extends ShardState<Checkpoint, PartEnd> {
  isInstalled = false;
  readonly policies = new Map<string, readonly Policy[] | null>();
  readonly blobEntries: BlobEntry[] = [];
  readonly queueEntries: QueueEntry[] = [];

  constructor({ entries }: Pick<Journal<DumpEntry>, 'entries'>) {
    super();
    for (const entry of entries) {
      if (entry.kind === 'policies') this.policies.set(entry.table, entry.policies);
      else if (entry.kind === 'installed') this.isInstalled = true;
      else if (isBlobEntry(entry)) this.blobEntries.push(entry);
      else if (isQueueEntry(entry)) this.queueEntries.push(entry);
      else this.take(entry);
    }
  }
}
