// A row in all parts of the data tools: its keys, its Timestamp and its properties, exactly as on the wire. A property
// holds its type and its literal, the JSON text of the line (line.ts), so that nothing is lost: doubles keep -0, NaN
// and digits, DateTimes their seven digits and years outside of JavaScript's dates, Int64 all its bits, strings their
// half surrogate pairs. Code that needs values calls `textOf`, `numberOf`, `int64Of`.

export const EDM_TYPES = [
  'String',
  'Boolean',
  'Int32',
  'Int64',
  'Double',
  'DateTime',
  'Guid',
  'Binary',
] as const;

/** Without `Edm.`, as stats and diff print it. */
export type EdmType = (typeof EDM_TYPES)[number];

export interface Property {
  readonly name: string;
  readonly type: EdmType;
  /** The canonical JSON text of the value: `"a\u2028"`, `12`, `1.0`, `"NaN"`, `true`, `"2020-01-01T00:00:00Z"`. */
  readonly literal: string;
}

export interface Row {
  readonly partitionKey: string;
  readonly rowKey: string;
  /** As in the line; undefined if the source did not have it. */
  readonly timestamp: string | undefined;
  /**
   * By name in UTF-16 order, each name once, without keys and Timestamp. Any name is possible, including `__proto__`:
   * never make an object with names as members.
   */
  readonly properties: readonly Property[];
}

export interface Key {
  readonly partitionKey: string;
  readonly rowKey: string;
}

/** An invalid row, or a text that is not a value of its type. The reader of the text adds its position. */
export class RowError extends Error {
  override readonly name = 'RowError';
}

/** UTF-16 order, which is the order of tables and of names in a line. */
export const compareText = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The order of rows in a table. */
export const compareKeys = (one: Key, other: Key): number =>
  compareText(one.partitionKey, other.partitionKey) || compareText(one.rowKey, other.rowKey);

/** The value as text: a string itself, a number, a date or base64 as written. */
export function textOf({ literal }: Property): string {
  return literal.charCodeAt(0) === 0x22 ? String(JSON.parse(literal)) : literal;
}

/** For an Int32 or a Double, including NaN and infinities. */
export const numberOf = (property: Property): number => Number(textOf(property));

/** For an Int64 or an Int32. */
export const int64Of = (property: Property): bigint => BigInt(textOf(property));
