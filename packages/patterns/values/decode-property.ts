// Decodes a property of a row to its type and the program's value. decode-entity.ts decides whether that is the type that the entity wants.

import { fromBase64 } from './bytes.js';
import { isInt32 } from './check-value.js';
import type { EdmType } from './edm.js';
import { Instant } from './instant.js';
import type { WireValue } from './read-wire.js';
import type { BagValue, TypedValue } from './typed-value.js';

const TYPES: ReadonlySet<string> = new Set<EdmType>([
  'String',
  'Int32',
  'Int64',
  'Double',
  'Boolean',
  'DateTime',
  'Guid',
  'Binary',
]);

/** `Edm.Int64`. What is not a type of the service is taken for a String. */
function annotatedType(annotation: string): EdmType {
  const name = annotation.slice('Edm.'.length);
  return TYPES.has(name) ? (name as EdmType) : 'String';
}

/** What JSON says of a value's type where no annotation does. */
function plainType(value: WireValue): EdmType {
  if (typeof value === 'string') return 'String';
  if (typeof value === 'boolean') return 'Boolean';
  return isInt32(value) ? 'Int32' : 'Double';
}

/** Numbers also as texts, as an annotation allows; `INF` is how .NET of old wrote it. */
function numberOf(value: WireValue): number {
  if (typeof value === 'object') return value?.['~double'] ?? 0;
  if (value === 'INF') return Number.POSITIVE_INFINITY;
  return value === '-INF' ? Number.NEGATIVE_INFINITY : Number(value);
}

function parseValue(type: EdmType, value: WireValue): BagValue {
  switch (type) {
    case 'String':
      return String(value);
    case 'Int32':
    case 'Double':
      return numberOf(value);
    case 'Int64':
      return BigInt(typeof value === 'object' ? numberOf(value) : (value ?? 0));
    case 'Boolean':
      return value === true || String(value).toLowerCase() === 'true';
    case 'DateTime':
      return Instant.parse(String(value));
    case 'Guid':
      return String(value).toLowerCase();
    case 'Binary':
      return fromBase64(String(value)) ?? new Uint8Array();
  }
}

/** The value by its annotation, or by what JSON says. */
export function decodeProperty(value: WireValue, annotation: WireValue | undefined): TypedValue {
  const type = typeof annotation === 'string' ? annotatedType(annotation) : plainType(value);
  return { type, value: parseValue(type, value) };
}
