// Audits, as `shelfmark-patterns/audit`: whether all that follows from an entity's rows is in its table, and nothing else; and its repair.

import { Audit, type AuditProgress, type AuditOptions as Options } from './audit/audit.js';
import { conditionOf, indexRows } from './audit/index-rows.js';
import type { AnyEntity, PartitionOf } from './model/entity.js';
import { Db } from './open.js';
import type { RepoOptions } from './write/repo.js';

export type { AuditProgress } from './audit/audit.js';
export type { Fault, Finding } from './audit/derived-rows.js';

/** What is audited, what becomes of findings, and where it goes on. */
export interface AuditOptions<E extends AnyEntity> extends Options, Pick<RepoOptions, 'table'> {
  /** This partition alone; all of the table by default. */
  readonly partition?: PartitionOf<E> | undefined;
}

/**
 * Compares the rows of an entity with those of its indexes, page by page: it goes on as progress is taken. Programs read and write meanwhile. With `repair` it writes what is missing or stale and deletes what
 * is an orphan, each on condition that nobody else did.
 */
export function audit<E extends AnyEntity>(
  db: Db,
  entity: E,
  { table = entity.table, partition, ...options }: AuditOptions<E> = {},
): AsyncGenerator<AuditProgress<E>, void, undefined> {
  const service = Db.serviceOf(db);
  const partitionKey = partition && entity.plan.partition.encode(partition);
  const derived = entity.plan.indexes.map(index => indexRows(service, entity, index, partitionKey));
  const condition = conditionOf(entity, partitionKey);
  return new Audit(service, { entity, table, condition, derived }, options).run();
}
