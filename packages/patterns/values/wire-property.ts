// A property as it goes over the wire: its name in the table, its type, and its value as a JSON literal. Unknown properties are kept in this form, so
// that they are written back unchanged. Every value is sent with its type. The official client's encoder is not used: it sends whole doubles as Int32,
// drops NaN, and sends the whole memory behind a slice of a buffer.
import { toBase64 } from './bytes.js';
import { doubleLiteral } from './double-literal.js';
import type { EdmType } from './edm.js';
import { checkLength, propertyBytes } from './size.js';

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

const lengthOf = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;

/** Throws TooLarge. The value is one of the type: see check-value.ts. */
export function encodeProperty(name: string, type: EdmType, value: unknown, where = name): WireProperty {
  const length = lengthOf(value);
  checkLength(where, type, length);
  return { name, type, literal: literalOf(type, value), bytes: propertyBytes(name, type, length) };
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
