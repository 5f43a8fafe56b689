// A partition of an entity, where queries begin: one row, rows by leading parts of their keys, the latest, or all.

import type { CallOptions } from '../../concurrency/abort.js';
import type { AnyEntity, NameList, RowLead, RowOf } from '../../model/definition.js';
import { allOf, anyOf, type Condition, keyCondition } from '../../model/filter/condition.js';
import type { CompiledKey, KeyRange, PartBounds } from '../../model/keys/compiled-key.js';
import type { DescendingNames } from '../../model/keys/key.js';
import type { StoredOf } from '../../model/stored.js';
import { refuseKey } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { EntityQuery, type Query } from './query.js';
import type { QuerySettings } from './table-query.js';

/** Bounds of the part that comes after those that are given: `{ year: { ge: 2010, lt: 2013 } }`. */
export type RowBounds<E extends AnyEntity> = {
  readonly [K in keyof RowOf<E>]?: PartBounds<RowOf<E>[K]>;
};

/** The first part of a row key that is not given. */
type NextPart<N extends readonly unknown[], L> = N extends [infer H extends PropertyKey, ...infer R]
  ? H extends keyof L
    ? undefined extends L[H]
      ? H
      : NextPart<R, L>
    : H
  : never;

/** Bounds of the part that comes after those which `L` has, and of no other. */
export type BoundsAfter<E extends AnyEntity, L> = Pick<
  RowBounds<E>,
  NextPart<NameList<E['row']['parts']>, L> & keyof RowOf<E>
>;

/** What a partition has whose row key has reversed time. */
interface LogTail<E extends AnyEntity> {
  /** The last so many that were written, newest first: of a row key that has reversed time (`codec.timeDesc`) behind the parts of `lead`. */
  latest(count: number, options?: LatestOptions<E>): Promise<readonly StoredOf<E>[]>;
}

/** Which rows `latest` takes. */
export interface LatestOptions<E extends AnyEntity> extends CallOptions {
  /** Parts of the row key that stand before its time. */
  readonly lead?: RowLead<E>;
}

/** The queries of one partition. It is itself the query of all of the entity's rows in it. */
export type PartitionQuery<E extends AnyEntity> = Query<E, StoredOf<E>, 'partition-scan'> & {
  readonly partitionKey: string;
  /** The row of these keys. */
  row(key: RowOf<E>): Query<E, StoredOf<E>, 'point'>;
  /** The rows whose keys begin with these parts, and of these the ones whose next part is in bounds. */
  rows<const L extends RowLead<E>>(lead: L, bounds?: BoundsAfter<E, L>): Query<E, StoredOf<E>, 'range'>;
} & ([DescendingNames<E['row']['parts']>] extends [never] ? unknown : LogTail<E>);

/** The first part that is not given. That those before it are, the key checks. */
function nextPart({ names, subject }: CompiledKey, lead: Values): string | undefined {
  const wrong = Object.keys(lead).find(name => lead[name] !== undefined && !names.includes(name));
  if (wrong !== undefined) refuseKey(wrong, `is not a part of ${subject}`);
  return names.find(name => lead[name] === undefined);
}

/** Several while the number of buckets is being changed, that of the current number first. */
type PartitionKeys = readonly [string, ...string[]];

/** The rows of these keys in one partition, in whichever it is. */
function specOf<E extends AnyEntity>(
  entity: E,
  settings: QuerySettings,
  [first, ...others]: PartitionKeys,
  [range, ...more]: readonly [KeyRange, ...KeyRange[]],
) {
  const rows = anyOf([keyCondition('RowKey', range), ...more.map(each => keyCondition('RowKey', each))]);
  const conditionOf = (eq: string): Condition => allOf([keyCondition('PartitionKey', { eq }), rows]);
  const conditions = [conditionOf(first), ...others.map(conditionOf)] as const;
  return { entity, settings, select: undefined, conditions };
}

export class EntityPartition<E extends AnyEntity> extends EntityQuery<E, StoredOf<E>> {
  readonly #entity: E;
  readonly #partitionKeys: PartitionKeys;

  constructor(entity: E, settings: QuerySettings, partitionKeys: PartitionKeys) {
    super(specOf(entity, settings, partitionKeys, [entity.plan.row.range({})]));
    this.#entity = entity;
    this.#partitionKeys = partitionKeys;
  }

  /** That of the current number of buckets. */
  get partitionKey(): string {
    return this.#partitionKeys[0];
  }

  row(key: RowOf<E>): EntityQuery<E, StoredOf<E>> {
    const [first = '', ...others] = this.#entity.plan.row.encodeAll(key);
    return this.#query({ eq: first }, ...others.map(eq => ({ eq })));
  }

  rows(lead: RowLead<E>, bounds: RowBounds<E> = {}): EntityQuery<E, StoredOf<E>> {
    const { row } = this.#entity.plan;
    const next = nextPart(row, lead);
    const given = Object.entries(bounds).filter(([, bound]) => bound !== undefined);
    const wrong = given.find(([name]) => name !== next);
    if (wrong !== undefined) refuseKey(wrong[0], `is not the next part of ${row.subject}`);
    for (const { name, codec } of row.bound)
      if ((lead as Values)[name] !== undefined) codec.rebucketing?.refuseRange(this.#entity.name, name);
    return this.#query(row.range(lead, (given[0]?.[1] ?? {}) as PartBounds));
  }

  async latest(
    count: number,
    { lead = {} as RowLead<E>, signal }: LatestOptions<E> = {},
  ): Promise<readonly StoredOf<E>[]> {
    const { name, plan, row } = this.#entity;
    const next = nextPart(plan.row, lead);
    const part = row.parts.find(each => typeof each !== 'string' && each.name === next);
    if (typeof part !== 'object' || part.codec?.name !== 'timeDesc')
      refuseKey(next ?? name, `is not a reversed time in ${name}.row`);
    return this.rows(lead).take(count, { signal });
  }

  #query(...ranges: readonly [KeyRange, ...KeyRange[]]): EntityQuery<E, StoredOf<E>> {
    return new EntityQuery(specOf(this.#entity, this.settings, this.#partitionKeys, ranges));
  }
}
