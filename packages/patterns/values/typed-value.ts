// A stored value with its type, as a member of a row gives them. decode-entity.ts decides whether that is the type that the entity wants; wire-property.ts writes the members.
import { fromBase64 } from './bytes.js';
import type { EdmType } from './edm.js';
import { Instant } from './instant.js';
import type { WireObject, WireValue } from './read-wire.js';
import { annotationOf, memberOf } from './row-member.js';

/** A value as its type in the table gives it. Int64 is a bigint, a Guid its text, and JSON, to the service, a string. */
export type BagValue = string | number | bigint | boolean | Instant | Uint8Array;

/** A value with its type of the service. */
export interface TypedValue {
  readonly type: EdmType;
  readonly value: BagValue;
}

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
  // What 32 bits hold.
  return typeof value === 'number' && value === (value | 0) ? 'Int32' : 'Double';
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

/** The value of a member by its annotation, which is that of its own name by default; undefined if it is not there. */
export function typedIn(
  row: WireObject,
  name: string,
  annotation = annotationOf(name),
): TypedValue | undefined {
  const value = memberOf(row, name);
  return value === undefined ? undefined : decodeProperty(value, memberOf(row, annotation));
}
