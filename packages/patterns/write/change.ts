// Changes of rows as values, for bulk writes: a batch writer takes them one after the other and reports the outcome of each.
import type { AnyEntity, KeyOf, Of, PatchOf } from '../model/entity.js';
import type { Projected, Stored } from '../model/stored.js';
import { type PlannedWrite, planDelete, planMerge, planNew, planReplace } from './plan-write.js';
import { newIdentity, type Service } from './service.js';

/** Opaque: made by `change`, and done by a writer. */
export interface RowChange {
  /** Throws ValueInvalid, KeyInvalid and TooLarge. */
  readonly plan: (service: Service) => PlannedWrite<Stored<unknown> | undefined>;
}

interface Elsewhere {
  /** Where the row stands, if not in the entity's table. */
  readonly table?: string | undefined;
}

/** One change of one row each, under the conditions of a repository's methods of the same names. */
export const change = {
  /** There is no such row yet. */
  create: <E extends AnyEntity>(entity: E, value: Of<E>, { table }: Elsewhere = {}): RowChange => ({
    plan: service => planNew('create', entity, value, newIdentity(service), table),
  }),
  replace: <E extends AnyEntity>(entity: E, stored: Stored<Of<E>>, value: Of<E>): RowChange => ({
    plan: service => planReplace(entity, stored, value, newIdentity(service)),
  }),
  merge: <E extends AnyEntity>(entity: E, stored: Stored<Of<E>>, patch: PatchOf<E>): RowChange => ({
    plan: service => planMerge(entity, stored, patch, newIdentity(service)),
  }),
  /** The row is as it was read, and goes. */
  delete: (stored: Stored<unknown> | Projected<unknown>): RowChange => ({
    plan: () => planDelete(stored, stored.etag),
  }),
  /** Unconditional changes. */
  overwrite: {
    /** Whatever row is there becomes this, or there is one. */
    put: <E extends AnyEntity>(entity: E, value: Of<E>, { table }: Elsewhere = {}): RowChange => ({
      plan: service => planNew('put', entity, value, newIdentity(service), table),
    }),
    /** Whatever row is there goes; that there is none is no failure. */
    delete: <E extends AnyEntity>(
      entity: E,
      key: KeyOf<E>,
      { table = entity.table }: Elsewhere = {},
    ): RowChange => ({
      plan: () => {
        const { partition, row } = entity.plan;
        return planDelete({ table, partitionKey: partition.encode(key), rowKey: row.encode(key) }, '*');
      },
    }),
  },
} as const;
