// Builds an entity's properties from the members of its JSON: annotations, implied types, system properties (protocol: json#reading).
import { formatDateTimeFull, parseDateTime, YEAR_ONE } from '#base';
import {
  checkPropertyName,
  EDM_TYPES,
  type EdmType,
  type EntityKey,
  hasForbiddenCharacter,
  type Property,
  parseProperty,
  TableError,
} from '#tables';
import { type Member, readObject } from './read-object.js';

const EDM_TYPE_NAMES: ReadonlyMap<string, EdmType> = new Map(EDM_TYPES.map(type => [type, type]));
const NUMBERS: readonly EdmType[] = ['Edm.Int32', 'Edm.Int64', 'Edm.Double'];
/** What each kind of value can be: numbers and booleans need no quotes, and all types may have them. */
const TYPES_OF: Readonly<Record<Member['kind'], readonly EdmType[]>> = {
  string: EDM_TYPES,
  number: NUMBERS,
  boolean: ['Edm.Boolean'],
  null: [],
  other: [],
};

interface KeyMember {
  readonly member: Member;
  readonly declared: EdmType | undefined;
}

interface EntityBody {
  /** The keys in the body, if any. Only an insert uses them. */
  readonly partitionKey: KeyMember | undefined;
  readonly rowKey: KeyMember | undefined;
  /** The custom properties in the order of the text, without nulls. */
  readonly properties: readonly Property[];
}

/** The type of a value without an annotation. Whole numbers beyond Int32 are Doubles (protocol: json#reading). */
function impliedType(member: Member): EdmType {
  if (member.kind === 'string') return 'Edm.String';
  if (member.kind === 'boolean') return 'Edm.Boolean';
  return /[.eE]/.test(member.text) || +member.text !== (+member.text | 0) ? 'Edm.Double' : 'Edm.Int32';
}

function propertyOf(name: string, member: Member, declared: EdmType | undefined): Property {
  const type = declared ?? impliedType(member);
  const isPossible = TYPES_OF[member.kind].includes(type);
  const property = isPossible ? parseProperty(name, type, member) : undefined;
  if (!property) throw refusedValue(member, type);
  return property;
}

/** Dates before 1601 have a refusal of their own, which formats them as .NET does (protocol: errors#codes-of-tables). */
function refusedValue({ name: { name }, text }: Member, type: EdmType): TableError {
  const early = type === 'Edm.DateTime' ? parseDateTime(text, YEAR_ONE) : undefined;
  if (early === undefined) return new TableError('InvalidInput:Body');
  const [year, month, day, time] = formatDateTimeFull(early).split(/[-T.]/);
  return new TableError('OutOfRangeInput:Parameter', { name, value: `${month}/${day}/${year} ${time}` });
}

/** The text of a key; null counts as absent, another type than Edm.String is refused. */
function keyOf(key: KeyMember | undefined, name: string): string {
  const { member, declared = 'Edm.String' } = key ?? {};
  if (!member || member.kind === 'null') throw new TableError('PropertiesNeedValue');
  if (member.kind !== 'string' || declared !== 'Edm.String') throw new TableError('InvalidInput:KeyType');
  if (hasForbiddenCharacter(member.text))
    throw new TableError('OutOfRangeInput:Parameter', { name, value: member.text });
  return member.text;
}

/** By name of property, the types that annotations declare; of two annotations of one property the later counts. */
function declaredTypes(members: readonly Member[]): ReadonlyMap<string, EdmType> {
  const types = new Map<string, EdmType>();
  for (const { name, kind, text } of members) {
    if (name.typeOf === undefined) continue;
    const type = kind === 'string' ? EDM_TYPE_NAMES.get(text) : undefined;
    if (type === undefined) throw new TableError('InvalidInput:Body');
    types.set(name.typeOf, type);
  }
  return types;
}

/** @throws TableError for malformed entities. The domain checks the limits of names, values and sizes. */
export function parseEntity(body: Buffer): EntityBody {
  const { members, hasDistinctNames } = readObject(body);
  const declared = declaredTypes(members);
  const seen = hasDistinctNames ? undefined : new Set<string>();
  const properties: Property[] = [];
  let partitionKey: KeyMember | undefined;
  let rowKey: KeyMember | undefined;
  for (const member of members) {
    const { name, role, isValid } = member.name;
    if (role === 'control') continue;
    if (seen?.has(name)) throw new TableError('DuplicatePropertiesSpecified');
    seen?.add(name);
    if (role === 'partitionKey') partitionKey = { member, declared: declared.get(name) };
    else if (role === 'rowKey') rowKey = { member, declared: declared.get(name) };
    else if (role === 'custom' && member.kind !== 'null') {
      if (!isValid) checkPropertyName(name);
      properties.push(propertyOf(name, member, declared.get(name)));
    }
  }
  return { partitionKey, rowKey, properties };
}

/** The key of an entity to insert, from its body. */
export const requireKey = ({ partitionKey, rowKey }: EntityBody): EntityKey => ({
  partitionKey: keyOf(partitionKey, 'PartitionKey'),
  rowKey: keyOf(rowKey, 'RowKey'),
});
