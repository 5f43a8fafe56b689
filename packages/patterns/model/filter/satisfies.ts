// A typed condition as a predicate of values: for joins, where the rows have been read already.
import type { AnyEntity, Of } from '../definition.js';
import { evaluate } from './evaluate.js';
import { readerOfValue } from './row-reader.js';
import { built, type Clause, type Fields, fieldsOf } from './where.js';

/** Whether a value meets the condition, as the service would decide of its row. The value must be one that could be stored. */
export function satisfies<E extends AnyEntity>(
  entity: E,
  build: (fields: Fields<E>) => Clause,
): (value: Of<E>) => boolean {
  const condition = built(build, fieldsOf(entity));
  return value => evaluate(condition, readerOfValue(entity, value));
}
