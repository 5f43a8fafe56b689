// A property as it goes over the wire: its name in the table, its type, and its value as a JSON literal. Unknown properties are kept in this form, so
// that they are written back unchanged. Every value is sent with its type. The official client's encoder is not used: it sends whole doubles as Int32,
// drops NaN, and sends the whole memory behind a slice of a buffer. Sizes are by the rule that Microsoft published for Azure Tables, so that an oversized row is refused by name before
// it is sent: docs/patterns/sizes.md shows the sums.
import { toBase64 } from './bytes.js';
import { doubleLiteral, type EdmType } from './edm.js';
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

/** What a row counts before it has a property. */
export const keyBytes = (partitionKey: string, rowKey: string): number =>
  4 + 2 * (partitionKey.length + rowKey.length);

/** Throws TooLarge. `where` is what the user knows it by: `Employee.photo`. */
export function checkSize(what: SizeLimit, where: string, size: number, limit: number): void {
  if (size > limit) throw new PatternError('TooLarge', { what, where, size, limit });
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

/** A property as it is sent. */
export interface WireProperty {
  readonly name: string;
  readonly type: EdmType;
  /** JSON: `"text"`, `3`, `3.0`, `true`. */
  readonly literal: string;
  /** What it counts towards the size of its entity, its name included. */
  readonly bytes: number;
}

/** A row as it is sent. */
export interface WireRow {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly properties: readonly WireProperty[];
  /** By the service's rule: docs/patterns/sizes.md. */
  readonly bytes: number;
}

function literalOf(type: EdmType, value: unknown): string {
  switch (type) {
    case 'Double':
      return doubleLiteral(Number(value));
    case 'Int64':
    case 'DateTime':
      return `"${value}"`;
    case 'Binary':
      return `"${toBase64(value as Uint8Array)}"`;
    default:
      return JSON.stringify(value);
  }
}

/** Of a String in UTF-16 code units, of a Binary in bytes. */
const lengthOf = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;

/** Throws TooLarge. The value is one of the type: see check-value.ts. */
export function encodeProperty(name: string, type: EdmType, value: unknown, where = name): WireProperty {
  const length = lengthOf(value);
  if (type === 'String') checkSize('string', where, length, STRING_LENGTH_MAX);
  if (type === 'Binary') checkSize('binary', where, length, BINARY_BYTES_MAX);
  const bytes = type === 'String' ? 2 * length + 4 : type === 'Binary' ? length + 4 : FIXED_BYTES[type];
  return { name, type, literal: literalOf(type, value), bytes: 8 + 2 * name.length + bytes };
}

/** Types that a JSON literal implies. */
const isPlain = (type: EdmType): boolean => type === 'String' || type === 'Boolean' || type === 'Int32';

/** One member of a JSON object, or two where the type needs a word. */
function member({ name, type, literal }: WireProperty): string {
  const quoted = JSON.stringify(name);
  return isPlain(type)
    ? `${quoted}:${literal}`
    : `${JSON.stringify(`${name}@odata.type`)}:"Edm.${type}",${quoted}:${literal}`;
}

/** The body of a request that writes the row. */
export const wireText = (row: WireRow): string =>
  `{${[
    `"PartitionKey":${JSON.stringify(row.partitionKey)},"RowKey":${JSON.stringify(row.rowKey)}`,
    ...row.properties.map(member),
  ].join(',')}}`;
