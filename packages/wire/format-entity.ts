// Writes entities as JSON from their stored form, at the three metadata levels (table-rest.md 5.3 to 5.5, 9.3).
// Without metadata and projection that is a copy of the stored text behind the system properties.
import type { Row } from '#store';
import {
  decodeName,
  EDM_TYPES,
  escapeText,
  FLAG_ANNOTATED,
  formatDateTime,
  type StoredProperty,
  storedProperties,
  textStart,
} from '#tables';
import { formatEtag } from './etag.js';
import type { ResponseFormat } from './response-format.js';

/** Where an entity stands, for the URLs that metadata holds. */
export interface EntityPlace {
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly account: string;
  /** As the request spells it. */
  readonly table: string;
}

/** Pieces of an answer: ASCII text and copies of stored text. */
export type Pieces = (string | Buffer)[];

/** Up to here an answer is a string: it leaves in one write with its headers, a buffer in a write of its own. */
const TEXT_BYTES_MAX = 65_536;

/** A copy as text. Stored text is ASCII, and so is every piece. */
function textOfPieces(pieces: Pieces): string {
  let text = '';
  for (const piece of pieces) text += typeof piece === 'string' ? piece : piece.toString('latin1');
  return text;
}

/** Joins pieces in one string, or in one buffer where they are long. */
export function joinPieces(pieces: Pieces): Buffer | string {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  if (length <= TEXT_BYTES_MAX) return textOfPieces(pieces);
  const bytes = Buffer.allocUnsafe(length);
  let at = 0;
  for (const piece of pieces)
    at += typeof piece === 'string' ? bytes.write(piece, at, 'latin1') : piece.copy(bytes, at);
  return bytes;
}

/** `PartitionKey='a',RowKey='b'` as URLs in answers have it: quotes doubled, the rest percent-encoded (table-rest.md 1.3). */
const encodeKey = (key: string): string => encodeURIComponent(key.replaceAll("'", "''"));

export const entityPath = (table: string, row: Pick<Row, 'partition' | 'key'>): string =>
  `${table}(PartitionKey='${encodeKey(row.partition)}',RowKey='${encodeKey(row.key)}')`;

const quoted = (text: string): string => `"${escapeText(text)}"`;

function controlInformation(row: Row, place: EntityPlace, format: ResponseFormat): string[] {
  if (format.level === 'nometadata') return [];
  const etag = `"odata.etag":${quoted(formatEtag(row.version))}`;
  if (format.level === 'minimalmetadata') return [etag];
  const path = entityPath(place.table, row);
  return [
    `"odata.type":"${place.account}.${place.table}"`,
    `"odata.id":${quoted(`${place.endpoint}/${path}`)}`,
    etag,
    `"odata.editLink":${quoted(path)}`,
  ];
}

/** The version is annotated at full metadata only. */
function systemProperty(name: string, row: Row, format: ResponseFormat): string {
  if (name === 'PartitionKey') return `"PartitionKey":${quoted(row.partition)}`;
  if (name === 'RowKey') return `"RowKey":${quoted(row.key)}`;
  const annotation = format.level === 'fullmetadata' ? '"Timestamp@odata.type":"Edm.DateTime",' : '';
  return `${annotation}"Timestamp":"${formatDateTime(row.version)}"`;
}

const SYSTEM_PROPERTIES = ['PartitionKey', 'RowKey', 'Timestamp'] as const;

function annotation(value: Buffer, property: StoredProperty): string {
  const name = value.toString('latin1', property.nameAt, property.nameAt + property.nameLength);
  return `,"${name}@odata.type":"${EDM_TYPES[property.type]}"`;
}

/** From the comma before the name to the end of the literal. */
const textOf = (value: Buffer, { nameAt, literalAt, literalLength }: StoredProperty): Buffer =>
  value.subarray(nameAt - 2, literalAt + literalLength);

/** Each property's text, with its annotation before it where the level asks for one; neighbours without are one piece. */
function addAnnotated(pieces: Pieces, value: Buffer, properties: readonly StoredProperty[]): void {
  for (const property of properties) {
    if ((property.flags & FLAG_ANNOTATED) !== 0) pieces.push(annotation(value, property));
    pieces.push(textOf(value, property));
  }
}

function addSelected(pieces: Pieces, row: Row, format: ResponseFormat, select: readonly string[]): void {
  const wanted = new Set(select);
  const stored = storedProperties(row.value).map(property => ({
    property,
    name: decodeName(row.value, property),
  }));
  const found = stored.filter(({ name }) => wanted.has(name));
  if (format.level === 'nometadata')
    for (const { property } of found) pieces.push(textOf(row.value, property));
  else
    addAnnotated(
      pieces,
      row.value,
      found.map(({ property }) => property),
    );
  const present = new Set<string>([...SYSTEM_PROPERTIES, ...found.map(({ name }) => name)]);
  for (const name of wanted) if (!present.has(name)) pieces.push(`,${quoted(name)}:null`);
}

/** Adds an entity's JSON object. `first` is a member that stands before all others, such as odata.metadata. */
export function addEntity(
  pieces: Pieces,
  row: Row,
  place: EntityPlace,
  format: ResponseFormat,
  first?: string,
): void {
  const { select } = format;
  const system = SYSTEM_PROPERTIES.filter(name => !select || select.includes(name)).map(name =>
    systemProperty(name, row, format),
  );
  const head = [
    ...(first === undefined ? [] : [first]),
    ...controlInformation(row, place, format),
    ...system,
  ].join(',');
  pieces.push(`{${head}`);
  const before = pieces.length;
  if (select) addSelected(pieces, row, format, select);
  else if (format.level === 'nometadata') pieces.push(row.value.subarray(textStart(row.value)));
  else addAnnotated(pieces, row.value, storedProperties(row.value));
  const next = pieces[before];
  if (head === '' && next !== undefined)
    pieces[before] = typeof next === 'string' ? next.slice(1) : next.subarray(1);
  pieces.push('}');
}
