// The header and the cells of a CSV file, as docs/data-tools.md documents them: `name` and `name@type` in adjacent
// columns, as in Storage Explorer. A string with half a surrogate pair, which UTF-8 cannot encode, is written as a JSON
// string, marked by its type.
import { formatString, literalOf } from '../line/literal.js';
import { EDM_TYPES, type EdmType, type Property, RowError, textOf } from '../line/row.js';
import { isWellFormed } from './columns.js';

/** The suffix of a column's name: the types of its values. */
export const TYPE_SUFFIX = '@type';
/** The type of a string whose cell is a JSON string. */
const ESCAPED = 'String@json';

/** Storage Explorer writes `Int32` since 1.40, and wrote `Edm.Int32` before. */
const TYPES: ReadonlyMap<string, EdmType> = new Map(
  EDM_TYPES.flatMap(type => [
    [type, type],
    [`Edm.${type}`, type],
  ]),
);

export interface Cell {
  readonly text: string;
  readonly type: string;
}

/** The two cells of a string. */
export const stringCell = (text: string): Cell =>
  isWellFormed(text) ? { text, type: 'String' } : { text: formatString(text), type: ESCAPED };

export const cellOf = (property: Property): Cell =>
  property.type === 'String' ? stringCell(textOf(property)) : { text: textOf(property), type: property.type };

/** A JSON string's text. Throws RowError for anything else. */
function unescaped(text: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'string') throw new RowError(`${ESCAPED} stands beside what is not a JSON string`);
  return value;
}

/** The string of two cells: of a key, whose type is `String` or missing. Throws RowError. */
export function stringOf({ text, type }: Cell): string {
  if (type === ESCAPED) return unescaped(text);
  if (type === '' || TYPES.get(type) === 'String') return text;
  throw new RowError(`a key is a String, not ${type}`);
}

/** The type and the literal of two cells; undefined for a property that the row does not have. Throws RowError. */
export function cellValue(cell: Cell): Pick<Property, 'type' | 'literal'> | undefined {
  const { text, type } = cell;
  if (type === '') {
    if (text === '') return undefined;
    throw new RowError('there is a value without its type');
  }
  if (type === ESCAPED) return { type: 'String', literal: formatString(unescaped(text)) };
  const known = TYPES.get(type);
  if (known === undefined) throw new RowError(`${JSON.stringify(type)} is not a type`);
  return { type: known, literal: literalOf(known, text) };
}

/** A name in the header: as it is, or as a JSON string if UTF-8 cannot encode it, or if it would be taken for one. */
export const headerOf = (name: string): string =>
  isWellFormed(name) && !name.startsWith('"') ? name : formatString(name);

/** Throws RowError. */
export const nameOf = (header: string): string => (header.startsWith('"') ? unescaped(header) : header);
