// The members of a row: looked up by name without the prototype's, separated from annotations, and the names that a program may give them.
import { refuseDefinition } from './pattern-error.js';
import type { WireObject, WireValue } from './read-wire.js';

export const SYSTEM_NAMES: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

/** Properties by which the library marks rows on their way. A value of the program in their place would be read as a mark. */
export const MARKS = {
  /** A row that a flow moves, and its copy: move.ts. */
  moved: '_moved',
  /** A row whose bucket changes: rebucketing-writes.ts. */
  moving: '_moving',
  /** A key that is not confirmed yet: reserve.ts. */
  reserved: '_reserved',
  /** The version that a remote index row was made of: index-row.ts. */
  source: '_source',
} as const;

/** C# identifiers of up to 255 characters. */
const PROPERTY_NAME = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Pc}\p{Mn}\p{Mc}\p{Cf}]{0,254}$/u;

/** Throws DefinitionInvalid for a name that no property of a program may have in the table. */
export function checkPropertyName(subject: string, name: string): void {
  const isSystem = SYSTEM_NAMES.has(name);
  if (isSystem || Object.values<string>(MARKS).includes(name))
    refuseDefinition(
      subject,
      `${name} is a name that ${isSystem ? 'the service' : 'this library'} keeps for itself`,
    );
  if (!PROPERTY_NAME.test(name)) refuseDefinition(subject, `${name} is not a name that a property may have`);
}

/** The member that holds the type of another. */
export const annotationOf = (wire: string): string => `${wire}@odata.type`;

/** A property may be called as something that every object has. Null is what the service answers for a selected property that is not there. */
export function memberOf(row: WireObject, name: string): WireValue | undefined {
  const value = Object.hasOwn(row, name) ? row[name] : undefined;
  return value === null ? undefined : value;
}

export function textOf(row: WireObject, name: string): string | undefined {
  const value = memberOf(row, name);
  return typeof value === 'string' ? value : undefined;
}

const isAnnotation = (name: string): boolean => name.startsWith('odata.') || name.includes('@odata.');

/** The names of properties: no keys, time or annotations. */
export const propertyNames = (row: WireObject): readonly string[] =>
  Object.keys(row).filter(name => !SYSTEM_NAMES.has(name) && !isAnnotation(name));

/** What a row has beyond the names that are known. */
export const unknownNames = (row: WireObject, known: ReadonlySet<string>): readonly string[] =>
  Object.keys(row).filter(name => !known.has(name) && !isAnnotation(name));
