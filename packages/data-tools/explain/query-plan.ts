// What a $filter makes the service do, in the words of the Table design guide: its class, the keys between which it
// reads, and advice. The pattern library has the parser and the classification; this file maps them to the guide's four
// classes and suggests cheaper filters.
import { explainFilter, type FilterPlan } from '#patterns/filters';
import { ToolError } from '../source/tool-error.js';

/** The guide's four kinds of query, cheapest first. */
export type PlanClass = 'point' | 'range' | 'partition-scan' | 'table-scan';

/** Comparisons that hold for every key that is read: `eq`, or `ge` or `gt` and `lt` or `le`. Empty for all keys. */
export type PlanBounds = FilterPlan['bounds'][number]['partition'];

export interface QueryPlan {
  readonly class: PlanClass;
  /** The rows that can match are in these; empty if nothing can match. */
  readonly bounds: readonly { readonly PartitionKey: PlanBounds; readonly RowKey: PlanBounds }[];
  readonly advice: readonly string[];
}

const ADVICE: Readonly<Record<PlanClass, string>> = {
  point: 'The cheapest query: one row, by both of its keys.',
  range: 'Reads the rows of its range and no others, in pages of up to 1,000.',
  'partition-scan':
    'To read less: begin the RowKey with what it asks for, or keep a second row for it in the same partition (intra-partition secondary index).',
  'table-scan':
    'To read less: name the PartitionKey, or keep rows for this question in partitions of their own (inter-partition secondary index), or lists of keys (index entities).',
};

/**
 * The guide's class. It has no class for rows that are named one by one: joined by `or`, the service reads what lies
 * between them, the partition or the table. A filter that can match nothing is a range without rows.
 */
function classOf(plan: FilterPlan): PlanClass {
  if (plan.class === 'none') return 'range';
  if (plan.class !== 'points') return plan.class;
  const [first] = plan.points;
  const isOnePartition = plan.points.every(({ partitionKey }) => partitionKey === first?.partitionKey);
  return isOnePartition ? 'partition-scan' : 'table-scan';
}

/** Rows that are named one by one need no index: each is a point. */
const classAdvice = (plan: FilterPlan, planClass: PlanClass): readonly string[] =>
  plan.class === 'none' || plan.class === 'points' ? [] : [ADVICE[planClass]];

function planOf(filter: string): FilterPlan {
  try {
    return explainFilter(filter);
  } catch (error) {
    if (error instanceof Error && error.name === 'PatternError')
      throw new ToolError('usage', error.message, { cause: error });
    throw error;
  }
}

/** @throws ToolError usage, which names the place in the text. */
export function queryPlan(filter: string): QueryPlan {
  const plan = planOf(filter);
  const planClass = classOf(plan);
  return {
    class: planClass,
    bounds: plan.bounds.map(({ partition, row }) => ({ PartitionKey: partition, RowKey: row })),
    advice: [...plan.warnings, ...classAdvice(plan, planClass)],
  };
}
