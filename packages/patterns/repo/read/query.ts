// Typed queries over one entity. The cost class of a query is part of its type: a table scan has no results until it is allowed by name. A query is a
// value and sends nothing until results are asked for.

import type { CallOptions } from '../../concurrency/abort.js';
import { decodeEntity, decodeProjected, wireSelect } from '../../model/decode-entity.js';
import type { AnyEntity, KeyOf, Of } from '../../model/definition.js';
import type { QueryClass } from '../../model/filter/classify.js';
import { allOf, type Condition } from '../../model/filter/condition.js';
import { checkReason, type Plan, type RowQuery, rowQuery } from '../../model/filter/plan.js';
import { built, type Clause, type Fields, fieldsOf } from '../../model/filter/where.js';
import type { Projected, StoredOf } from '../../model/stored.js';
import { PatternError, type Refused, refuseValue } from '../../values/pattern-error.js';
import type { Flat } from '../../values/property.js';
import type { WireObject } from '../../values/read-wire.js';
import type { MergeQuery } from './merge.js';
import type { Page, PageOptions, Results, StreamOptions } from './results.js';
import { handleUnreadable, type QuerySettings, TableQuery, type UnreadablePolicy } from './table-query.js';

/** The classes that a query has by how it is made; its filter may make it cheaper, never more expensive. */
type StaticClass = Extract<QueryClass, 'point' | 'range' | 'partition-scan' | 'table-scan'>;

/** Rows that are selected of an entity: always with what its keys are made of. */
export type Selected<E extends AnyEntity, K extends keyof Of<E>> = Projected<
  Flat<Pick<Of<E>, K | (keyof KeyOf<E> & keyof Of<E>)>>,
  E['name']
>;

/** A filter makes a range a scan of it. */
export type Filtered<C extends StaticClass> = C extends 'range' ? 'partition-scan' : C;

interface Refined<E extends AnyEntity, R, C extends StaticClass> {
  /** Narrows it. A second one narrows it further. */
  where(build: (fields: Fields<E>) => Clause): Query<E, R, Filtered<C>>;
  /** Asks for these properties alone, and those of the keys. */
  select<K extends keyof Of<E> & string>(...names: readonly K[]): Query<E, Selected<E, K>, C>;
  /** What becomes of rows that the entity cannot read, in place of what the options of all queries say. */
  onUnreadable(policy: UnreadablePolicy): Query<E, R, C>;
  /** What would be sent, and what the service would have to do. Sends nothing. */
  explain(): Plan;
}

/** For the compiler only: what a scan does not have before it is allowed. */
export type Scanning = {
  readonly [K in
    | 'take'
    | 'first'
    | 'page'
    | 'pages'
    | 'stream']: Refused<'A scan reads many partitions, and has results only behind allowScan(reason)'>;
};

/** A query that reads many partitions. */
interface TableScan<R> extends Scanning {
  /** Its results. The reason is for readers of the program, and for `warn`. */
  allowScan(reason: string): Results<R>;
}

/** A query of an entity's rows. A table scan has results only after `allowScan`. */
export type Query<E extends AnyEntity, R, C extends StaticClass> = Refined<E, R, C> &
  (C extends 'table-scan' ? TableScan<R> : Results<R>);

/** What a query is, before it is one for the compiler. */
interface QuerySpec<E extends AnyEntity> {
  readonly entity: E;
  readonly settings: QuerySettings;
  /** Several while the number of buckets is being changed: one for each partition in which the rows may be, that of the current number first. */
  readonly conditions: readonly [Condition, ...Condition[]];
  readonly select: readonly string[] | undefined;
  readonly reason?: string | undefined;
}

/** A query of one partition among several. */
export type PartQuery<R> = MergeQuery<R> & Pick<TableQuery<R>, 'rowQuery' | 'settings'>;

/** What reads several partitions as one: rebucketing-reads.ts. */
export interface PartsReading {
  results<R>(parts: readonly PartQuery<R>[]): Results<R>;
  plan(plans: readonly Plan[]): Plan;
}

/** One class for queries of all kinds; `Query` types which of its methods a query has. */
export class EntityQuery<E extends AnyEntity, R> extends TableQuery<R> {
  readonly #spec: QuerySpec<E>;
  #made: RowQuery | undefined;

  constructor(spec: QuerySpec<E>) {
    super(spec.settings, spec.reason);
    this.#spec = spec;
  }

  where(build: (fields: Fields<E>) => Clause): EntityQuery<E, R> {
    return this.narrowed(built(build, fieldsOf(this.#spec.entity)));
  }

  /** The same query of the rows that also meet this. `isReported`: without `warn`. */
  narrowed(further: Condition, isReported = false): EntityQuery<E, R> {
    const [first, ...others] = this.#spec.conditions;
    const narrow = (condition: Condition): Condition => allOf([condition, further]);
    const settings = isReported ? { ...this.settings, warn: undefined } : this.settings;
    return this.#with({ conditions: [narrow(first), ...others.map(narrow)], settings });
  }

  select<K extends keyof Of<E> & string>(...names: readonly K[]): EntityQuery<E, Selected<E, K>> {
    const { name, plan } = this.#spec.entity;
    const stranger = names.find(each => !plan.byName.has(each));
    if (stranger !== undefined) refuseValue(stranger, `a property of ${name}`, 'it is not');
    const inKeys = plan.fields.filter(({ inKey }) => inKey).map(each => each.name);
    return this.#with({ select: [...new Set([...inKeys, ...names])] });
  }

  onUnreadable(policy: UnreadablePolicy): EntityQuery<E, R> {
    return this.#with({ settings: { ...this.settings, onUnreadable: policy } });
  }

  allowScan(reason: string): EntityQuery<E, R> {
    return this.#with({ reason: checkReason(this.rowQuery, reason) });
  }

  /** Includes warnings about the entity's keys: a query of an append-only key competes with every write. */
  override explain(): Plan {
    if (this.#reading) return this.#reading.plan(this.parts.map(part => part.explain()));
    const plan = super.explain();
    return { ...plan, warnings: [...plan.warnings, ...this.#spec.entity.plan.warnings] };
  }

  override get rowQuery(): RowQuery {
    const { entity, settings, conditions, select } = this.#spec;
    const wire = select && wireSelect(entity, select);
    this.#made ??= rowQuery(settings.table ?? entity.table, conditions[0], wire);
    return this.#made;
  }

  /** A query of each partition. */
  get parts(): readonly EntityQuery<E, R>[] {
    const { conditions } = this.#spec;
    return conditions.length === 1 ? [this] : conditions.map(each => this.#with({ conditions: [each] }));
  }

  override pages(options?: PageOptions): AsyncGenerator<Page<R>, void, undefined> {
    return this.#reading?.results(this.parts).pages(options) ?? super.pages(options);
  }

  override take(count: number, options?: CallOptions): Promise<readonly R[]> {
    return this.#reading?.results(this.parts).take(count, options) ?? super.take(count, options);
  }

  override stream(options?: StreamOptions): AsyncGenerator<R, void, undefined> {
    return this.#reading?.results(this.parts).stream(options) ?? super.stream(options);
  }

  get #reading(): PartsReading | undefined {
    const { entity, conditions } = this.#spec;
    return conditions.length === 1 ? undefined : (entity.plan.rebucketing?.reads as PartsReading);
  }

  protected override get shape(): string {
    const { name, version } = this.#spec.entity;
    return `${name}.${version}`;
  }

  /** Rows of other entities are none of its results. */
  protected override decode(row: WireObject): R | undefined {
    const { entity, select } = this.#spec;
    const { table, onDrift, onUnreadable = 'throw' } = this.settings;
    const options = { table, onDrift };
    try {
      const found: StoredOf<E> | Projected<unknown> =
        select === undefined
          ? decodeEntity(entity, row, options)
          : decodeProjected(entity, row, select as readonly (keyof Of<E> & string)[], options);
      return found as R;
    } catch (thrown) {
      if (!PatternError.is(thrown)) throw thrown;
      if (thrown.code !== 'WrongEntity')
        handleUnreadable(onUnreadable, entity, row, table ?? entity.table, thrown);
      return undefined;
    }
  }

  #with<S>(more: Partial<QuerySpec<E>>): EntityQuery<E, S> {
    return new EntityQuery({ ...this.#spec, ...more });
  }
}
