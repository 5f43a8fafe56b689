// Shared access signatures by typed keys, as `shelfmark-patterns/sas`: tokens for the rows of a query, and the stored policies that revoke them. An entry of its own: only a service that issues tokens has the account's key.

import type { AnyEntity, PartitionOf } from './model/definition.js';
import type { PartBounds } from './model/keys/compiled-key.js';
import { partitionRows, type SasRows } from './sas/table-sas.js';

export { putPolicy, removePolicy } from './sas/policies.js';
export { type SasRows, tableSas } from './sas/table-sas.js';

/**
 * Partitions for `tableSas`: those whose keys begin with these parts, and of these the ones whose next part is in bounds. `partitions(db.repo(Review), {}, { department: { ge: 'A', lt: 'N' } })`. All of their rows, of whichever
 * entity.
 */
export const partitions = <E extends AnyEntity>(
  repo: { readonly entity: E; readonly table: string },
  lead: Partial<PartitionOf<E>> = {},
  bounds: { readonly [K in keyof PartitionOf<E>]?: PartBounds<PartitionOf<E>[K]> } = {},
): SasRows => partitionRows(repo, lead, bounds);
