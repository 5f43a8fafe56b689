// Plans writes of a wide entity: which of its rows are written, and how, in one transaction. Pure. The first row is always among them, under the ETag of the whole; the others need no condition of their own.

import { decodeWritten } from '../../model/decode-entity.js';
import type { AnyEntity, NewOf, Of } from '../../model/definition.js';
import { type EncodedRow, encodeEntity } from '../../model/encode-entity.js';
import { readPatch } from '../../model/patch.js';
import { refuseNewer } from '../../model/row-fault.js';
import { trackAsRead } from '../../model/stored.js';
import { formatTag } from '../../model/type-tag.js';
import { newestId, type Subject, withId } from '../../repo/write/plan-write.js';
import type { PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import type { RowWrite } from '../../transport/row-write.js';
import { instantOfEtag } from '../../values/instant.js';
import { type RowAddress, refuseValue } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { encodeProperty, type WireProperty } from '../../values/wire-property.js';
import { checkKeyLength, firstRow, fits, furtherRow, keyOfPiece, pack, type WidePiece } from './wide-rows.js';
import type { WideStored } from './wide-stored.js';

type Planned = PlannedWrite<WriteResult>;

/** A write of a wide entity. */
export interface WideSubject<E extends AnyEntity> extends Subject<E> {
  /** An id that no other write of a row has: 32 hexadecimal digits. */
  readonly newId: () => string;
}

/** A wide entity as it will be: what is in its rows, and what is beyond its own properties. */
interface Encoded<E extends AnyEntity> {
  readonly address: RowAddress;
  /** All of it, as if it stood in one row. */
  readonly whole: EncodedRow<Of<E>>;
  /** Without the operation id, which stands in the first row. */
  readonly properties: readonly WireProperty[];
  readonly unknown: readonly WireProperty[];
  readonly id: readonly WireProperty[];
}

const tagOf = (entity: AnyEntity): WireProperty =>
  encodeProperty(entity.tag ?? '', 'String', formatTag(entity));

/** Rows that queries of entities skip. */
const pieceTagOf = ({ name, version, tag }: AnyEntity): WireProperty =>
  encodeProperty(tag ?? '', 'String', formatTag({ name: `${name}.piece`, version }));

function encoded<E extends AnyEntity>(
  { entity, table, identity, now }: WideSubject<E>,
  value: NewOf<E>,
  stored: WideStored<E> | undefined,
): Encoded<E> {
  const unknown = withId(identity, stored?.unknown ?? []);
  const own = identity?.operationIds.property;
  const before = stored?.value;
  const row = encodeEntity(entity, value, { now, before, isWide: true });
  const { partitionKey, rowKey } = row;
  checkKeyLength(`${entity.name}.row`, rowKey);
  if (stored !== undefined && (stored.partitionKey !== partitionKey || stored.rowKey !== rowKey))
    refuseValue(`${entity.name}.key`, 'what it was', 'a row cannot change its keys');
  return {
    address: { table, partitionKey, rowKey },
    whole: row,
    properties: [
      ...row.properties.filter(({ name }) => name !== entity.tag),
      ...unknown.filter(({ name }) => name !== own),
    ],
    unknown,
    id: unknown.filter(({ name }) => name === own),
  };
}

const namesOf = (properties: readonly WireProperty[]): readonly string[] =>
  properties.map(({ name }) => name);

/** What the first row's write gives, for all. */
const resultOf =
  <E extends AnyEntity>({ entity, table }: WideSubject<E>, row: Encoded<E>, pieces: readonly WidePiece[]) =>
  (etag = ''): WideStored<E> => {
    const stored: WideStored<E> = {
      value: row.whole.value,
      entity: entity.name,
      table,
      partitionKey: row.address.partitionKey,
      rowKey: row.address.rowKey,
      etag,
      timestamp: instantOfEtag(etag),
      version: entity.version,
      whole: true,
      unknown: row.unknown,
      pieces,
    };
    return trackAsRead(entity, stored, () => decodeWritten(entity, row.whole, stored.table));
  };

const further = (write: RowWrite, ifExists = false): Planned => ({
  write,
  isIndexRow: true,
  ifExists,
  result: () => undefined,
});

const first = <E extends AnyEntity>(
  at: WideSubject<E>,
  stored: WideStored<E> | undefined,
  write: RowWrite,
  result: (etag?: string) => WideStored<E>,
): Planned => ({
  write,
  operationId: at.identity?.operationId,
  previousId: stored && newestId(at.identity, stored),
  result,
});

/** All rows anew. */
function planAll<E extends AnyEntity>(
  at: WideSubject<E>,
  row: Encoded<E>,
  stored: WideStored<E> | undefined,
): readonly Planned[] {
  const { entity, table } = at;
  const { address } = row;
  const [head = [], ...others] = pack(entity.name, address, row.properties);
  const ids = others.map(() => at.newId());
  const own = firstRow(entity.name, address, tagOf(entity), ids, [...head, ...row.id]);
  const pieces: readonly WidePiece[] = [head, ...others].map((properties, number) => ({
    number,
    names: namesOf(properties),
    id: number === 0 ? undefined : ids[number - 1],
  }));
  const write: RowWrite =
    stored === undefined
      ? { kind: 'create', table, row: own }
      : { kind: 'replace', table, row: own, etag: stored.etag };
  const gone = (stored?.pieces ?? []).filter(({ number }) => number > others.length);
  return [
    first(at, stored, write, resultOf(at, row, pieces)),
    ...others.map((properties, at) => {
      const tag = pieceTagOf(entity);
      const piece = furtherRow(entity.name, address, at + 1, tag, ids[at] as string, properties);
      return further({ kind: 'upsert', table, row: piece });
    }),
    ...gone.map(piece => deletionOf(address, piece)),
  ];
}

const deletionOf = ({ table, partitionKey, rowKey }: RowAddress, { number }: WidePiece): Planned =>
  further({ kind: 'delete', table, partitionKey, rowKey: keyOfPiece(rowKey, number), etag: '*' }, true);

export const planCreate = <E extends AnyEntity>(at: WideSubject<E>, value: NewOf<E>): readonly Planned[] =>
  planAll(at, encoded(at, value, undefined), undefined);

export function planReplace<E extends AnyEntity>(
  at: WideSubject<E>,
  stored: WideStored<E>,
  value: NewOf<E>,
): readonly Planned[] {
  refuseNewer(at.entity, stored);
  return planAll(at, encoded(at, value, stored), stored);
}

/** Properties of one row, as a merge leaves them and sends them. */
interface ChangedPiece {
  readonly number: number;
  readonly id: string | undefined;
  readonly all: readonly WireProperty[];
  readonly sent: readonly WireProperty[];
  /** Something goes, which no merge can do. */
  readonly isReplaced: boolean;
}

/** The rows with what a merge changes in each; undefined if something does not fit where it stands. New properties go into the last row. */
function changedPieces<E extends AnyEntity>(
  { entity, now, identity, table, newId }: WideSubject<E>,
  row: Encoded<E>,
  stored: WideStored<E>,
): readonly ChangedPiece[] | undefined {
  const before = encoded({ entity, now, identity, table, newId }, stored.value as NewOf<E>, stored);
  const literals = new Map(before.properties.map(({ name, literal }) => [name, literal]));
  const times = new Set(
    entity.plan.fields.filter(({ property }) => property.filling?.kind === 'updated').map(({ wire }) => wire),
  );
  const pieces = stored.pieces.filter(({ number, id }) => number === 0 || id !== undefined);
  const placed = new Map(pieces.flatMap(({ number, names }) => names.map(name => [name, number] as const)));
  const last = pieces.length - 1;
  const changed = pieces.map(({ number, names }) => {
    const all = row.properties.filter(({ name }) => (placed.get(name) ?? last) === number);
    const sent = all.filter(({ name, literal }) => literals.get(name) !== literal || times.has(name));
    const isReplaced = names.some(name => all.every(each => each.name !== name));
    return { number, id: undefined, all, sent, isReplaced };
  });
  if (changed.some(({ number, all }) => !fits(row.address, number, all))) return undefined;
  return changed.map(piece => {
    const isWritten = piece.number > 0 && (piece.isReplaced || piece.sent.length > 0);
    return { ...piece, id: isWritten ? newId() : pieces[piece.number]?.id };
  });
}

/** The rows that change, and the first one, which names them. Of each only what changes is sent, unless something goes. */
export function planMerge<E extends AnyEntity>(
  at: WideSubject<E>,
  stored: WideStored<E>,
  patch: Values,
): readonly Planned[] {
  const { entity, table } = at;
  const { set, removed } = readPatch(entity, patch);
  for (const name of Object.keys(patch))
    if (entity.plan.byName.get(name)?.inKey && patch[name] !== undefined)
      refuseValue(name, 'what it was', 'it is part of a key, and a row cannot change its keys');
  const gone = Object.fromEntries(removed.map(name => [name, undefined]));
  const value = { ...stored.value, ...set, ...gone } as NewOf<E>;
  if (stored.version < entity.version) return planReplace(at, stored, value);
  const row = encoded(at, value, stored);
  const pieces = changedPieces(at, row, stored);
  if (pieces === undefined) {
    refuseNewer(entity, stored);
    return planAll(at, row, stored);
  }
  const [head, ...others] = pieces as [ChangedPiece, ...ChangedPiece[]];
  const { address } = row;
  const ids = others.map(({ id }) => id as string);
  const sent = head.isReplaced ? head.all : head.sent;
  const whole = firstRow(entity.name, address, tagOf(entity), ids, [...sent, ...row.id]);
  // A merge leaves the tag as it is: a newer program may have written it.
  const own = head.isReplaced ? whole : { ...whole, properties: whole.properties.slice(1) };
  const written: RowWrite = {
    kind: head.isReplaced ? 'replace' : 'merge',
    table,
    row: own,
    etag: stored.etag,
  };
  if (head.isReplaced || others.some(({ isReplaced }) => isReplaced)) refuseNewer(entity, stored);
  const layout = pieces.map(({ number, id, all }) => ({ number, id, names: namesOf(all) }));
  const result = resultOf(at, row, layout);
  return [
    first(at, stored, written, etag => ({ ...result(etag), version: stored.version })),
    ...others
      .filter(({ number, id }) => id !== stored.pieces[number]?.id)
      .map(({ number, id, all, sent: some, isReplaced }) => {
        const tag = pieceTagOf(entity);
        const properties = isReplaced ? all : some;
        const piece = furtherRow(entity.name, address, number, tag, id as string, properties);
        return further(
          isReplaced
            ? { kind: 'upsert', table, row: piece }
            : { kind: 'merge', table, row: piece, etag: '*' },
        );
      }),
  ];
}

export function planDelete<E extends AnyEntity>(stored: WideStored<E>): readonly Planned[] {
  const { table, partitionKey, rowKey, etag, pieces } = stored;
  const address = { table, partitionKey, rowKey };
  const own: Planned = { write: { kind: 'delete', ...address, etag }, result: () => undefined };
  return [own, ...pieces.filter(({ number }) => number > 0).map(piece => deletionOf(address, piece))];
}
