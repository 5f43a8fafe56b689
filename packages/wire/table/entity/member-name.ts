// What the name of a member of an entity's JSON says by itself: a property, a system property, an annotation
// (protocol: json#reading). Names come again with every entity, so what is said of them is remembered.

import { memo } from '#base';
import { isPropertyName, PROPERTY_NAME_LENGTH_MAX } from '#tables';

export interface MemberName {
  readonly name: string;
  /** The name as JSON without escapes has it, with the colon behind it. */
  readonly token: string;
  /** Short enough to be remembered. */
  readonly isKept: boolean;
  /** `control` is read over: annotations, also of annotations, and control information. */
  readonly role: 'custom' | 'partitionKey' | 'rowKey' | 'timestamp' | 'control';
  /** Of an annotation that says a type: whose type. */
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
