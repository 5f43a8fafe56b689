// The members of a row of an answer: looked up by name without the prototype's, and separated from annotations.
import type { WireObject, WireValue } from './read-wire.js';

export const SYSTEM_NAMES: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey', 'Timestamp']);

/** The member that tells the type of another. */
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
