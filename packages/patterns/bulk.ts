// Many rows, as `shelfmark-patterns/bulk`: bulk writes, bulk deletes, and rows that move to new buckets. An entry of its own, because most programs that run in a browser
// write rows one by one.

import { BatchWriter, type WriterOptions } from './bulk/batch-writer.js';
import type { RowChange } from './bulk/change.js';
import {
  type DeletableRows,
  type DeleteProgress,
  type DeleteRowsOptions,
  deletePages,
} from './bulk/delete-rows.js';
import { moveRows, type RebucketOptions, type RebucketProgress } from './bulk/rebucket.js';
import type { WriteReport } from './bulk/write-load.js';
import type { AnyEntity } from './model/entity.js';
import { Db } from './open.js';
import type { RepoOptions } from './write/repo.js';

export type { WriterOptions } from './bulk/batch-writer.js';
export { change, type RowChange } from './bulk/change.js';
export type { DeletableRows, DeleteProgress, DeleteRowsOptions } from './bulk/delete-rows.js';
export type { RebucketOptions, RebucketProgress } from './bulk/rebucket.js';
export type { WriteReport } from './bulk/write-load.js';

/**
 * Does any number of changes, in batches by partition, and says of each what became of it. It goes on as reports are taken. If the source throws, what it gave before is
 * done and reported, and then the error is thrown.
 */
export const writeAll = (
  db: Db,
  changes: Iterable<RowChange> | AsyncIterable<RowChange>,
  options: WriterOptions = {},
): AsyncGenerator<WriteReport, void, undefined> =>
  new BatchWriter(Db.serviceOf(db), changes, options).reports();

/** Deletes what a query gives. It goes on as progress is taken. */
export const deleteRows = (
  db: Db,
  rows: DeletableRows,
  options: DeleteRowsOptions,
): AsyncGenerator<DeleteProgress, void, undefined> => deletePages(Db.serviceOf(db), rows, options);

/**
 * Moves an entity's rows to their buckets after the number of these was changed: `codec.hash(16, { also: [4] })`. It goes on as progress is taken. Programs read and write
 * meanwhile; when it has ended, the earlier number need not be named any more.
 */
export function rebucket<E extends AnyEntity>(
  db: Db,
  entity: E,
  { table, ...options }: RebucketOptions & Pick<RepoOptions, 'table'> = {},
): AsyncGenerator<RebucketProgress, void, undefined> {
  const rows = db.repo(entity, { table }).scan().allowScan('rebucketing');
  return moveRows(Db.serviceOf(db), entity, rows, options);
}
