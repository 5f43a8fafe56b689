// Encodes a value as JSON for the service, always with its type. The official client's encoder is not used: it sends whole doubles as Int32, drops NaN,
// and sends the whole memory behind a slice of a buffer.
import { toBase64 } from './bytes.js';
import { doubleLiteral } from './double-literal.js';
import type { EdmType } from './edm.js';
import { checkLength, propertyBytes } from './size.js';
import type { WireProperty } from './wire-property.js';

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
