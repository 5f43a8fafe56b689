// The columns of a grid: the properties seen so far, with the types that they had. Any name is possible, so names are
// never members of an object.
import { type EdmType, int64Of, numberOf, type Property, type Row, textOf } from '#data-tools/line';
import { isNumber } from './cell.js';

/** Keys and Timestamp have columns too, before and after the properties. */
const PARTITION_KEY = 'PartitionKey';
const ROW_KEY = 'RowKey';
export const TIMESTAMP = 'Timestamp';

export interface Column {
  readonly name: string;
  /** The type of most of its values. */
  readonly type: EdmType;
  /** Whether values of other types were seen. */
  readonly isMixed: boolean;
}

const SYSTEM: ReadonlyMap<string, EdmType> = new Map([
  [PARTITION_KEY, 'String'],
  [ROW_KEY, 'String'],
  [TIMESTAMP, 'DateTime'],
]);

export const isKey = (name: string): boolean => name === PARTITION_KEY || name === ROW_KEY;

/** Counts the types of properties as pages arrive. */
export class SeenColumns {
  readonly #types = new Map<string, Map<EdmType, number>>();

  add(rows: readonly Row[]): void {
    for (const { properties } of rows)
      for (const { name, type } of properties) {
        const types = this.#types.get(name) ?? new Map<EdmType, number>();
        types.set(type, (types.get(type) ?? 0) + 1);
        this.#types.set(name, types);
      }
  }

  /** In the order in which they were first seen. */
  columns(): readonly Column[] {
    const properties = [...this.#types].map(([name, types]) => {
      const [first] = [...types].sort(([, one], [, other]) => other - one);
      return { name, type: first?.[0] ?? 'String', isMixed: types.size > 1 };
    });
    const system = (name: string): Column => ({ name, type: SYSTEM.get(name) ?? 'String', isMixed: false });
    return [system(PARTITION_KEY), system(ROW_KEY), ...properties, system(TIMESTAMP)];
  }
}

/** The value of a column; undefined if the row lacks it. */
export function propertyIn(row: Row, name: string): Property | undefined {
  const type = SYSTEM.get(name);
  if (type === undefined) return row.properties.find(property => property.name === name);
  const text = name === PARTITION_KEY ? row.partitionKey : name === ROW_KEY ? row.rowKey : row.timestamp;
  return text === undefined ? undefined : { name, type, literal: JSON.stringify(text) };
}

/** What a user chose for a table's columns. */
export interface ColumnChoice {
  /** Names in the chosen order; names that it lacks come after them. */
  readonly order: readonly string[];
  readonly hidden: readonly string[];
  readonly widths: Readonly<Record<string, number>>;
}

export const NO_CHOICE: ColumnChoice = { order: [], hidden: [], widths: {} };

/** In the chosen order, the keys always first. */
export function arranged(columns: readonly Column[], { order }: ColumnChoice): readonly Column[] {
  const places = new Map(order.map((name, at) => [name, at]));
  const place = ({ name }: Column, at: number): number =>
    isKey(name) ? at - columns.length : (places.get(name) ?? order.length + at);
  return columns
    .map((column, at) => ({ column, place: place(column, at) }))
    .sort((one, other) => one.place - other.place)
    .map(({ column }) => column);
}

const compare = <Value>(left: Value, right: Value): number => (left < right ? -1 : left > right ? 1 : 0);

function orderOf(one: Property, other: Property): number {
  if (isNumber(one.type) && isNumber(other.type)) {
    if (one.type === 'Int64' && other.type === 'Int64') return compare(int64Of(one), int64Of(other));
    const [left, right] = [numberOf(one), numberOf(other)];
    // NaN has no order; it comes before all numbers.
    return Number(Number.isNaN(right)) - Number(Number.isNaN(left)) || compare(left, right);
  }
  return one.type === other.type
    ? compare(textOf(one), textOf(other))
    : compare<string>(one.type, other.type);
}

export interface Sorting {
  readonly name: string;
  readonly isDescending: boolean;
}

/** The rows in the order of a column: numbers by value, types apart, rows without the property last. */
export function sorted(rows: readonly Row[], { name, isDescending }: Sorting): readonly Row[] {
  const keyed = rows.map(row => ({ row, value: propertyIn(row, name) }));
  const sign = isDescending ? -1 : 1;
  keyed.sort((one, other) => {
    if (one.value === undefined || other.value === undefined)
      return Number(one.value === undefined) - Number(other.value === undefined);
    return sign * orderOf(one.value, other.value);
  });
  return keyed.map(({ row }) => row);
}
