// The stores of an entity's lists: rows or blobs.

import type { CallOptions } from '../../concurrency/abort.js';
import type { InTable } from '../../model/address.js';
import type { Service } from '../../repo/write/service.js';
import type { Values } from '../../values/property.js';
import { BlobLists } from './blob-list.js';
import type { ListContention } from './contention.js';
import type { EntityList } from './entity-list.js';
import type { IdChanges } from './id-set.js';
import { ListRepo } from './list-repo.js';

/** Reads and changes the lists of one definition. */
export interface IdStore {
  ids(key: Values, options?: CallOptions): Promise<readonly string[]>;
  change(key: Values, changes: IdChanges, options?: CallOptions): Promise<void>;
  contention(): readonly ListContention[];
}

export function storeOf(
  service: Service,
  { home, where, owner, warn }: EntityList,
  { table }: InTable,
): IdStore {
  if (home.kind === 'blobs') return new BlobLists(service, home.list, { warn });
  const isBeside = where === 'same-partition' || home.list.table === owner.table;
  return new ListRepo(service, home.list, {
    table: isBeside ? table : undefined,
    warn,
  }) as unknown as IdStore;
}
