// The cost class of any $filter text: for logs, for reviews, and for programs that write filters by hand.
import { type Classification, classify } from './classify.js';
import type { Condition } from './condition.js';
import { formatFilter } from './format-filter.js';
import { parseFilter } from './parse-filter.js';

/** What a text of `$filter` makes the service do. */
export interface FilterPlan extends Classification {
  readonly condition: Condition;
  /** The same filter as this library writes it. */
  readonly filter: string;
}

/** The plan of a `$filter`. Throws FilterInvalid. */
export function explainFilter(text: string): FilterPlan {
  const condition = parseFilter(text);
  return { condition, filter: formatFilter(condition), ...classify(condition) };
}
