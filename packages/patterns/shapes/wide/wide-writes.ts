// Plans writes of a wide entity: which of its rows are written, and how, in one transaction. Pure. The first row is always among them, under the ETag of the whole; the others need no condition of their own.

import type { AnyEntity, NewOf, Of } from '../../model/definition.js';
import { type EncodedRow, encodeEntity } from '../../model/encode-entity.js';
import { readPatch } from '../../model/patch.js';
import { refuseNewer } from '../../model/row-fault.js';
import { formatTag } from '../../model/row-head.js';
import { newestId, type Subject, whole, withId } from '../../repo/write/plan-write.js';
import type { PlannedWrite, WriteResult } from '../../repo/write/planned-write.js';
import type { RowWrite } from '../../transport/row-write.js';
import { type RowAddress, refuseValue } from '../../values/pattern-error.js';
import type { Values } from '../../values/property.js';
import { encodeProperty, type WireProperty } from '../../values/wire-property.js';
import {
  checkKeyLength,
  fits,
  keyOfPiece,
  pack,
  pieceRow,
  type WidePiece,
  type WideStored,
} from './wide-rows.js';

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

/** A row as a write leaves it. */
interface WrittenPiece {
  readonly number: number;
  /** A new one for a row that is written. */
  readonly id: string | undefined;
  readonly all: readonly WireProperty[];
  readonly sent: readonly WireProperty[];
  /** Not merged: all of it is new, or something goes. */
  readonly isReplaced: boolean;
}

/** What the first row's write gives, for all. */
const resultOf = <E extends AnyEntity>(
  { entity, table }: WideSubject<E>,
  row: Encoded<E>,
  before: WideStored<E> | undefined,
  pieces: readonly WidePiece[],
  etag: string | undefined,
): WideStored<E> => {
  const stored = whole(table, entity, row.whole, row.unknown)(etag);
  // A merge leaves a newer program's rows as they are.
  return { ...stored, version: Math.max(stored.version, before?.version ?? 0), pieces };
};

const further = (write: RowWrite, ifExists = false): Planned => ({
  write,
  isIndexRow: true,
  ifExists,
  result: () => undefined,
});

const deletionOf = ({ table, partitionKey, rowKey }: RowAddress, { number }: WidePiece): Planned =>
  further({ kind: 'delete', table, partitionKey, rowKey: keyOfPiece(rowKey, number), etag: '*' }, true);

/** The first row, which names the others, and of these the ones that change. */
function planPieces<E extends AnyEntity>(
  at: WideSubject<E>,
  row: Encoded<E>,
  stored: WideStored<E> | undefined,
  pieces: readonly WrittenPiece[],
): readonly Planned[] {
  const { entity, table } = at;
  const [head, ...others] = pieces as [WrittenPiece, ...WrittenPiece[]];
  const ids = others.map(({ id }) => id).join('');
  // A merge leaves the tag as it is: a newer program may have written it.
  const tag = head.isReplaced ? [tagOf(entity)] : [];
  const own = pieceRow(entity.name, row.address, 0, ids, [...tag, ...head.sent, ...row.id]);
  const kind = head.isReplaced ? 'replace' : 'merge';
  const write: RowWrite =
    stored === undefined ? { kind: 'create', table, row: own } : { kind, table, row: own, etag: stored.etag };
  const layout = pieces.map(({ number, id, all }) => ({ number, id, names: all.map(({ name }) => name) }));
  const first: Planned = {
    write,
    operationId: at.identity?.operationId,
    previousId: stored && newestId(at.identity, stored),
    result: etag => resultOf(at, row, stored, layout, etag),
  };
  const changed = others.filter(({ number, id }) => id !== stored?.pieces[number]?.id);
  return [
    first,
    ...changed.map(({ number, id = '', sent, isReplaced }) => {
      const piece = pieceRow(entity.name, row.address, number, id, [pieceTagOf(entity), ...sent]);
      return further(
        isReplaced ? { kind: 'upsert', table, row: piece } : { kind: 'merge', table, row: piece, etag: '*' },
      );
    }),
  ];
}

/** All rows anew. */
function planAll<E extends AnyEntity>(
  at: WideSubject<E>,
  row: Encoded<E>,
  stored: WideStored<E> | undefined,
): readonly Planned[] {
  const packed = pack(at.entity.name, row.address, row.properties);
  const pieces = packed.map((all, number) => {
    const id = number === 0 ? undefined : at.newId();
    return { number, id, all, sent: all, isReplaced: true };
  });
  const gone = (stored?.pieces ?? []).filter(({ number }) => number >= pieces.length);
  return [...planPieces(at, row, stored, pieces), ...gone.map(piece => deletionOf(row.address, piece))];
}

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

/** The rows with what a merge changes in each; undefined if something does not fit where it stands. New properties go into the last row. */
function changedPieces<E extends AnyEntity>(
  at: WideSubject<E>,
  row: Encoded<E>,
  stored: WideStored<E>,
): readonly WrittenPiece[] | undefined {
  const before = encoded(at, stored.value as NewOf<E>, stored);
  const literals = new Map(before.properties.map(({ name, literal }) => [name, literal]));
  const times = new Set(
    at.entity.plan.fields
      .filter(({ property }) => property.filling?.kind === 'updated')
      .map(({ wire }) => wire),
  );
  const pieces = stored.pieces.filter(({ number, id }) => number === 0 || id !== undefined);
  const placed = new Map(pieces.flatMap(({ number, names }) => names.map(name => [name, number] as const)));
  const last = pieces.length - 1;
  const changed = pieces.map(({ number, id, names }): WrittenPiece => {
    const all = row.properties.filter(({ name }) => (placed.get(name) ?? last) === number);
    const differing = all.filter(({ name, literal }) => literals.get(name) !== literal || times.has(name));
    // No merge takes a property away.
    const isReplaced = names.some(name => all.every(each => each.name !== name));
    const isWritten = number > 0 && (isReplaced || differing.length > 0);
    return { number, id: isWritten ? at.newId() : id, all, sent: isReplaced ? all : differing, isReplaced };
  });
  return changed.every(({ number, all }) => fits(row.address, number, all)) ? changed : undefined;
}

/** The rows that change, and the first one, which names them. Of each only what changes is sent, unless something goes. */
export function planMerge<E extends AnyEntity>(
  at: WideSubject<E>,
  stored: WideStored<E>,
  patch: Values,
): readonly Planned[] {
  const { entity } = at;
  const { set, removed } = readPatch(entity, patch);
  for (const name of Object.keys(patch))
    if (entity.plan.byName.get(name)?.inKey && patch[name] !== undefined)
      refuseValue(name, 'what it was', 'it is part of a key, and a row cannot change its keys');
  const gone = Object.fromEntries(removed.map(name => [name, undefined]));
  const value = { ...stored.value, ...set, ...gone } as NewOf<E>;
  const row = encoded(at, value, stored);
  const pieces = stored.version < entity.version ? undefined : changedPieces(at, row, stored);
  const isReplaced = pieces === undefined || pieces.some(each => each.isReplaced);
  if (isReplaced) refuseNewer(entity, stored);
  return pieces === undefined ? planAll(at, row, stored) : planPieces(at, row, stored, pieces);
}

export function planDelete<E extends AnyEntity>(stored: WideStored<E>): readonly Planned[] {
  const { table, partitionKey, rowKey, etag, pieces } = stored;
  const address = { table, partitionKey, rowKey };
  const own: Planned = { write: { kind: 'delete', ...address, etag }, result: () => undefined };
  return [own, ...pieces.filter(({ number }) => number > 0).map(piece => deletionOf(address, piece))];
}
