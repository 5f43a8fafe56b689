// Builds an entity's properties from the members of its JSON: annotations, implied types, system properties (protocol: json#reading).
import { formatDateTimeFull, parseDateTime, YEAR_ONE } from '#base';
import {
  checkPropertyName,
  type EdmType,
  type EntityKey,
  hasForbiddenCharacter,
  type Property,
  parseProperty,
  TableError,
} from '#tables';
import type { MemberName } from './member-name.js';
import { type Member, readObject } from './read-object.js';

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
  /** The keys in the body, if any. Only an insert uses them. */
  readonly partitionKey: KeyMember | undefined;
  readonly rowKey: KeyMember | undefined;
  /** The custom properties in the order of the text, without nulls. */
  readonly properties: readonly Property[];
}

/** The type of a value without an annotation. A whole number beyond Int32 has none, as on Azure. */
function impliedType(member: Member): EdmType {
  if (member.kind === 'string') return 'Edm.String';
  if (member.kind === 'boolean') return 'Edm.Boolean';
  return /[.eE]/.test(member.text) ? 'Edm.Double' : 'Edm.Int32';
}

/** The value of a declared type is a string; numbers and booleans may also be bare. */
function propertyOf(name: string, member: Member, declared: EdmType | undefined): Property {
  const { kind, text } = member;
  if (kind === 'other') throw new TableError('InvalidInput:Body');
  const type = declared ?? impliedType(member);
  const bare =
    kind === 'string' ||
    (kind === 'boolean' && type === 'Edm.Boolean') ||
    (kind === 'number' && (type === 'Edm.Int32' || type === 'Edm.Int64' || type === 'Edm.Double'));
  const property = bare ? parseProperty(name, type, text, member.literal) : undefined;
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

function declaredType({ kind, text }: Member): EdmType {
  const type = kind === 'string' ? EDM_TYPE_NAMES.get(text) : undefined;
  if (!type) throw new TableError('InvalidInput:Body');
  return type;
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

/** The names of the last entity without duplicates: the next one mostly has the same. */
let distinctNames: readonly MemberName[] = [];
const DISTINCT_NAMES_MAX = 300;

const areDistinct = (members: readonly Member[]): boolean =>
  members.length === distinctNames.length && members.every(({ name }, i) => name === distinctNames[i]);

function rememberDistinct(members: readonly Member[]): void {
  if (members.length <= DISTINCT_NAMES_MAX && members.every(({ name }) => name.isKept))
    distinctNames = members.map(({ name }) => name);
}

/** Up to this length a search in a list is faster than a map. */
const FEW_DECLARED = 16;

/** The types that annotations declare; of two annotations of one property the later counts. */
class DeclaredTypes {
  readonly #names: string[] = [];
  readonly #types: EdmType[] = [];
  readonly #many: Map<string, EdmType> | undefined;

  constructor(members: readonly Member[]) {
    for (const member of members) {
      const { typeOf } = member.name;
      if (typeOf === undefined) continue;
      this.#names.push(typeOf);
      this.#types.push(declaredType(member));
    }
    if (this.#names.length <= FEW_DECLARED) return;
    const types = this.#types;
    this.#many = new Map(this.#names.map((name, i): [string, EdmType] => [name, types[i] ?? 'Edm.String']));
  }

  of(name: string): EdmType | undefined {
    if (this.#many !== undefined) return this.#many.get(name);
    return this.#names.length === 0 ? undefined : this.#types[this.#names.lastIndexOf(name)];
  }
}

/** @throws TableError for malformed entities. The domain checks the limits of names, values and sizes. */
export function parseEntity(body: Buffer): EntityBody {
  const members = readObject(body);
  const declared = new DeclaredTypes(members);
  const seen = areDistinct(members) ? undefined : new Set<string>();
  const properties: Property[] = [];
  let partitionKey: KeyMember | undefined;
  let rowKey: KeyMember | undefined;
  for (const member of members) {
    const { name, role, isValid } = member.name;
    if (role === 'control') continue;
    if (seen?.has(name)) throw new TableError('DuplicatePropertiesSpecified');
    seen?.add(name);
    if (role === 'partitionKey') partitionKey = { member, declared: declared.of(name) };
    else if (role === 'rowKey') rowKey = { member, declared: declared.of(name) };
    else if (role === 'custom' && member.kind !== 'null') {
      if (!isValid) checkPropertyName(name);
      properties.push(propertyOf(name, member, declared.of(name)));
    }
  }
  if (seen !== undefined) rememberDistinct(members);
  return { partitionKey, rowKey, properties };
}

/** The key of an entity to insert, from its body. */
export const requireKey = ({ partitionKey, rowKey }: EntityBody): EntityKey => ({
  partitionKey: keyOf(partitionKey, 'PartitionKey'),
  rowKey: keyOf(rowKey, 'RowKey'),
});
