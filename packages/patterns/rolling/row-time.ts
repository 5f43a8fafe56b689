// The time of a row as it is sent, which decides whether the row belongs in its table. In another table, no read would find it, and it would be dropped too soon or too late.
import type { AnyEntity, Field } from '../model/definition.js';
import type { RowWrite } from '../transport/row-write.js';
import { Instant } from '../values/instant.js';
import { PatternError } from '../values/pattern-error.js';
import { isInstant } from '../values/typed-value.js';
import type { WireRow } from '../values/wire-property.js';

const textIn = ({ properties }: WireRow, name: string): string | undefined => {
  const literal = properties.find(each => each.name === name)?.literal;
  const value: unknown = literal === undefined ? undefined : JSON.parse(literal);
  return typeof value === 'string' ? value : undefined;
};

/** Rows of indexes and of other entities have times of their own, or none. */
const isRowOf = ({ name, tag }: AnyEntity, row: WireRow): boolean => {
  const found = tag === undefined ? undefined : textIn(row, tag);
  return found === undefined || found.startsWith(`${name}.`);
};

function timeInKey({ plan }: AnyEntity, { name, rebuiltFrom }: Field, row: WireRow): Instant | undefined {
  try {
    const at = (
      rebuiltFrom === 'row' ? plan.row.decode(row.rowKey) : plan.partition.decode(row.partitionKey)
    )[name];
    return isInstant(at) ? at : undefined;
  } catch (thrown) {
    if (PatternError.is(thrown)) return undefined;
    throw thrown;
  }
}

/** Undefined for a write that does not contain the time. */
export function timeOfRow(entity: AnyEntity, time: string, write: RowWrite): Instant | undefined {
  const field = entity.plan.byName.get(time);
  if (write.kind === 'delete' || field === undefined || !isRowOf(entity, write.row)) return undefined;
  if (field.rebuiltFrom !== undefined) return timeInKey(entity, field, write.row);
  const text = textIn(write.row, field.wire);
  return text === undefined ? undefined : Instant.parse(text);
}
