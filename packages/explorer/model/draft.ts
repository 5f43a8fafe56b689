// An entity while it is edited: every property as its type and the text in its field, so that nothing is lost, also while
// the text is not a value of the type. From a draft come the entity of an insert or a replace, and what differs.
import { type EdmType, literalOf, type Property, type Row, RowError, textOf } from '#data-tools/line';

export interface Field {
  /** Of the field in the form; names may be equal while they are typed. */
  readonly id: number;
  readonly name: string;
  readonly type: EdmType;
  readonly text: string;
}

export interface Draft {
  readonly partitionKey: string;
  readonly rowKey: string;
  readonly fields: readonly Field[];
  /** The entity as it was read; undefined for a new one. */
  readonly original: Row | undefined;
  readonly etag: string | undefined;
}

export interface Fault {
  /** Of the field, or 'keys'. */
  readonly at: number | 'keys';
  readonly message: string;
}

/** A property in two versions; undefined where a version lacks it. */
export interface Difference {
  readonly name: string;
  readonly before: Property | undefined;
  readonly after: Property | undefined;
}

const PROPERTIES_MAX = 252;
/** docs/protocol/data-model.md: strings and binaries of 64 KiB, an entity of 1 MiB. */
const STRING_LENGTH_MAX = 32_768;
const KEY_LENGTH_MAX = 512;
const NAME = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Pc}\p{Mn}\p{Mc}\p{Cf}]{0,254}$/u;
const RESERVED: ReadonlySet<string> = new Set(['PartitionKey', 'RowKey', 'Timestamp']);
/** docs/protocol/data-model.md: not allowed in keys. */
const KEY_FORBIDDEN = /[/\\#?\x00-\x1f\x7f-\x9f]/;

/** What a new field begins with, by its type. */
export const FIRST_TEXT: Readonly<Record<EdmType, string>> = {
  String: '',
  Boolean: 'false',
  Int32: '0',
  Int64: '0',
  Double: '0.0',
  DateTime: '1970-01-01T00:00:00Z',
  Guid: '00000000-0000-0000-0000-000000000000',
  Binary: '',
};

let ids = 0;
export const fieldOf = ({ name, type }: Pick<Property, 'name' | 'type'>, text: string): Field => ({
  id: ++ids,
  name,
  type,
  text,
});

export const draftOf = (row: Row, etag: string | undefined): Draft => ({
  partitionKey: row.partitionKey,
  rowKey: row.rowKey,
  fields: row.properties.map(property => fieldOf(property, textOf(property))),
  original: row,
  etag,
});

export const NEW_DRAFT: Draft = {
  partitionKey: '',
  rowKey: '',
  fields: [],
  original: undefined,
  etag: undefined,
};

function keyFault(name: string, text: string): Fault | undefined {
  const found = KEY_FORBIDDEN.exec(text)?.[0];
  if (found !== undefined)
    return { at: 'keys', message: `${name} may not contain ${JSON.stringify(found)}.` };
  return text.length > KEY_LENGTH_MAX
    ? { at: 'keys', message: `${name} has ${text.length} characters; ${KEY_LENGTH_MAX} are the limit.` }
    : undefined;
}

function nameFault({ id, name }: Field, seen: ReadonlySet<string>): Fault | undefined {
  if (name === '') return { at: id, message: 'The property needs a name.' };
  if (!NAME.test(name))
    return { at: id, message: 'A name begins with a letter or _ and has letters, digits and _ only.' };
  if (RESERVED.has(name)) return { at: id, message: `${name} is not a property of its own.` };
  return seen.has(name) ? { at: id, message: `There is another property ${name}.` } : undefined;
}

/** Without what a user typed or pasted around a value. */
const typed = (type: EdmType, text: string): string =>
  type === 'String' ? text : type === 'Binary' ? text.replace(/\s+/g, '') : text.trim();

const EXPECTED: Readonly<Record<EdmType, string>> = {
  String: 'A text.',
  Boolean: 'Type true or false.',
  Int32: 'Type a whole number from −2147483648 to 2147483647.',
  Int64: 'Type a whole number from −9223372036854775808 to 9223372036854775807.',
  Double: 'Type a number such as 1.5 or 1e-7, NaN, Infinity or -Infinity.',
  DateTime: 'Type a time such as 2026-01-31T12:00:00.1234567Z.',
  Guid: 'Type 32 hexadecimal digits as 12345678-9abc-def0-1234-56789abcdef0.',
  Binary: 'Type base64.',
};

/** The property, or a sentence about the text. */
export function propertyOf({ name, type, text }: Omit<Field, 'id'>): Property | string {
  if (type === 'String' && text.length > STRING_LENGTH_MAX)
    return `The text has ${text.length} characters; ${STRING_LENGTH_MAX} are the limit.`;
  try {
    return { name, type, literal: literalOf(type, typed(type, text)) };
  } catch (error) {
    if (error instanceof RowError) return EXPECTED[type];
    throw error;
  }
}

/** The entity that the draft means, and what is wrong with it. With faults the entity lacks the faulty properties. */
export function read(draft: Draft): { readonly row: Row; readonly faults: readonly Fault[] } {
  const { partitionKey, rowKey, fields, original } = draft;
  const faults: (Fault | undefined)[] = [keyFault('PartitionKey', partitionKey), keyFault('RowKey', rowKey)];
  const seen = new Set<string>();
  const properties: Property[] = [];
  for (const field of fields) {
    const fault = nameFault(field, seen);
    seen.add(field.name);
    const property = propertyOf(field);
    if (typeof property === 'string') faults.push({ at: field.id, message: property });
    else properties.push(property);
    faults.push(fault);
  }
  if (fields.length > PROPERTIES_MAX)
    faults.push({ at: 'keys', message: `An entity has at most ${PROPERTIES_MAX} properties.` });
  properties.sort((one, other) => (one.name < other.name ? -1 : one.name > other.name ? 1 : 0));
  const row = { partitionKey, rowKey, timestamp: original?.timestamp, properties };
  return { row, faults: faults.filter(each => each !== undefined) };
}

const byName = (row: Row | undefined): ReadonlyMap<string, Property> =>
  new Map((row?.properties ?? []).map(property => [property.name, property]));

const areEqual = (one: Property | undefined, other: Property | undefined): boolean =>
  one?.type === other?.type && one?.literal === other?.literal;

/** The properties in which two versions differ, by name. */
export function differences(before: Row | undefined, after: Row | undefined): readonly Difference[] {
  const [old, young] = [byName(before), byName(after)];
  return [...new Set([...old.keys(), ...young.keys()])]
    .sort()
    .map(name => ({ name, before: old.get(name), after: young.get(name) }))
    .filter(each => !areEqual(each.before, each.after));
}

/** What a merge sends: keys and the changed properties. It keeps what it does not name. */
export const changesOf = (before: Row | undefined, after: Row): Row => ({
  ...after,
  properties: differences(before, after).flatMap(each => each.after ?? []),
});

/** The draft's own changes on top of a newer version, which it then changes. */
export function rebased(draft: Draft, current: Row, etag: string | undefined): Draft {
  const changes = differences(draft.original, read(draft).row);
  const properties = new Map(byName(current));
  for (const { name, after } of changes) {
    if (after === undefined) properties.delete(name);
    else properties.set(name, after);
  }
  // Texts that are no values yet stay as they are typed.
  const faulty = draft.fields.filter(field => typeof propertyOf(field) === 'string');
  const kept = [...properties.values()].filter(({ name }) => !faulty.some(each => each.name === name));
  const fields = [...kept.map(property => fieldOf(property, textOf(property))), ...faulty];
  return { ...draft, fields, original: current, etag };
}
