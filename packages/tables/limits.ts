// The limits of the Table service's data model (protocol: data-model) and the checks of one entity against them. Limits
// of requests, documents and pages are next to their parsers.
import { KEY_LENGTH_MAX } from '#store';
import type { EdmValue, Property } from './entity/edm.js';
import type { EntityKey } from './entity/entity-key.js';
import { TableError, type TableErrorCode } from './table-error.js';

/** 255 with PartitionKey, RowKey and Timestamp. */
export const CUSTOM_PROPERTIES_MAX = 252;
export const PROPERTY_NAME_LENGTH_MAX = 255;
/** 64 KiB of UTF-16. */
export const STRING_LENGTH_MAX = 32_768;
export const BINARY_BYTES_MAX = 65_536;
export const ENTITY_BYTES_MAX = 1_048_576;
export const PAGE_ENTITIES_MAX = 1000;
export const CHANGESET_OPERATIONS_MAX = 100;
/** A page ends after this time and continues by continuation (protocol: queries#pages). */
export const PAGE_MILLISECONDS_MAX = 5000;
/** Stored bytes of a page. Azure's bound is not documented; ours bounds the memory of a page of large entities. */
export const PAGE_BYTES_MAX = 8 * 1_048_576;

const ASCII_NAME = /^[A-Za-z_]\w*$/;
/** C# identifiers (protocol: data-model#property-names). */
const UNICODE_NAME = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Pc}\p{Mn}\p{Mc}\p{Cf}]*$/u;

/** The bytes that a value counts towards the size of its entity (protocol: data-model#size-of-an-entity). */
function valueBytes(property: EdmValue): number {
  switch (property.type) {
    case 'Edm.String':
      return 2 * property.value.length + 4;
    case 'Edm.Binary':
      return property.value.length + 4;
    case 'Edm.Boolean':
      return 1;
    case 'Edm.Int32':
      return 4;
    case 'Edm.Int64':
    case 'Edm.Double':
    case 'Edm.DateTime':
      return 8;
    case 'Edm.Guid':
      return 16;
  }
}

/** The bytes that an entity counts without custom properties (protocol: data-model#size-of-an-entity). */
export const keyBytes = (key: EntityKey): number => 4 + 2 * (key.partitionKey.length + key.rowKey.length);

/** The bytes that a property counts, with its name (protocol: data-model#size-of-an-entity). */
export const propertyBytes = (property: Property): number =>
  8 + 2 * property.name.length + valueBytes(property);

export const isPropertyName = (name: string): boolean => ASCII_NAME.test(name) || UNICODE_NAME.test(name);

/** Called while the body is parsed. The name's length is checked later, as one of the entity's limits. */
export function checkPropertyName(name: string): void {
  if (!isPropertyName(name)) throw new TableError('PropertyNameInvalid', { name: name.slice(0, 64) });
}

function checkProperty(property: Property): void {
  if (property.name.length > PROPERTY_NAME_LENGTH_MAX)
    throw new TableError('PropertyNameTooLong', { name: property.name.slice(0, 64) });
  const tooLong =
    (property.type === 'Edm.String' && property.value.length > STRING_LENGTH_MAX) ||
    (property.type === 'Edm.Binary' && property.value.length > BINARY_BYTES_MAX);
  if (tooLong) throw new TableError('PropertyValueTooLarge', { name: property.name });
}

/** The limits that a merge can exceed when both of its sides are within them. */
export function checkTotals(bytes: number, properties: number): void {
  if (bytes > ENTITY_BYTES_MAX) throw new TableError('EntityTooLarge');
  if (properties > CUSTOM_PROPERTIES_MAX) throw new TableError('TooManyProperties');
}

/** Total size, then count, then each property (protocol: data-model#order-of-the-limits). */
export function checkEntity(key: EntityKey, properties: readonly Property[]): void {
  if (key.partitionKey.length > KEY_LENGTH_MAX || key.rowKey.length > KEY_LENGTH_MAX) {
    throw new TableError('PropertyValueTooLarge', { name: 'PartitionKey or RowKey' });
  }
  let bytes = keyBytes(key);
  for (const property of properties) bytes += propertyBytes(property);
  checkTotals(bytes, properties.length);
  for (const property of properties) checkProperty(property);
}

const FORBIDDEN_IN_KEYS = /[/\\#?\u0000-\u001f\u007f-\u009f\p{Surrogate}]/u;

/** Most keys match this. */
const PLAIN_KEY = /^[\w .:;,+=~!@$%&*()-]*$/;

/** Whether a key has a forbidden character (protocol: data-model#keys), or half of a surrogate pair, which a URL cannot encode. */
export const hasForbiddenCharacter = (key: string): boolean =>
  !PLAIN_KEY.test(key) && FORBIDDEN_IN_KEYS.test(key);

/** 3 to 63 letters and digits; the set of all tables has a name that no table may have. */
const TABLE_NAME = /^(?!tables$)[a-z][a-z0-9]{2,62}$/i;

/** Length before characters, as captured: `aa` is too short, `a//` has bad characters (protocol: tables#names). */
function tableNameFault(name: string): TableErrorCode {
  if (name.length < 3 || name.length > 63) return 'OutOfRangeInput:ResourceName';
  return name.toLowerCase() === 'tables' ? 'InvalidInput' : 'InvalidResourceName';
}

export function checkTableName(name: string): void {
  if (!TABLE_NAME.test(name)) throw new TableError(tableNameFault(name));
}
