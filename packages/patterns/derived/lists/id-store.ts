// The stores of an entity's lists: rows or blobs.

import type { Service } from '../../repo/write/service.js';
import type { ReadOptions } from '../../transport/table-requests.js';
import { BlobLists } from './blob-list.js';
import type { ListContention } from './contention.js';
import type { EntityList } from './entity-list.js';
import type { IdChanges } from './id-set.js';
import { ListRepo } from './list-repo.js';
import type { Values } from './list-rows.js';

/** Reads and changes the lists of one definition. */
export interface IdStore {
  ids(key: Values, options?: ReadOptions): Promise<readonly string[]>;
  change(key: Values, changes: IdChanges, options?: ReadOptions): Promise<void>;
  contention(): readonly ListContention[];
}

/** `table` is the table of the entity's rows: lists in its partitions are stored there, too. */
interface StoreOptions {
  readonly table?: string | undefined;
}

export function storeOf(
  service: Service,
  { home, where, owner, warn }: EntityList,
  { table }: StoreOptions,
): IdStore {
  if (home.kind === 'blobs') return new BlobLists(service, home.list, { warn });
  const isBeside = where === 'same-partition' || home.list.table === owner.table;
  return new ListRepo(service, home.list, {
    table: isBeside ? table : undefined,
    warn,
  }) as unknown as IdStore;
}
