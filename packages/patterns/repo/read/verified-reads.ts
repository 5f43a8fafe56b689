// Reads by an index whose rows are in other partitions or in another table, and so may be stale: each hit is looked up in the entity's rows, and returned as the row is now. A hit that no longer matches is
// left out and reported. Rows that the index does not have yet are not found.

import type { CallOptions } from '../../concurrency/abort.js';
import { allInOrder } from '../../concurrency/in-order.js';
import type { AnyEntity, IndexPlan, KeyOf, PartitionOf, RowLead } from '../../model/definition.js';
import { evaluate, readerOf } from '../../model/filter/evaluate.js';
import type { Plan } from '../../model/filter/plan.js';
import { built, type Clause, type Fields, fieldsOf } from '../../model/filter/where.js';
import type { IndexEntity, RemoteIndexName } from '../../model/index-plan.js';
import { expectedIndexRow } from '../../model/index-row.js';
import type { StoredOf } from '../../model/stored.js';
import { readRow } from '../../values/read-wire.js';
import { wireText } from '../../values/wire-property.js';
import type { BoundsAfter, PartitionQuery } from './partition-query.js';
import type { EntityQuery } from './query.js';
import { type Page, type PageOptions, type Results, StreamedResults } from './results.js';
import { POINT_CONCURRENCY, type QuerySettings } from './table-query.js';

/** A hit of an index that its row no longer says. */
interface StaleHit<E extends AnyEntity, I extends RemoteIndexName<E>> {
  readonly hit: StoredOf<IndexEntity<E, I>>;
  /** The row as it is now; undefined if there is none. */
  readonly row: StoredOf<E> | undefined;
}

/** Called with hits that are left out. */
export interface VerifiedOptions<E extends AnyEntity, I extends RemoteIndexName<E>> {
  readonly onStale?: ((stale: StaleHit<E, I>) => void) | undefined;
}

/** A query by an index, of the entity's rows as they are. */
export interface VerifiedQuery<E extends AnyEntity, I extends RemoteIndexName<E>>
  extends Results<StoredOf<E>> {
  /** Narrows it by properties that the index's rows have. */
  where(build: (fields: Fields<IndexEntity<E, I>>) => Clause): VerifiedQuery<E, I>;
  /** Behind the requests of the index stands that for each hit's row. */
  explain(): Plan;
}

/** The queries of one partition of an index. It is itself the query of all of its rows. */
export interface VerifiedPartition<E extends AnyEntity, I extends RemoteIndexName<E>>
  extends VerifiedQuery<E, I> {
  /** The rows whose keys in the index begin with these parts, and of these the ones whose next part is in bounds. */
  rows<const L extends RowLead<IndexEntity<E, I>>>(
    lead: L,
    bounds?: BoundsAfter<IndexEntity<E, I>, L>,
  ): VerifiedQuery<E, I>;
}

/** What can be read by a remote index where the entity's rows as they are now are wanted. */
export interface VerifiedReads<E extends AnyEntity, I extends RemoteIndexName<E>> {
  /** The row that has this key in the index; undefined if there is none, or the index has not got it yet. */
  get(key: KeyOf<IndexEntity<E, I>>, options?: CallOptions): Promise<StoredOf<E> | undefined>;
  partition(key: PartitionOf<IndexEntity<E, I>>): VerifiedPartition<E, I>;
  /** All rows of the index. */
  scan(): { allowScan(reason: string): VerifiedQuery<E, I>; explain(): Plan };
}

/** What fresh reads are made of. */
interface Verifying<E extends AnyEntity, I extends RemoteIndexName<E>> extends VerifiedOptions<E, I> {
  readonly owner: E;
  readonly index: IndexPlan;
  readonly rows: { get(key: KeyOf<E>, options: CallOptions): Promise<StoredOf<E> | undefined> };
  /** Of the entity's rows. */
  readonly table: string;
  readonly settings: QuerySettings;
}

type Hit<E extends AnyEntity, I extends RemoteIndexName<E>> = StoredOf<IndexEntity<E, I>>;
type HitQuery<E extends AnyEntity, I extends RemoteIndexName<E>> = EntityQuery<IndexEntity<E, I>, Hit<E, I>>;

/** The row of a hit, if it still has this place in the index and matches the query; otherwise undefined, and the hit is reported. */
async function verified<E extends AnyEntity, I extends RemoteIndexName<E>>(
  { owner, index, rows, table, onStale }: Verifying<E, I>,
  hit: Hit<E, I>,
  query: HitQuery<E, I> | undefined,
  options: CallOptions,
): Promise<StoredOf<E> | undefined> {
  const row = await rows.get(hit.value as unknown as KeyOf<E>, options);
  const now = row && expectedIndexRow(owner, index, table, row.value);
  const isThere = now?.row.partitionKey === hit.partitionKey && now.row.rowKey === hit.rowKey;
  if (isThere && (query === undefined || meets(query, now.row))) return row;
  onStale?.({ hit, row });
  return undefined;
}

const meets = (
  { rowQuery }: Pick<HitQuery<AnyEntity, never>, 'rowQuery'>,
  row: Parameters<typeof wireText>[0],
): boolean => evaluate(rowQuery.condition, readerOf(readRow(wireText(row))));

class VerifiedResults<E extends AnyEntity, I extends RemoteIndexName<E>>
  extends StreamedResults<StoredOf<E>>
  implements VerifiedPartition<E, I>
{
  readonly #with: Verifying<E, I>;
  readonly #query: HitQuery<E, I>;

  constructor(verifying: Verifying<E, I>, query: HitQuery<E, I>) {
    super();
    this.#with = verifying;
    this.#query = query;
  }

  where(build: (fields: Fields<IndexEntity<E, I>>) => Clause): VerifiedQuery<E, I> {
    const entity = this.#with.index.entity as IndexEntity<E, I>;
    return new VerifiedResults(this.#with, this.#query.narrowed(built(build, fieldsOf(entity))));
  }

  rows(lead: never, bounds?: never): VerifiedQuery<E, I> {
    const partition = this.#query as unknown as PartitionQuery<IndexEntity<E, I>>;
    return new VerifiedResults(this.#with, partition.rows(lead, bounds) as unknown as HitQuery<E, I>);
  }

  explain(): Plan {
    return verifiedPlan(this.#with, this.#query.explain());
  }

  /** Skips pages that end up empty. */
  override async *pages(options: PageOptions = {}): AsyncGenerator<Page<StoredOf<E>>, void, undefined> {
    const { signal } = options;
    for await (const { items, next } of this.#query.pages(options)) {
      const { concurrency = POINT_CONCURRENCY } = this.#with.settings;
      const found = await allInOrder(items, { concurrency, signal }, (hit, each) =>
        verified(this.#with, hit, this.#query, { signal: each }),
      );
      const rows = found.filter(row => row !== undefined);
      if (rows.length > 0) yield { items: rows, next };
    }
  }
}

const verifiedPlan = <E extends AnyEntity, I extends RemoteIndexName<E>>(
  { table }: Verifying<E, I>,
  plan: Plan,
): Plan => ({ ...plan, requests: [...plan.requests, `GET ${table}(PartitionKey='…',RowKey='…')`] });

/** Reads of the index, of the kind that an entity's own rows have. */
interface IndexReads<X extends AnyEntity> {
  get(key: KeyOf<X>, options: CallOptions): Promise<StoredOf<X> | undefined>;
  partition(key: PartitionOf<X>): unknown;
  scan(): { allowScan(reason: string): unknown; explain(): Plan };
}

/** Reads of the entity's rows by what is read of the index. */
export function verifiedReads<E extends AnyEntity, I extends RemoteIndexName<E>>(
  verifying: Verifying<E, I>,
  hits: IndexReads<IndexEntity<E, I>>,
): VerifiedReads<E, I> {
  const fresh = (query: unknown): VerifiedResults<E, I> =>
    new VerifiedResults(verifying, query as HitQuery<E, I>);
  return {
    get: async (key, options = {}) => {
      const hit = await hits.get(key, options);
      return hit && verified(verifying, hit, undefined, options);
    },
    partition: key => fresh(hits.partition(key)),
    scan: () => {
      const scan = hits.scan();
      return {
        allowScan: reason => fresh(scan.allowScan(reason)),
        explain: () => verifiedPlan(verifying, scan.explain()),
      };
    },
  };
}
