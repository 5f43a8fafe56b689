// Reads rows from JSON: lines of a dump, pages of a query, entities in OData form from other programs. Values keep
// their texts, which JSON.parse would lose: `1.0` is a Double and `1` an Int32. An invalid row is a RowError. line.ts
// writes lines.
//
//   readRow(line)            one object, which is the whole text
//   readPage(text)           the answer to Query Entities: { "value": [ … ] }
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, JsonText, OPEN_BRACE, OPEN_BRACKET } from './json-text.js';
import { formatDateTime, formatString, isLiteral, literalOf } from './literal.js';
import { type EdmType, type Property, type Row, RowError } from './row.js';
import { type Annotation, isTypeName, type Member, memberOf, type Place, RowShape } from './row-shape.js';

/** Printable ASCII: strings without a backslash are then already canonical. */
const NOT_PLAIN = /[^\x20-\x7e]/;
/** Characters that a canonical string escapes and JSON allows raw, and those that no JSON string may have. */
const SPECIAL = /[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]/;
const INT32 = /^-?\d{1,10}$/;
const INT32_MAX = 2 ** 31 - 1;
const QUOTE = 0x22;

function textIn(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    throw new RowError(`${literal.slice(0, 60)} is not a JSON string`);
  }
}

function literalNamed(name: string, type: EdmType, text: string): string {
  try {
    return literalOf(type, text);
  } catch (error) {
    if (error instanceof RowError) throw new RowError(`property ${JSON.stringify(name)}: ${error.message}`);
    throw error;
  }
}

/** For a value without an annotation: JSON's own types, and the point that makes a Double. */
function typeOf(raw: string): EdmType {
  if (raw.charCodeAt(0) === QUOTE) return 'String';
  if (raw === 'true' || raw === 'false') return 'Boolean';
  // Beyond Int32 a server that drops the point of a Double, as Azurite does, meant one.
  return INT32.test(raw) && Math.abs(Number(raw) + 0.5) < INT32_MAX + 1 ? 'Int32' : 'Double';
}

function literalIn(raw: string, { name, annotation }: Place, type: EdmType): string {
  if (isLiteral(type, raw)) return raw;
  const isString = raw.charCodeAt(0) === QUOTE;
  if (annotation === undefined) return isString ? raw : literalNamed(name, type, raw);
  if (type !== 'String') return literalNamed(name, type, isString ? textIn(raw) : raw);
  if (!isString) throw new RowError(`property ${JSON.stringify(name)}: ${raw} is no String`);
  return raw;
}

class RowReader {
  readonly #json: JsonText;
  readonly #isPlain: boolean;
  readonly #shape: RowShape;
  readonly #values: string[] = [];
  /** The previous row's, as text and as value: rows of one partition come together. */
  #partitionText = '';
  #partitionKey = '';

  constructor(text: string, shape: RowShape) {
    this.#json = new JsonText(text);
    this.#isPlain = !NOT_PLAIN.test(text);
    this.#shape = shape;
  }

  get json(): JsonText {
    return this.#json;
  }

  /** The value in canonical form, if it is a string. */
  #scalar(): string {
    const raw = this.#json.scalar();
    if (raw.charCodeAt(0) !== QUOTE) return raw;
    return this.#json.hasEscape || (!this.#isPlain && SPECIAL.test(raw)) ? formatString(textIn(raw)) : raw;
  }

  /** A name and its colon; for a type, which most rows repeat, including its value. */
  #member(at: number): Member {
    const json = this.#json;
    json.peek();
    const expected = this.#shape.members[at];
    if (expected !== undefined && json.takeText(expected.token)) return expected;
    const raw = json.string();
    const name = textIn(raw);
    json.expect(COLON);
    if (!isTypeName(name)) return memberOf(`${raw}:`, name);
    const value = this.#scalar();
    if (value.charCodeAt(0) !== QUOTE) throw new RowError(`${name} is ${value}, which is not a string`);
    return memberOf(`${raw}:${value}`, name, value);
  }

  row(): Row {
    const json = this.#json;
    const values = this.#values;
    const shape = this.#shape;
    /** Set as soon as the row differs from the one before. */
    let own: Member[] | undefined;
    let count = 0;
    json.expect(OPEN_BRACE);
    if (!json.take(CLOSE_BRACE)) {
      do {
        const member = this.#member(count);
        if (own === undefined && member !== shape.members[count]) own = shape.members.slice(0, count);
        own?.push(member);
        if (member.role === 'control') json.skip();
        else if (member.role !== 'type') values[count] = this.#scalar();
        count++;
      } while (json.take(COMMA));
      json.expect(CLOSE_BRACE);
    }
    if (own !== undefined) shape.change(own);
    else if (count !== shape.members.length) shape.change(shape.members.slice(0, count));
    return this.#build();
  }

  #build(): Row {
    const values = this.#values;
    const { places, partitionKey: partition, rowKey: row, timestamp: time } = this.#shape;
    if (partition === -1) throw new RowError('the row has no PartitionKey');
    if (row === -1) throw new RowError('the row has no RowKey');
    const partitionText = values[partition] ?? '';
    if (partitionText !== this.#partitionText) {
      this.#partitionKey = keyOf(partitionText, 'PartitionKey');
      this.#partitionText = partitionText;
    }
    const partitionKey = this.#partitionKey;
    const rowKey = keyOf(values[row] ?? '', 'RowKey');
    const timestamp = time === -1 ? undefined : timeOf(values[time] ?? '');
    const properties: Property[] = [];
    for (const place of places) {
      const raw = values[place.value] ?? '';
      // Null means that the property is absent.
      if (raw === 'null') continue;
      const { name, annotation } = place;
      const type =
        annotation === undefined ? typeOf(raw) : (annotation.type ?? unknownType(name, annotation));
      properties.push({ name, type, literal: literalIn(raw, place, type) });
    }
    return { partitionKey, rowKey, timestamp, properties };
  }
}

function unknownType(name: string, { token }: Annotation): never {
  const type = token.slice(token.lastIndexOf(':') + 1);
  throw new RowError(`property ${JSON.stringify(name)} has the type ${type}, which tables do not have`);
}

function keyOf(raw: string, name: string): string {
  if (raw.charCodeAt(0) !== QUOTE) throw new RowError(`${name} is not a string`);
  return textIn(raw);
}

const timeOf = (raw: string): string =>
  isLiteral('DateTime', raw) ? raw.slice(1, -1) : formatDateTime(keyOf(raw, 'Timestamp'));

/** The row of a line or of an entity in OData form. @throws RowError */
export function readRow(text: string, shape = new RowShape()): Row {
  const reader = new RowReader(text, shape);
  const row = reader.row();
  reader.json.end();
  return row;
}

/** The rows of an answer to Query Entities, or of an array of entities. @throws RowError */
export function readPage(text: string, shape = new RowShape()): readonly Row[] {
  const reader = new RowReader(text, shape);
  const { json } = reader;
  let rows: Row[] | undefined;
  if (json.peek() === OPEN_BRACKET) rows = readArray(reader);
  else {
    json.expect(OPEN_BRACE);
    if (!json.take(CLOSE_BRACE)) {
      do {
        json.peek();
        const name = json.string();
        json.expect(COLON);
        if (name === '"value"') rows = readArray(reader);
        else json.skip();
      } while (json.take(COMMA));
      json.expect(CLOSE_BRACE);
    }
  }
  json.end();
  if (rows === undefined) throw new RowError('the answer has no value');
  return rows;
}

function readArray(reader: RowReader): Row[] {
  const { json } = reader;
  const rows: Row[] = [];
  json.expect(OPEN_BRACKET);
  if (json.take(CLOSE_BRACKET)) return rows;
  do rows.push(reader.row());
  while (json.take(COMMA));
  json.expect(CLOSE_BRACKET);
  return rows;
}
