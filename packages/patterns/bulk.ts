// Many rows, as `shelfmark-patterns/bulk`: bulk writes, bulk deletes, and moves of rows to new buckets. A separate entry, because most programs that run in a browser
// write rows one by one.

import type { AnyEntity } from './model/definition.js';
import type { Rebucketing } from './model/keys/key-codec.js';
import { BatchWriter, type WriterOptions } from './repo/bulk/batch-writer.js';
import type { RowChange } from './repo/bulk/change.js';
import {
  type DeletableRows,
  type DeleteProgress,
  type DeleteRowsOptions,
  deletePages,
} from './repo/bulk/delete-rows.js';
import { moveRows, type RebucketOptions, type RebucketProgress } from './repo/bulk/rebucket.js';
import type { WriteReport } from './repo/bulk/write-load.js';
import { Db } from './repo/open.js';
import { rebucketingReads } from './repo/read/rebucketing-reads.js';
import { refuseBatch, refuseRange, writeRebucketing } from './repo/write/rebucketing-writes.js';
import type { RepoOptions } from './repo/write/repo.js';

export { change, type RowChange } from './repo/bulk/change.js';
export type { DeleteProgress } from './repo/bulk/delete-rows.js';
export type { RebucketProgress } from './repo/bulk/rebucket.js';
export type { WriteReport } from './repo/bulk/write-load.js';

/**
 * Does any number of changes, in batches by partition, and reports the outcome of each. It advances as the caller consumes reports. If the source throws, the changes that it gave before are
 * done and reported, and then the error is thrown.
 */
export const writeAll = (
  db: Db,
  changes: Iterable<RowChange> | AsyncIterable<RowChange>,
  options: WriterOptions = {},
): AsyncGenerator<WriteReport, void, undefined> =>
  new BatchWriter(Db.serviceOf(db), changes, options).reports();

/** Deletes the rows that a query returns. It advances as the caller consumes progress. */
export const deleteRows = (
  db: Db,
  rows: DeletableRows,
  options: DeleteRowsOptions,
): AsyncGenerator<DeleteProgress, void, undefined> => deletePages(Db.serviceOf(db), rows, options);

/** Earlier numbers of buckets, for `codec.hash(16, rebucketing(4))`: rows are still found and written there, until `rebucket` has moved them. */
export const rebucketing = (...also: readonly [number, ...number[]]): Rebucketing => ({
  also,
  reads: rebucketingReads,
  writes: writeRebucketing,
  refuseBatch,
  refuseRange,
});

/**
 * Moves an entity's rows to their buckets after a change of the number of buckets: `codec.hash(16, rebucketing(4))`. It advances as the caller consumes progress. Programs may read and write
 * during the move; when it has ended, the definition no longer needs the earlier number.
 */
export function rebucket<E extends AnyEntity>(
  db: Db,
  entity: E,
  { table, ...options }: RebucketOptions & Pick<RepoOptions, 'table'> = {},
): AsyncGenerator<RebucketProgress, void, undefined> {
  const rows = db.repo(entity, { table }).scan().allowScan('rebucketing');
  return moveRows(Db.serviceOf(db), entity, rows, options);
}
