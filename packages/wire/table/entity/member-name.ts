// Classifies the names of members in an entity's JSON: a property, a system property, an annotation
// (protocol: json#reading). Names are repeated in every entity, so the results are cached.

import { memo } from '#base';
import { isPropertyName, PROPERTY_NAME_LENGTH_MAX } from '#tables';

export interface MemberName {
  readonly name: string;
  /** The name in JSON without escapes, with the colon after it. */
  readonly token: string;
  /** Short enough for the cache. */
  readonly isKept: boolean;
  /** `control` is ignored: annotations, also of annotations, and control information. */
  readonly role: 'custom' | 'partitionKey' | 'rowKey' | 'timestamp' | 'control';
  /** The property of a type annotation. */
  readonly typeOf: string | undefined;
  /** Whether a property may have this name, as far as its characters go. */
  readonly isValid: boolean;
}

const TYPE_SUFFIX = '@odata.type';
const NAMES_KEPT = { entriesMax: 1000, lengthMax: PROPERTY_NAME_LENGTH_MAX + TYPE_SUFFIX.length };

const SYSTEM_ROLES: ReadonlyMap<string, MemberName['role']> = new Map([
  ['PartitionKey', 'partitionKey'],
  ['RowKey', 'rowKey'],
  ['Timestamp', 'timestamp'],
]);

function roleOf(name: string): MemberName['role'] {
  if (name.startsWith('odata.') || name.includes('@odata.')) return 'control';
  return SYSTEM_ROLES.get(name) ?? 'custom';
}

function typeTarget(name: string): string | undefined {
  if (!name.endsWith(TYPE_SUFFIX)) return undefined;
  const target = name.slice(0, -TYPE_SUFFIX.length);
  return target.includes('@') || target.startsWith('odata.') ? undefined : target;
}

export const memberName = memo(
  (name: string): MemberName => ({
    name,
    token: `"${name}":`,
    isKept: name.length <= NAMES_KEPT.lengthMax,
    role: roleOf(name),
    typeOf: typeTarget(name),
    isValid: isPropertyName(name),
  }),
  NAMES_KEPT,
);
