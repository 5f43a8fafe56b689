// A dump's journal entries other than shards: the policies of its tables, that all rows are read, and contents.
import type { ContentEntry } from '../contents/content-journal.js';
import type { Journal } from '../run/journal.js';
import { type ShardEntry, ShardState } from '../run/shard-state.js';
import type { Policy } from '../source/policies.js';
import type { Checkpoint, PartEnd } from './part.js';

export type DumpEntry =
  | ContentEntry
  | ShardEntry<Checkpoint, PartEnd>
  | { readonly kind: 'policies'; readonly table: string; readonly policies: readonly Policy[] | null }
  /** All parts are complete; they may have their final names already. */
  | { readonly kind: 'read' };

/** The state of a dump: from its journal, and then of the resumed run. */
export class DumpState extends ShardState<Checkpoint, PartEnd> {
  isRead = false;
  readonly policies = new Map<string, readonly Policy[] | null>();

  constructor({ entries }: Pick<Journal<DumpEntry>, 'entries'>) {
    super();
    for (const entry of entries) {
      if (!('kind' in entry)) continue;
      if (entry.kind === 'policies') this.policies.set(entry.table, entry.policies);
      else if (entry.kind === 'read') this.isRead = true;
      else this.take(entry);
    }
  }
}
