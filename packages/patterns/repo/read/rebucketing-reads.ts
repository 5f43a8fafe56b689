// Reads a partition whose rows are in several, because the number of its buckets is being changed: the results of the same query of each, merged to those of one partition.

import { QUERY_CLASSES } from '../../model/filter/classify.js';
import type { Plan } from '../../model/filter/plan.js';
import { MergedResults } from './fan-out.js';
import { mergeMovable, type RowPosition } from './merge.js';
import type { PartQuery, PartsReading } from './query.js';
import type { Results } from './results.js';

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

/** The name of the merge in tokens. */
const ORDER = 'distinct';

/** The order is that of row keys, so that any names of the parts will do. */
function merged<R>(parts: readonly PartQuery<R>[]): Results<R> {
  const rows = parts as readonly PartQuery<R & RowPosition>[];
  const named = rows.map((query, at) => ({ partitionKey: `${at}`, query }));
  return new MergedResults(named, ORDER, mergeMovable);
}

export const rebucketingReads: PartsReading = { results: merged, plan: joined };
