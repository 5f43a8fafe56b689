// Rows without a schema, as property bags with the service's types: for rows of other programs, and for tools that have no definition.
import { checkValue } from '../values/check-value.js';
import type { Instant } from '../values/instant.js';
import type { RowAddress } from '../values/pattern-error.js';
import type { WireObject, WireValue } from '../values/read-wire.js';
import { annotationOf, memberOf, propertyNames, textOf } from '../values/row-member.js';
import { decodeProperty, type TypedValue } from '../values/typed-value.js';
import { encodeProperty, rowBytes, type WireRow } from '../values/wire-property.js';
import { readHead } from './row-head.js';

/** A row as it is. */
export interface Bag extends RowAddress {
  /** No entity's. */
  readonly entity: undefined;
  readonly etag: string;
  readonly timestamp: Instant | undefined;
  /** The text of the tag, if the row has one. */
  readonly tag: string | undefined;
  readonly properties: ReadonlyMap<string, TypedValue>;
}

/** Where a row came from, and which property is its tag. */
interface BagOptions {
  readonly table: string;
  readonly tag?: string | undefined;
  readonly etag?: string | undefined;
}

/** A value that is none of the type which it claims is taken for a text, so that a row can always be shown. */
function typedOrText(value: WireValue, annotation: WireValue | undefined): TypedValue {
  try {
    return decodeProperty(value, annotation);
  } catch {
    return { type: 'String', value: String(value) };
  }
}

/** The row, with the types that it has. */
export function decodeBag(row: WireObject, { table, tag = 'EntityType', etag }: BagOptions): Bag {
  const properties = new Map<string, TypedValue>();
  for (const name of propertyNames(row)) {
    const value = memberOf(row, name);
    if (value !== undefined) properties.set(name, typedOrText(value, memberOf(row, annotationOf(name))));
  }
  return { ...readHead(row, { table, etag }), entity: undefined, tag: textOf(row, tag), properties };
}

/** Throws ValueInvalid for a value that is none of its type, and TooLarge. */
export function encodeBag({
  table,
  partitionKey,
  rowKey,
  properties,
}: Pick<Bag, 'table' | 'partitionKey' | 'rowKey' | 'properties'>): WireRow {
  const encoded = [...properties].map(([name, { type, value }]) =>
    encodeProperty(name, type, checkValue({ edm: type, checks: [] }, value, name)),
  );
  return {
    partitionKey,
    rowKey,
    properties: encoded,
    bytes: rowBytes(table, partitionKey, rowKey, encoded),
  };
}
