// The columns of a table in Parquet, one per type: `name`, or `name@Int32` and `name@String` if a name has several
// types. Maps each EDM type to Parquet and converts literals into the values that hyparquet-writer takes;
// write-parquet.ts writes them.
import type { SchemaElement } from 'hyparquet';
import { bytesOf } from '../line/bytes.js';
import { type EdmType, int64Of, numberOf, type Property, RowError, textOf } from '../line/row.js';
import type { Column } from './columns.js';

export interface ParquetColumn {
  /** In the file. */
  readonly title: string;
  readonly name: string;
  readonly type: EdmType;
}

/**
 * One column per name and type, in the order of names. A name with one type keeps its own, unless it equals another
 * name's `name@Type`.
 */
export function parquetColumns(columns: readonly Column[]): readonly ParquetColumn[] {
  const withType = new Set(columns.filter(({ types }) => types.length > 1).map(({ name }) => name));
  const titleOf = (name: string, type: EdmType): string => (withType.has(name) ? `${name}@${type}` : name);
  // Titles with a type differ from each other, so a clash involves a plain name, which then gets its type. That title
  // may clash again.
  for (let isClear = false; !isClear; ) {
    const titles = new Set(
      columns
        .filter(({ name }) => withType.has(name))
        .flatMap(({ name, types }) => types.map(type => `${name}@${type}`)),
    );
    const clashing = columns.filter(({ name }) => !withType.has(name) && titles.has(name));
    for (const { name } of clashing) withType.add(name);
    isClear = clashing.length === 0;
  }
  return columns.flatMap(({ name, types }) =>
    types.map(type => ({ title: titleOf(name, type), name, type })),
  );
}

const TIME: Omit<SchemaElement, 'name'> = {
  type: 'INT64',
  converted_type: 'TIMESTAMP_MICROS',
  logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
};
const TEXT: Omit<SchemaElement, 'name'> = {
  type: 'BYTE_ARRAY',
  converted_type: 'UTF8',
  logical_type: { type: 'STRING' },
};

const ELEMENTS: Readonly<Record<EdmType, Omit<SchemaElement, 'name'>>> = {
  String: TEXT,
  Boolean: { type: 'BOOLEAN' },
  Int32: { type: 'INT32' },
  Int64: { type: 'INT64' },
  Double: { type: 'DOUBLE' },
  DateTime: TIME,
  Guid: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
  Binary: { type: 'BYTE_ARRAY' },
};

/** A row has a value in it, or none. */
export const schemaOf = (name: string, type: EdmType, isRequired = false): SchemaElement => ({
  name,
  ...ELEMENTS[type],
  repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
});

const TIME_PARTS = /^(-?\d{4,})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))?$/;

/**
 * Microseconds since 1970, cut off after the sixth digit. Throws RowError for a year that JavaScript's dates do not
 * reach, beyond 275,760.
 */
export function microsOf(text: string): bigint {
  const parts = TIME_PARTS.exec(text);
  if (parts === null) throw new RowError(`${text} is not a time that Parquet can hold`);
  const [, year, month, day, hour, minute, second, fraction = '', sign, zoneHours, zoneMinutes] = parts;
  // A year below 100 would be taken for one of the last century.
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  if (Number.isNaN(date.getTime())) throw new RowError(`${text} is not a time that Parquet can hold`);
  const zone =
    sign === undefined ? 0 : (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1);
  const seconds = BigInt(date.getTime() / 1000 - zone * 60);
  return seconds * 1_000_000n + BigInt(fraction.slice(0, 6).padEnd(6, '0'));
}

export type ParquetValue = string | boolean | number | bigint | Uint8Array | undefined;

export function parquetValue(property: Property): ParquetValue {
  switch (property.type) {
    case 'String':
    case 'Guid':
      return textOf(property);
    case 'Boolean':
      return property.literal === 'true';
    case 'Int32':
    case 'Double':
      return numberOf(property);
    case 'Int64':
      return int64Of(property);
    case 'DateTime':
      return microsOf(textOf(property));
    case 'Binary':
      return bytesOf(property);
  }
}
