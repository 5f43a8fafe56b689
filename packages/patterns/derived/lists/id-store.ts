// The stores of an entity's lists: rows or blobs.

import type { CallOptions } from '../../concurrency/abort.js';
import type { InTable } from '../../model/address.js';
import type { Service } from '../../repo/write/service.js';
import type { Values } from '../../values/property.js';
import { BlobLists } from './blob-list.js';
import type { ListContention } from './contention.js';
import { type EntityList, tableOfList } from './entity-list.js';
import type { IdChanges } from './id-set.js';
import { ListRepo } from './list-repo.js';

/** Reads and changes the lists of one definition. */
export interface IdStore {
  ids(key: Values, options?: CallOptions): Promise<readonly string[]>;
  change(key: Values, changes: IdChanges, options?: CallOptions): Promise<void>;
  contention(): readonly ListContention[];
}

/** `table` is that of the entity's rows. */
export function storeOf(service: Service, list: EntityList, { table = list.owner.table }: InTable): IdStore {
  const { home, warn } = list;
  if (home.kind === 'blobs') return new BlobLists(service, home.list, { warn });
  const settings = { table: tableOfList(list, table), warn };
  return new ListRepo(service, home.list, settings) as unknown as IdStore;
}
