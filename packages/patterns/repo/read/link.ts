// Links between entities: from an entity's values to the keys of one row, or to a partition with many. The keys are typed, so a link to keys of the
// wrong type does not compile. A missing row is undefined; the program decides whether that is an error.
import type { CallOptions } from '../../concurrency/abort.js';
import { allInOrder, inOrder } from '../../concurrency/in-order.js';
import type { AnyEntity, KeyOf, Of, PartitionOf, RowLead } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import type { Query } from './query.js';
import type { ManyOptions, Reads } from './reads.js';
import { POINT_CONCURRENCY } from './table-query.js';

/** What gives the reads of an entity. */
export interface ReadsByEntity {
  repo<E extends AnyEntity>(entity: E): Pick<Reads<E>, 'get' | 'getMany' | 'partition'>;
}

/** From a row to one other. */
export interface Link<A extends AnyEntity, B extends AnyEntity> {
  readonly from: A;
  readonly to: B;
  /** The keys that the value leads to; undefined if it leads nowhere. */
  keyOf(value: Of<A>): KeyOf<B> | undefined;
  load(db: ReadsByEntity, from: StoredOf<A>, options?: CallOptions): Promise<StoredOf<B> | undefined>;
  /** For each, in order. A row that several lead to is read once. */
  loadAll(
    db: ReadsByEntity,
    from: Iterable<StoredOf<A>>,
    options?: ManyOptions,
  ): Promise<readonly (StoredOf<B> | undefined)[]>;
  /** Each with what it leads to, in order, as they come. */
  follow(
    db: ReadsByEntity,
    from: Iterable<StoredOf<A>> | AsyncIterable<StoredOf<A>>,
    options?: ManyOptions,
  ): AsyncGenerator<readonly [StoredOf<A>, StoredOf<B> | undefined], void, undefined>;
}

/** A link to one row: `link(Employee, Department, e => ({ id: e.departmentId }))`. */
export function link<A extends AnyEntity, B extends AnyEntity>(
  from: A,
  to: B,
  keyOf: NoInfer<(value: Of<A>) => KeyOf<B> | undefined>,
): Link<A, B> {
  const load: Link<A, B>['load'] = async (db, { value }, options = {}) => {
    const key = keyOf(value);
    return key === undefined ? undefined : db.repo(to).get(key, options);
  };
  return {
    from,
    to,
    keyOf,
    load,
    loadAll: async (db, rows, options = {}) => {
      const keys = [...rows].map(({ value }) => keyOf(value));
      const found = await db.repo(to).getMany(
        keys.filter(key => key !== undefined),
        options,
      );
      let at = 0;
      return keys.map(key => (key === undefined ? undefined : found[at++]));
    },
    follow: (db, rows, { concurrency = POINT_CONCURRENCY, signal } = {}) =>
      inOrder(rows, { concurrency, signal }, async (row, each) => [
        row,
        await load(db, row, { signal: each }),
      ]),
  };
}

/** Where the many are: a partition, and in it the rows that begin with some parts. */
interface LinkTarget<B extends AnyEntity> {
  readonly partition: PartitionOf<B>;
  readonly rows?: RowLead<B>;
}

/** From a row to many. */
export interface ManyLink<A extends AnyEntity, B extends AnyEntity> {
  readonly from: A;
  readonly to: B;
  targetOf(value: Of<A>): LinkTarget<B>;
  /** The query of the many. */
  query(db: ReadsByEntity, from: StoredOf<A>): Query<B, StoredOf<B>, 'range' | 'partition-scan'>;
  /** At most so many of each, for each, in order. */
  takeAll(
    db: ReadsByEntity,
    from: Iterable<StoredOf<A>>,
    count: number,
    options?: ManyOptions,
  ): Promise<readonly (readonly StoredOf<B>[])[]>;
}

/** A link to many rows: `linkMany(Department, Employee, d => ({ partition: { departmentId: d.id } }))`. */
export function linkMany<A extends AnyEntity, B extends AnyEntity>(
  from: A,
  to: B,
  targetOf: NoInfer<(value: Of<A>) => LinkTarget<B>>,
): ManyLink<A, B> {
  const query: ManyLink<A, B>['query'] = (db, { value }) => {
    const { partition, rows } = targetOf(value);
    const within = db.repo(to).partition(partition);
    return (rows === undefined ? within : within.rows(rows)) as Query<
      B,
      StoredOf<B>,
      'range' | 'partition-scan'
    >;
  };
  return {
    from,
    to,
    targetOf,
    query,
    takeAll: (db, rows, count, { concurrency = POINT_CONCURRENCY, signal } = {}) =>
      allInOrder(rows, { concurrency, signal }, (row, each) => query(db, row).take(count, { signal: each })),
  };
}
