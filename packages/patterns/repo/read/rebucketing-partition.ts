// A partition whose rows are in several, because the number of its buckets is being changed: the same query of each, merged to the results of one partition.

import type { AnyEntity, Of, RowLead, RowOf } from '../../model/definition.js';
import { QUERY_CLASSES } from '../../model/filter/classify.js';
import type { Plan } from '../../model/filter/plan.js';
import type { Clause, Fields } from '../../model/filter/where.js';
import type { StoredOf } from '../../model/stored.js';
import { MergedResults } from './fan-out.js';
import { mergeDistinct, type RowPosition } from './merge.js';
import type { EntityPartition, LatestOptions, PartitionQuery, RowBounds } from './partition-query.js';
import type { EntityQuery, Selected } from './query.js';
import { type Page, type PageOptions, StreamedResults } from './results.js';
import type { UnreadablePolicy } from './table-query.js';

/** The plans of all as one: as expensive as the most expensive of them. */
function joined(plans: readonly Plan[]): Plan {
  const [first, ...others] = plans as readonly [Plan, ...Plan[]];
  const worst = others.reduce(
    (a, b) => (QUERY_CLASSES.indexOf(b.class) > QUERY_CLASSES.indexOf(a.class) ? b : a),
    first,
  );
  return {
    ...worst,
    class: worst.class === 'point' ? 'points' : worst.class,
    filter: undefined,
    bounds: plans.flatMap(({ bounds }) => bounds),
    points: plans.flatMap(({ points }) => points),
    requests: plans.flatMap(({ requests }) => requests),
    warnings: [
      `The number of buckets is being changed: it asks ${plans.length} partitions.`,
      ...worst.warnings,
    ],
  };
}

/** One query of each of the partitions, that of the current number of buckets first. */
class RebucketingQuery<E extends AnyEntity, R extends RowPosition> extends StreamedResults<R> {
  /** A fan-out sends them separately. */
  readonly parts: readonly EntityQuery<E, R>[];

  constructor(parts: readonly EntityQuery<E, R>[]) {
    super();
    this.parts = parts;
  }

  where(build: (fields: Fields<E>) => Clause): RebucketingQuery<E, R> {
    return this.each(this.parts, part => part.where(build));
  }

  select<K extends keyof Of<E> & string>(...names: readonly K[]): RebucketingQuery<E, Selected<E, K>> {
    return this.each(this.parts, part => part.select(...names));
  }

  onUnreadable(policy: UnreadablePolicy): RebucketingQuery<E, R> {
    return this.each(this.parts, part => part.onUnreadable(policy));
  }

  explain(): Plan {
    return joined(this.parts.map(part => part.explain()));
  }

  /** A query made of each. */
  protected each<P, S extends RowPosition>(
    parts: readonly P[],
    make: (part: P) => EntityQuery<E, S>,
  ): RebucketingQuery<E, S> {
    return new RebucketingQuery(parts.map(make));
  }

  override pages(options?: PageOptions): AsyncGenerator<Page<R>, void, undefined> {
    return this.#merged().pages(options);
  }

  override stream(options?: Parameters<MergedResults<R>['stream']>[0]): AsyncGenerator<R, void, undefined> {
    return this.#merged().stream(options);
  }

  /** The order is that of row keys, so that any names of the parts will do. */
  #merged(): MergedResults<R> {
    const parts = this.parts.map((query, at) => ({ partitionKey: `${at}`, query }));
    return new MergedResults(parts, 'distinct', mergeDistinct);
  }
}

/** The queries of such a partition. */
class RebucketingPartition<E extends AnyEntity> extends RebucketingQuery<E, StoredOf<E>> {
  /** That of the current number of buckets. */
  readonly partitionKey: string;
  readonly #partitions: readonly EntityPartition<E>[];

  constructor(partitions: readonly EntityPartition<E>[]) {
    super(partitions);
    this.#partitions = partitions;
    this.partitionKey = partitions[0]?.partitionKey ?? '';
  }

  row(key: RowOf<E>): RebucketingQuery<E, StoredOf<E>> {
    return this.each(this.#partitions, partition => partition.row(key));
  }

  rows(lead: RowLead<E>, bounds: RowBounds<E> = {}): RebucketingQuery<E, StoredOf<E>> {
    return this.each(this.#partitions, partition => partition.rows(lead, bounds));
  }

  async latest(
    count: number,
    { lead = {} as RowLead<E>, signal }: LatestOptions<E> = {},
  ): Promise<readonly StoredOf<E>[]> {
    for (const partition of this.#partitions) partition.checkLatest(lead);
    return this.rows(lead).take(count, { signal });
  }
}

/** The queries of a partition whose rows are in these. */
export const rebucketingReads = <E extends AnyEntity>(
  partitions: readonly EntityPartition<E>[],
): PartitionQuery<E> => new RebucketingPartition(partitions) as unknown as PartitionQuery<E>;
