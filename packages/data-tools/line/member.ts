// The names of an entity's members, classified once for all rows that repeat them: keys, Timestamp, annotations,
// control information, properties.
import { EDM_TYPES, type EdmType } from './row.js';

export interface Member {
  /** The name as in the text, with quotes and colon, for a type including its value: the next row's text is compared with it. */
  readonly token: string;
  readonly name: string;
  /** `control` is skipped: annotations of other kinds and names that begin with `odata.`. */
  readonly role: 'partitionKey' | 'rowKey' | 'timestamp' | 'type' | 'control' | 'property';
  /** The property whose type the member has. */
  readonly typeOf: string;
  /** That property's type; undefined if tables do not support it. */
  readonly type: EdmType | undefined;
}

const ROLES: ReadonlyMap<string, Member['role']> = new Map([
  ['PartitionKey', 'partitionKey'],
  ['RowKey', 'rowKey'],
  ['Timestamp', 'timestamp'],
]);
const TYPE_SUFFIX = '@odata.type';
const TYPES: ReadonlyMap<string, EdmType> = new Map(EDM_TYPES.map(type => [`"Edm.${type}"`, type]));

export const isTypeName = (name: string): boolean => name.endsWith(TYPE_SUFFIX) && !ROLES.has(name);

/** @param value in canonical form, for a name that satisfies `isTypeName`. */
export function typeMember(token: string, name: string, value: string): Member {
  const typeOf = name.slice(0, -TYPE_SUFFIX.length);
  return { token, name, role: 'type', typeOf, type: TYPES.get(value) };
}

export function memberOf(token: string, name: string): Member {
  const isControl = name.startsWith('odata.') || name.includes('@odata.');
  const role = ROLES.get(name) ?? (isControl ? 'control' : 'property');
  return { token, name, role, typeOf: '', type: undefined };
}
