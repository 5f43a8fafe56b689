// What the filter box says about its text: the class of the query, its bounds and advice, or where the text goes wrong.
import { type PlanBounds, type PlanClass, type QueryPlan, queryPlan } from '#data-tools/explain';
import { explainFilter } from '#patterns/filters';

export type Verdict =
  | { readonly kind: 'all' }
  /** `isFiltered` if the service reads entities that do not match. */
  | { readonly kind: 'plan'; readonly plan: QueryPlan; readonly isFiltered: boolean }
  | { readonly kind: 'invalid'; readonly position: number; readonly message: string };

/** Of the library's error about a text. */
interface Positioned {
  readonly position: number;
  readonly reason: string;
}

export function verdictOf(filter: string): Verdict {
  if (filter.trim() === '') return { kind: 'all' };
  try {
    const { isFiltered } = explainFilter(filter);
    return { kind: 'plan', plan: queryPlan(filter), isFiltered };
  } catch (error) {
    const { detail } = error as { readonly detail?: Partial<Positioned> };
    const { position = 0, reason = String(error) } = detail ?? {};
    return { kind: 'invalid', position: Math.min(position, filter.length), message: `${reason}.` };
  }
}

export const CLASS_NAMES: Readonly<Record<PlanClass, string>> = {
  point: 'Point query',
  range: 'Range query',
  'partition-scan': 'Partition scan',
  'table-scan': 'Table scan',
};

const SIGNS: readonly (readonly [keyof PlanBounds, string])[] = [
  ['eq', '='],
  ['gt', '>'],
  ['ge', '≥'],
  ['lt', '<'],
  ['le', '≤'],
];

function boundsText(name: string, bounds: PlanBounds): string {
  const parts = SIGNS.flatMap(([operator, sign]) => {
    const bound = bounds[operator];
    return bound === undefined ? [] : [`${sign} ${JSON.stringify(bound)}`];
  });
  return parts.length === 0 ? `any ${name}` : `${name} ${parts.join(', ')}`;
}

const BOUNDS_SHOWN_MAX = 4;

/** Between which keys the service reads, a line for each range. */
export function boundsOf({ bounds }: QueryPlan): readonly string[] {
  const lines = bounds.map(
    ({ PartitionKey, RowKey }) =>
      `${boundsText('PartitionKey', PartitionKey)} · ${boundsText('RowKey', RowKey)}`,
  );
  const more = lines.length - BOUNDS_SHOWN_MAX;
  return more > 0 ? [...lines.slice(0, BOUNDS_SHOWN_MAX), `and ${more} more`] : lines;
}

/**
 * Whether running it may read far more than it returns: a whole partition, or a whole table, is read page by page and
 * shown.
 */
export const isScan = (verdict: Verdict): boolean =>
  verdict.kind === 'plan' &&
  verdict.isFiltered &&
  ['partition-scan', 'table-scan'].includes(verdict.plan.class);
