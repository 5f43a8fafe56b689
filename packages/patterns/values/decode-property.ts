// Decodes a property of a row to its type and the program's value. decode-entity.ts decides whether that is the type that the entity wants.
import { fromBase64 } from './bytes.js';
import { type BagValue, type EdmType, INT32_MAX, INT32_MIN } from './edm.js';
import { Instant } from './instant.js';
import type { WireValue } from './read-wire.js';

/** A value with its type of the service. */
export interface TypedValue {
  readonly type: EdmType;
  readonly value: BagValue;
}

const TYPES: ReadonlyMap<string, EdmType> = new Map([
  ['Edm.String', 'String'],
  ['Edm.Int32', 'Int32'],
  ['Edm.Int64', 'Int64'],
  ['Edm.Double', 'Double'],
  ['Edm.Boolean', 'Boolean'],
  ['Edm.DateTime', 'DateTime'],
  ['Edm.Guid', 'Guid'],
  ['Edm.Binary', 'Binary'],
]);

/** What JSON says of a value's type where no annotation does. */
function plainType(value: WireValue): EdmType {
  if (typeof value === 'string') return 'String';
  if (typeof value === 'boolean') return 'Boolean';
  const isInt32 =
    typeof value === 'number' && Number.isInteger(value) && value >= INT32_MIN && value <= INT32_MAX;
  return isInt32 ? 'Int32' : 'Double';
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

/** The value by its annotation, or by what JSON says. An annotation that is no type of the service is taken for a String. */
export function decodeProperty(value: WireValue, annotation: WireValue | undefined): TypedValue {
  const type = typeof annotation === 'string' ? (TYPES.get(annotation) ?? 'String') : plainType(value);
  return { type, value: parseValue(type, value) };
}
