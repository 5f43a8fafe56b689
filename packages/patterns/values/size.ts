// The size of a row by the rule that Microsoft published for Azure Tables, and the service's limits, so that an oversized row is refused by name before
// it is sent. docs/patterns/sizes.md shows the sums.
import type { EdmType } from './edm.js';
import { PatternError, type SizeLimit } from './pattern-error.js';

/** 64 KiB of UTF-16. */
export const STRING_LENGTH_MAX = 32_768;
export const BINARY_BYTES_MAX = 65_536;
export const ENTITY_BYTES_MAX = 1_048_576;
/** With PartitionKey, RowKey and Timestamp 255. */
export const CUSTOM_PROPERTIES_MAX = 252;

/** Of values whose size does not depend on them. */
const FIXED_BYTES: Readonly<Record<Exclude<EdmType, 'String' | 'Binary'>, number>> = {
  Boolean: 1,
  Int32: 4,
  Int64: 8,
  Double: 8,
  DateTime: 8,
  Guid: 16,
};

/** What a property counts. `length` is that of a String in UTF-16 code units, or of a Binary in bytes. */
export function propertyBytes(name: string, type: EdmType, length: number): number {
  const value = type === 'String' ? 2 * length + 4 : type === 'Binary' ? length + 4 : FIXED_BYTES[type];
  return 8 + 2 * name.length + value;
}

/** What a row counts before it has a property. */
export const keyBytes = (partitionKey: string, rowKey: string): number =>
  4 + 2 * (partitionKey.length + rowKey.length);

/** Throws TooLarge. `where` is what the user knows it by: `Employee.photo`. */
export function checkSize(what: SizeLimit, where: string, size: number, limit: number): void {
  if (size > limit) throw new PatternError('TooLarge', { what, where, size, limit });
}

/** Checks the length of a value against what a property of its type may hold. */
export function checkLength(where: string, type: EdmType, length: number): void {
  if (type === 'String') checkSize('string', where, length, STRING_LENGTH_MAX);
  if (type === 'Binary') checkSize('binary', where, length, BINARY_BYTES_MAX);
}

interface Sized {
  readonly name: string;
  readonly bytes: number;
}

/** What the row counts. Throws TooLarge for a row that the service would refuse, and names its largest property. */
export function rowBytes(
  subject: string,
  partitionKey: string,
  rowKey: string,
  properties: readonly Sized[],
): number {
  let bytes = keyBytes(partitionKey, rowKey);
  for (const property of properties) bytes += property.bytes;
  if (bytes > ENTITY_BYTES_MAX) {
    const largest = properties.reduce((a, b) => (b.bytes > a.bytes ? b : a));
    const where = `${subject}, of which ${largest.name} has ${largest.bytes} bytes,`;
    checkSize('entity bytes', where, bytes, ENTITY_BYTES_MAX);
  }
  checkSize('properties', subject, properties.length, CUSTOM_PROPERTIES_MAX);
  return bytes;
}
