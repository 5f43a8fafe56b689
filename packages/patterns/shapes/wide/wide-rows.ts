// The layout of a wide entity's rows, and whether rows that were read are from one write. Pure.
//
// The first row has the entity's key, and the ids of the further rows as they were when it was written. Every write of any row writes the first one too, so that its ETag is that of the whole; and it gives
// each further row that it writes a new id. So a read that overlaps a write is detected: a further row is then not the one that the first row names.
import type { AnyEntity } from '../../model/definition.js';
import { KEY_LENGTH_MAX } from '../../model/keys/key-codec.js';
import type { StoredOf } from '../../model/stored.js';
import { fromBase64, fromHex, toHex } from '../../values/bytes.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { propertyNames, textOf } from '../../values/row-member.js';
import {
  CUSTOM_PROPERTIES_MAX,
  checkSize,
  ENTITY_BYTES_MAX,
  encodeProperty,
  keyBytes,
  rowBytes,
  type WireProperty,
  type WireRow,
} from '../../values/wire-property.js';

/** In a further row: which of its writes it is of. */
export const PIECE_ID = '_piece';
/** In the first row: the ids of the further ones. */
export const PIECE_IDS = '_pieces';

const ID_BYTES = 16;
/** One transaction writes them. */
const PIECES_MAX = 100;
const DIGITS = 3;

/** A row of a wide entity, by its number from 0, and the properties that stand in it, by their names in the table. */
export interface WidePiece {
  readonly number: number;
  readonly names: readonly string[];
  /** Undefined for the first row, and for one that the first does not name. */
  readonly id: string | undefined;
}

/** A whole wide entity. Its ETag is that of all its rows: each write of any of them changes it. */
export type WideStored<E extends AnyEntity> = StoredOf<E> & { readonly pieces: readonly WidePiece[] };

/** Rows that were read, as one; or why they are not of one moment. */
type WideRead =
  | { readonly row: WireObject; readonly pieces: readonly WidePiece[] }
  | { readonly reason: string; readonly etag: string };

export const keyOfPiece = (rowKey: string, number: number): string =>
  number === 0 ? rowKey : `${rowKey} ${String(number).padStart(DIGITS, '0')}`;

/** The key of the first row, and the number; 0 for what is no key of a further row. */
export function pieceOfKey(rowKey: string): { readonly first: string; readonly number: number } {
  const [, first, digits] = /^(.*) (\d{3})$/s.exec(rowKey) ?? [];
  return first === undefined ? { first: rowKey, number: 0 } : { first, number: Number(digits) };
}

/** The keys of all rows: a space sorts below every character that can follow in a key. */
export const keysOfPieces = (rowKey: string) => ({ ge: rowKey, lt: `${rowKey}!` });

/** Throws TooLarge for a key that leaves no room for the numbers of further rows. */
export const checkKeyLength = (subject: string, rowKey: string): void =>
  checkSize(
    'key',
    `${subject}, with the number of a further row,`,
    rowKey.length + DIGITS + 1,
    KEY_LENGTH_MAX,
  );

const OWN_NAMES: ReadonlySet<string> = new Set([PIECE_ID, PIECE_IDS]);

const namesIn = (row: WireObject, own: readonly (string | undefined)[]): readonly string[] =>
  propertyNames(row).filter(name => !OWN_NAMES.has(name) && !own.includes(name));

function idsIn(row: WireObject): readonly string[] {
  const bytes = fromBase64(textOf(row, PIECE_IDS) ?? '') ?? new Uint8Array();
  return Array.from({ length: Math.floor(bytes.length / ID_BYTES) }, (_, at) =>
    toHex(bytes.subarray(at * ID_BYTES, (at + 1) * ID_BYTES)),
  );
}

const idOf = (row: WireObject): string => toHex(fromBase64(textOf(row, PIECE_ID) ?? '') ?? new Uint8Array());

/** The rows of one wide entity; `rowKey` is the first one's key. `own` are the names of the tag and of operation ids, which have their place. Undefined without a first row. */
export function joinRows(
  rows: readonly WireObject[],
  rowKey: string,
  own: readonly (string | undefined)[],
): WideRead | undefined {
  const byNumber = new Map(rows.map(row => [pieceOfKey(textOf(row, 'RowKey') ?? '').number, row]));
  const head = rows.find(row => textOf(row, 'RowKey') === rowKey);
  if (head === undefined) return undefined;
  const ids = idsIn(head);
  const pieces: WidePiece[] = [{ number: 0, names: namesIn(head, own), id: undefined }];
  const members: Record<string, unknown> = {};
  for (const [at, id] of ids.entries()) {
    const number = at + 1;
    const row = byNumber.get(number);
    const found = row && idOf(row);
    if (row === undefined || found !== id) {
      const reason = `its row ${number + 1} is ${row === undefined ? 'missing' : 'of another write'}`;
      return { etag: textOf(head, 'odata.etag') ?? '', reason };
    }
    pieces.push({ number, names: namesIn(row, own), id });
    Object.assign(members, row);
  }
  // Those that no write of this library left: the next write of the whole takes them away.
  for (const number of byNumber.keys())
    if (number > ids.length) pieces.push({ number, names: [], id: undefined });
  const { [PIECE_IDS]: _, [PIECE_ID]: __, ...row } = { ...members, ...head } as WireObject;
  return { row, pieces };
}

/** What a piece has at most in addition to the entity's properties: the tag, its id or those of all others, and operation ids. */
const RESERVED = {
  first: { count: 3, bytes: 8_192 },
  further: { count: 2, bytes: 1_024 },
} as const;

/** Whether these properties and a piece's additional ones fit into one row. */
export function fits(address: RowAddress, number: number, properties: readonly WireProperty[]): boolean {
  const { count, bytes } = number === 0 ? RESERVED.first : RESERVED.further;
  const sum = properties.reduce((all, property) => all + property.bytes, 0);
  const keys = keyBytes(address.partitionKey, keyOfPiece(address.rowKey, number));
  return properties.length + count <= CUSTOM_PROPERTIES_MAX && sum + keys + bytes <= ENTITY_BYTES_MAX;
}

/** The properties by rows, in their order, each row filled before the next. Throws TooLarge for more than one transaction writes. */
export function pack(
  subject: string,
  address: RowAddress,
  properties: readonly WireProperty[],
): readonly (readonly WireProperty[])[] {
  const pieces: WireProperty[][] = [[]];
  for (const property of properties) {
    const last = pieces.at(-1) as WireProperty[];
    if (fits(address, pieces.length - 1, [...last, property])) last.push(property);
    else pieces.push([property]);
  }
  if (pieces.length > PIECES_MAX)
    throw new PatternError('TooLarge', {
      what: 'properties',
      where: `${subject}, in ${pieces.length} rows,`,
      size: properties.length,
      limit: PIECES_MAX * (CUSTOM_PROPERTIES_MAX - RESERVED.further.count) - 1,
    });
  return pieces;
}

/** A row as it is written: its tag, its properties, and its id or, in the first row, those of the further ones. */
export function pieceRow(
  subject: string,
  { partitionKey, rowKey: first }: RowAddress,
  number: number,
  ids: string,
  given: readonly WireProperty[],
): WireRow {
  const rowKey = keyOfPiece(first, number);
  const properties = [...given, encodeProperty(number === 0 ? PIECE_IDS : PIECE_ID, 'Binary', fromHex(ids))];
  return { partitionKey, rowKey, properties, bytes: rowBytes(subject, partitionKey, rowKey, properties) };
}
