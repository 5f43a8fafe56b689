// The properties of an entity from the members of its JSON: annotations, implied types, system properties (table-rest.md 5.6).
import {
  checkPropertyName,
  type EdmType,
  type EdmValue,
  type EntityKey,
  formatDateTimeFull,
  hasForbiddenCharacter,
  type Property,
  parseDateTime,
  parseTyped,
  TableError,
  YEAR_ONE,
} from '#tables';
import { type Member, readObject } from './read-object.js';

const TYPE_SUFFIX = '@odata.type';
/** Annotations, also of annotations, and control information are read and never stored. */
const isControl = (name: string): boolean => name.startsWith('odata.') || name.includes('@odata.');

const EDM_TYPE_NAMES: ReadonlyMap<string, EdmType> = new Map(
  (
    [
      'Edm.String',
      'Edm.Int32',
      'Edm.Int64',
      'Edm.Double',
      'Edm.Boolean',
      'Edm.DateTime',
      'Edm.Guid',
      'Edm.Binary',
    ] as const
  ).map(type => [type, type]),
);

export interface KeyMember {
  readonly member: Member;
  readonly declared: EdmType | undefined;
}

export interface EntityBody {
  /** PartitionKey and RowKey as far as the body names them. Only an insert asks what they are. */
  readonly keys: ReadonlyMap<string, KeyMember>;
  /** The custom properties in the order of the text, without those that are null. */
  readonly properties: readonly Property[];
}

/** What a value is where no annotation says it. A whole number beyond Int32 has no type that Azure would give it. */
function impliedType(member: Member): EdmType {
  if (member.kind === 'string') return 'Edm.String';
  if (member.kind === 'boolean') return 'Edm.Boolean';
  return /[.eE]/.test(member.text) ? 'Edm.Double' : 'Edm.Int32';
}

/** A declared type takes its value as a string; numbers and booleans also bare. */
function typedValue(member: Member, declared: EdmType | undefined): EdmValue {
  if (member.kind === 'other') throw new TableError('InvalidInput:Body');
  const type = declared ?? impliedType(member);
  const bare =
    member.kind === 'string' ||
    (member.kind === 'boolean' && type === 'Edm.Boolean') ||
    (member.kind === 'number' && (type === 'Edm.Int32' || type === 'Edm.Int64' || type === 'Edm.Double'));
  const value = bare ? parseTyped(type, member.text) : undefined;
  if (!value) throw refusedValue(member, type);
  return value;
}

/** Dates before 1601 have an answer of their own, which writes them as .NET does (table-rest.md 6.1, 11.2). */
function refusedValue({ name, text }: Member, type: EdmType): TableError {
  const early = type === 'Edm.DateTime' ? parseDateTime(text, YEAR_ONE) : undefined;
  if (early === undefined) return new TableError('InvalidInput:Body');
  const [year, month, day, time] = formatDateTimeFull(early).split(/[-T.]/);
  return new TableError('OutOfRangeInput:Parameter', { name, value: `${month}/${day}/${year} ${time}` });
}

function declaredTypes(members: readonly Member[]): ReadonlyMap<string, EdmType> {
  const declared = new Map<string, EdmType>();
  for (const { name, kind, text } of members) {
    if (!name.endsWith(TYPE_SUFFIX)) continue;
    const target = name.slice(0, -TYPE_SUFFIX.length);
    if (target.includes('@') || target.startsWith('odata.')) continue;
    const type = kind === 'string' ? EDM_TYPE_NAMES.get(text) : undefined;
    if (!type) throw new TableError('InvalidInput:Body');
    declared.set(target, type);
  }
  return declared;
}

/** The text of a key; null counts as absent, another type than Edm.String is refused. */
function keyOf(keys: EntityBody['keys'], name: string): string {
  const { member, declared = 'Edm.String' } = keys.get(name) ?? {};
  if (!member || member.kind === 'null') throw new TableError('PropertiesNeedValue');
  if (member.kind !== 'string' || declared !== 'Edm.String') throw new TableError('InvalidInput:KeyType');
  if (hasForbiddenCharacter(member.text))
    throw new TableError('OutOfRangeInput:Parameter', { name, value: member.text });
  return member.text;
}

/** @throws TableError for what is no entity; limits of names, values and sizes are the domain's to check. */
export function parseEntity(body: Buffer): EntityBody {
  const members = readObject(body);
  const declared = declaredTypes(members);
  const seen = new Set<string>();
  const properties: Property[] = [];
  const keys = new Map<string, KeyMember>();
  for (const member of members) {
    const { name } = member;
    if (isControl(name)) continue;
    if (seen.has(name)) throw new TableError('DuplicatePropertiesSpecified');
    seen.add(name);
    if (name === 'PartitionKey' || name === 'RowKey')
      keys.set(name, { member, declared: declared.get(name) });
    else if (name !== 'Timestamp' && member.kind !== 'null') {
      checkPropertyName(name);
      properties.push({ name, ...typedValue(member, declared.get(name)) });
    }
  }
  return { keys, properties };
}

/** The key of an entity to insert, from its body. */
export const requireKey = ({ keys }: EntityBody): EntityKey => ({
  partitionKey: keyOf(keys, 'PartitionKey'),
  rowKey: keyOf(keys, 'RowKey'),
});
