// Changes of rows as values, for bulk writes: a batch writer takes them one after the other and reports the outcome of each.

import type { InTable } from '../../model/address.js';
import type { AnyEntity, NewOf } from '../../model/definition.js';
import type { PatchOf } from '../../model/patch.js';
import type { BareKey } from '../../model/stored.js';
import { type Deletable, OPERATIONS, type PatchInto, type Target } from '../write/operations.js';
import { type Subject, subjectOf } from '../write/plan-write.js';
import type { PlannedWrite, WriteResult } from '../write/planned-write.js';
import type { Service } from '../write/service.js';

/** Opaque: made by `change`, and done by a writer. */
export interface RowChange {
  /** Throws ValueInvalid, KeyInvalid, WrongEntity and TooLarge. */
  readonly plan: (service: Service) => PlannedWrite<WriteResult>;
}

/** In the table that is named, or else that of the row. */
const changed = <E extends AnyEntity>(
  entity: E,
  { table }: InTable,
  row: object,
  plan: (at: Subject<E>) => PlannedWrite<WriteResult>,
): RowChange => {
  const own = table ?? ('table' in row ? (row as InTable).table : undefined) ?? entity.table;
  return { plan: service => plan(subjectOf(service, entity, own)) };
};

/** One change of one row each, with the names and under the conditions of a repository's writes. */
export const change = {
  /** Inserts a row that must not exist. */
  create: <E extends AnyEntity>(entity: E, value: NewOf<E>, where: InTable = {}): RowChange =>
    changed(entity, where, {}, at => OPERATIONS.create(at, value)),
  /** Replaces a row under its ETag. */
  replace: <E extends AnyEntity>(
    entity: E,
    target: Target<E> | BareKey<E>,
    value: NewOf<E>,
    where: InTable = {},
  ): RowChange => changed(entity, where, target, at => OPERATIONS.replace(at, target as Target<E>, value)),
  /** Merges properties into a row under its ETag. */
  merge: <E extends AnyEntity, T extends Target<E>>(
    entity: E,
    target: T | BareKey<E>,
    patch: PatchInto<E, T>,
    where: InTable = {},
  ): RowChange =>
    changed(entity, where, target, at => OPERATIONS.merge(at, target as T, patch as PatchOf<E>)),
  /** Insert Or Replace, without a condition. */
  upsert: <E extends AnyEntity>(entity: E, value: NewOf<E>, where: InTable = {}): RowChange =>
    changed(entity, where, {}, at => OPERATIONS.upsert(at, value)),
  /** Insert Or Merge, without a condition. */
  upsertMerge: <E extends AnyEntity>(entity: E, value: NewOf<E>, where: InTable = {}): RowChange =>
    changed(entity, where, {}, at => OPERATIONS.upsertMerge(at, value)),
  /** Deletes a row under its ETag. */
  delete: <E extends AnyEntity>(
    entity: E,
    target: Deletable<E> | BareKey<E>,
    where: InTable = {},
  ): RowChange => changed(entity, where, target, at => OPERATIONS.delete(at, target as Deletable<E>)),
  /** The same, and that there is no row is no failure. */
  deleteIfExists: <E extends AnyEntity>(
    entity: E,
    target: Deletable<E> | BareKey<E>,
    where: InTable = {},
  ): RowChange => changed(entity, where, target, at => OPERATIONS.deleteIfExists(at, target as Deletable<E>)),
} as const;
