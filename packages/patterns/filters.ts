// Texts of `$filter`, as `shelfmark-patterns/filters`: what any of them makes the service do, for logs, for reviews, and for programs that write filters by hand.
import { type Classification, classify, KEY_NAMES } from './model/filter/classify.js';
import { type Condition, type Leaf, leavesOf, namesIn, operandsOf } from './model/filter/condition.js';
import { formatFilter } from './model/filter/format-filter.js';
import { parseFilter } from './model/filter/parse-filter.js';

/** What a text of `$filter` makes the service do. */
export interface FilterPlan extends Classification {
  readonly condition: Condition;
  /** The same filter as this library writes it. */
  readonly filter: string;
}

/** The name of a key that is compared with what is not a string: the service refuses it. Typed conditions have none. */
function wrongKeyType(leaf: Leaf): string | undefined {
  const operands = operandsOf(leaf);
  const isText = operands.every(operand => operand.kind === 'property' || operand.typed.type === 'String');
  return leaf.kind === 'compare' && isText ? undefined : namesIn(leaf).find(name => KEY_NAMES.has(name));
}

/** What is wrong with a text, in addition to its class: queries of this library ask for rows one by one, and compare keys with strings. */
function textWarnings(condition: Condition, { class: queryClass, points }: Classification): string[] {
  const warnings: string[] = [];
  if (queryClass === 'points')
    warnings.push(
      `Of ${points.length} rows; the service would read all between them. Ask for each by its keys: getMany.`,
    );
  const wrong = [...leavesOf(condition)].map(wrongKeyType).find(name => name !== undefined);
  if (wrong !== undefined)
    warnings.push(`${wrong} is a string and is not compared with one: the service refuses that.`);
  return warnings;
}

/** The plan of a `$filter`. Throws FilterInvalid. */
export function explainFilter(text: string): FilterPlan {
  const condition = parseFilter(text);
  const classification = classify(condition);
  const warnings = [...textWarnings(condition, classification), ...classification.warnings];
  return { condition, filter: formatFilter(condition), ...classification, warnings };
}
