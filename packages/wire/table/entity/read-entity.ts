// Reads the JSON of an entity as Azure's reader does: a flat object whose numbers keep their text, because `3` is an Int32 and `3.0` a Double,
// and of its members the properties: annotations, implied types, system properties (protocol: json#reading).

import { isAscii, isUtf8 } from 'node:buffer';
import { formatDateTimeFull, memo, parseDateTime, YEAR_ONE } from '#base';
import {
  checkPropertyName,
  EDM_TYPES,
  type EdmType,
  type EntityKey,
  hasForbiddenCharacter,
  isPropertyName,
  PROPERTY_NAME_LENGTH_MAX,
  type Property,
  parseProperty,
  TableError,
} from '#tables';

/** The class of a name: a property, a system property, an annotation. Names are repeated in every entity, so they are cached. */
interface MemberName {
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

const memberName = memo(
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

/** `number` keeps its text; `other` is an object or an array, which a property cannot be. */
export interface Member {
  readonly name: MemberName;
  readonly kind: 'string' | 'number' | 'boolean' | 'null' | 'other';
  readonly text: string;
  /** The literal of a string or a number in the body, quotes included; undefined where it may have escapes or non-ASCII characters. */
  readonly literal: string | undefined;
}

const NESTING_MAX = 32;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const LETTER_F = 0x66;
const LETTER_N = 0x6e;
const LETTER_T = 0x74;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Text whose strings are what they stand for: printable ASCII without a backslash. */
const PLAIN = /^[\x20-\x5b\x5d-\x7e]*$/;
/** Characters of a string that need decoding or are forbidden. */
const NOT_BARE = /[\\\u0000-\u001f]/;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** The name of skipped members. */
const NO_NAME = memberName('');
const malformed = () => new TableError('InvalidInput:Body');

interface JsonObject {
  /** In the order of the text, duplicates and all. */
  readonly members: readonly Member[];
  /** No name is given twice. */
  readonly hasDistinctNames: boolean;
}

/** The names of the previous object: the next one mostly has the same, in the same order. Names without escapes only. */
const expectedNames: MemberName[] = [];
const EXPECTED_NAMES_MAX = 300;
/** So many of them, from the first on, are known to be distinct. */
let distinctNames = 0;

/** Remembers it where the next object may have the same names. */
function areDistinct(members: readonly Member[]): boolean {
  if (new Set(members.map(({ name }) => name.name)).size < members.length) return false;
  if (members.every(({ name }, place) => name === expectedNames[place])) distinctNames = members.length;
  return true;
}

class JsonReader {
  readonly #text: string;
  readonly #isPlain: boolean;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#isPlain = PLAIN.test(text);
  }

  /** The next non-blank character; NaN at the end. */
  #peek(): number {
    let unit = this.#text.charCodeAt(this.#at);
    while (unit === SPACE || unit === LINE_FEED || unit === CARRIAGE_RETURN || unit === TAB)
      unit = this.#text.charCodeAt(++this.#at);
    return unit;
  }

  /** Consumes one character if it is the next. */
  take(unit: number): boolean {
    if (this.#peek() !== unit) return false;
    this.#at++;
    return true;
  }

  expect(unit: number): void {
    if (!this.take(unit)) throw malformed();
  }

  string(): string {
    this.expect(QUOTE);
    const from = this.#at;
    const until = this.#text.indexOf('"', from);
    if (until === -1) throw malformed();
    const text = this.#text.slice(from, until);
    if (!this.#isPlain && NOT_BARE.test(text)) return this.#escapedString(from);
    this.#at = until + 1;
    return text;
  }

  /** The name of the member at this place, with the colon after it; the expected one is recognised without parsing. */
  #name(place: number): MemberName {
    this.#peek();
    const expected = expectedNames[place];
    if (expected !== undefined && this.#text.startsWith(expected.token, this.#at)) {
      this.#at += expected.token.length;
      return expected;
    }
    const name = memberName(this.string());
    this.expect(COLON);
    distinctNames = Math.min(distinctNames, place);
    if (this.#isPlain && name.isKept && place < EXPECTED_NAMES_MAX) expectedNames[place] = name;
    return name;
  }

  /** The object that is the whole text. */
  object(): JsonObject {
    const members: Member[] = [];
    this.expect(OPEN_BRACE);
    if (!this.take(CLOSE_BRACE)) {
      do members.push(this.value(this.#name(members.length), 1));
      while (this.take(COMMA));
      this.expect(CLOSE_BRACE);
    }
    if (!Number.isNaN(this.#peek())) throw malformed();
    return { members, hasDistinctNames: members.length <= distinctNames || areDistinct(members) };
  }

  /** A loop: a regular expression with alternatives would need memory for each character of a long string. */
  #escapedString(from: number): string {
    let until = from;
    for (let unit = this.#text.charCodeAt(until); unit !== QUOTE; unit = this.#text.charCodeAt(until)) {
      if (Number.isNaN(unit)) throw malformed();
      until += unit === BACKSLASH ? 2 : 1;
    }
    this.#at = until + 1;
    try {
      return String(JSON.parse(this.#text.slice(from - 1, until + 1)));
    } catch {
      throw malformed();
    }
  }

  #word(name: MemberName, kind: 'boolean' | 'null', word: string): Member {
    if (!this.#text.startsWith(word, this.#at)) throw malformed();
    this.#at += word.length;
    return { name, kind, text: kind === 'null' ? '' : word, literal: undefined };
  }

  value(name: MemberName, depth: number): Member {
    switch (this.#peek()) {
      case QUOTE: {
        const from = this.#at;
        const text = this.string();
        const literal = this.#isPlain ? this.#text.slice(from, this.#at) : undefined;
        return { name, kind: 'string', text, literal };
      }
      case OPEN_BRACE:
      case OPEN_BRACKET:
        this.#skipNested(depth);
        return { name, kind: 'other', text: '', literal: undefined };
      case LETTER_T:
        return this.#word(name, 'boolean', 'true');
      case LETTER_F:
        return this.#word(name, 'boolean', 'false');
      case LETTER_N:
        return this.#word(name, 'null', 'null');
      default: {
        const from = this.#at;
        NUMBER.lastIndex = from;
        if (!NUMBER.test(this.#text)) throw malformed();
        this.#at = NUMBER.lastIndex;
        const number = this.#text.slice(from, this.#at);
        return { name, kind: 'number', text: number, literal: number };
      }
    }
  }

  #skipNested(depth: number): void {
    if (depth >= NESTING_MAX) throw malformed();
    if (this.take(OPEN_BRACE)) skipMembers(this, depth + 1);
    else {
      this.expect(OPEN_BRACKET);
      if (this.take(CLOSE_BRACKET)) return;
      do this.value(NO_NAME, depth + 1);
      while (this.take(COMMA));
      this.expect(CLOSE_BRACKET);
    }
  }
}

/** Skips members up to and including the closing brace; the opening one is consumed already. */
function skipMembers(reader: JsonReader, depth: number): void {
  if (reader.take(CLOSE_BRACE)) return;
  do {
    reader.string();
    reader.expect(COLON);
    reader.value(NO_NAME, depth);
  } while (reader.take(COMMA));
  reader.expect(CLOSE_BRACE);
}

/** @throws TableError InvalidInput:Body for anything but a JSON object in UTF-8. */
export function readObject(body: Buffer): JsonObject {
  // Most bodies are ASCII, and then one character is one byte.
  if (isAscii(body)) return new JsonReader(body.toString('latin1')).object();
  if (!isUtf8(body)) throw malformed();
  const text = body.toString('utf8');
  return new JsonReader(text.startsWith('\ufeff') ? text.slice(1) : text).object();
}

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
  const property = TYPES_OF[member.kind].includes(type) ? parseProperty(name, type, member) : undefined;
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
  for (const { name, text } of members) {
    if (name.typeOf === undefined) continue;
    const type = EDM_TYPE_NAMES.get(text);
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
