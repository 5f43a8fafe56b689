// Audits, as `shelfmark-patterns/audit`: whether all that follows from an entity's rows is in its table, and nothing else; its repair; and the making of an index over rows that are there.

import {
  AuditedRows,
  type AuditProgress,
  auditOf,
  conditionOf,
  type Derived,
} from './derived/audit/audit.js';
import { IndexRows, transactionRecords } from './derived/audit/index-rows.js';
import type { AuditOptions as Options } from './derived/audit/walk.js';
import { indexFlowName } from './derived/remote/remote.js';
import type { AnyEntity, IndexPlan, PartitionOf } from './model/definition.js';
import type { IndexName } from './model/index-plan.js';
import { indexNamed } from './model/index-row.js';
import { Db } from './repo/open.js';
import type { RepoOptions } from './repo/write/repo.js';

export type { AuditProgress, Finding } from './derived/audit/audit.js';

/** Options of an audit. */
interface AuditOptions<E extends AnyEntity> extends Options, Pick<RepoOptions, 'table'> {
  /** This partition alone; all of the table by default. */
  readonly partition?: PartitionOf<E> | undefined;
}

/** Options of a backfill or repair of one index. */
type RebuildOptions<E extends AnyEntity> = Omit<AuditOptions<E>, 'repair'>;

function audited<E extends AnyEntity>(
  db: Db,
  entity: E,
  work: 'audit' | 'backfill',
  indexes: readonly IndexPlan[],
  { table = entity.table, partition, ...options }: AuditOptions<E>,
): AsyncGenerator<AuditProgress<E>, void, undefined> {
  const rows = new AuditedRows(Db.serviceOf(db), options);
  const partitionKey = partition && entity.plan.partition.encode(partition);
  // A backfill writes missing rows, and finds no orphans.
  const isAudit = work === 'audit';
  const derived: Derived<E>[] = indexes.map(
    index => new IndexRows({ entity, index, table, partitionKey, findsOrphans: isAudit }, rows),
  );
  const condition = conditionOf(entity, partitionKey);
  const subject = [work, table, entity.name, condition, indexes.map(({ name }) => name)];
  const hasRemote = indexes.some(({ definition }) => definition.kind === 'remote');
  const queues = hasRemote ? [indexFlowName(entity).queue] : [];
  if (isAudit && entity.plan.remoteIndexes.some(({ unique }) => unique))
    derived.push(transactionRecords({ entity, table, partitionKey }, rows));
  return auditOf({ subject, entity, table, condition, derived, queues }, rows);
}

/**
 * Compares the rows of an entity with those of its indexes, page by page, as the caller consumes progress. Programs may read and write during the audit. With `repair` it writes missing and stale rows and
 * deletes orphans, each on condition that nothing else changed them. Records of transactions that were aborted long ago (option `keepAborted` of `open`) are orphans, too. For lists of the entity
 * use `auditLists` of `shelfmark-patterns/lists`; for copies in its rows, the `audit` of their definition (`shelfmark-patterns/copies`).
 */
export const audit = <E extends AnyEntity>(
  db: Db,
  entity: E,
  options: AuditOptions<E> = {},
): AsyncGenerator<AuditProgress<E>, void, undefined> =>
  audited(db, entity, 'audit', [...entity.plan.indexes, ...entity.plan.remoteIndexes], options);

/**
 * Makes the rows of an index that was added to an entity with rows: the first phase of an audit with repairs, of one index. Programs that write the entity's rows must keep the index already.
 */
export const backfill = <E extends AnyEntity>(
  db: Db,
  entity: E,
  index: IndexName<E>,
  options: RebuildOptions<E> = {},
): AsyncGenerator<AuditProgress<E>, void, undefined> =>
  audited(db, entity, 'backfill', [indexNamed(entity, index)], { ...options, repair: true });

/** An audit of one index with repairs: writes missing rows, fixes stale ones, and deletes orphans. Programs may read and write during the audit. */
export const rebuild = <E extends AnyEntity>(
  db: Db,
  entity: E,
  index: IndexName<E>,
  options: RebuildOptions<E> = {},
): AsyncGenerator<AuditProgress<E>, void, undefined> =>
  audited(db, entity, 'audit', [indexNamed(entity, index)], { ...options, repair: true });
