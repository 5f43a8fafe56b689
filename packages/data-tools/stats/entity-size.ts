// The size of an entity as Azure counts it against 1 MiB and bills it (docs/protocol/data-model.md): 4 bytes, two per
// character of both keys, and for each property 8 bytes, two per character of its name, and its value.
import { bytesOf } from '../line/bytes.js';
import { type EdmType, type Property, type Row, textOf } from '../line/row.js';

const FIXED: Readonly<Partial<Record<EdmType, number>>> = {
  Boolean: 1,
  Int32: 4,
  Int64: 8,
  Double: 8,
  DateTime: 8,
  Guid: 16,
};

/** The size of a value only, in bytes: a string has two per character and four for its length, a Binary four for its length. */
export function valueSize(property: Property): number {
  const fixed = FIXED[property.type];
  if (fixed !== undefined) return fixed;
  return property.type === 'String' ? textOf(property).length * 2 + 4 : bytesOf(property).length + 4;
}

/** In bytes. */
export function entitySize({ partitionKey, rowKey, properties }: Row): number {
  let size = 4 + (partitionKey.length + rowKey.length) * 2;
  for (const property of properties) size += 8 + property.name.length * 2 + valueSize(property);
  return size;
}
