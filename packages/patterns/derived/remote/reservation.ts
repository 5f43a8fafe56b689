// The rows by which a unique key of a remote index is reserved, as values. Pure; reserve.ts writes and reads them.
//
//   the index's row     what the index has of the value, and `_reserved`: the id of the transaction that reserved the key. Without that property the key is confirmed.
//   transaction record  ('<partition of the entity's row>', '!transaction!<id>'), State: `committed`, created in the transaction that writes the entity's row; or `aborted`, created by
//                       the process that found the reservation expired. Only one of them can exist, so a transaction whose record is `aborted` can never be done, however late its request arrives.
import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import type { ExpectedIndexRow } from '../../model/index-row.js';
import type { RowAnswer } from '../../transport/row-source.js';
import type { RowWrite } from '../../transport/row-write.js';
import type { RowAddress } from '../../values/pattern-error.js';
import { MARKS, textOf } from '../../values/row-member.js';
import { encodeProperty, rowBytes, type WireProperty, type WireRow } from '../../values/wire-property.js';

/** Of a reservation and the transaction that it is for. */
export type ReservationId = string;

/** Row keys of records begin with this. No entity's do, because keys that are made of values sort above it. */
export const RECORD_PREFIX = '!transaction!';

/** The outcome of a transaction that reserved keys. */
export type TransactionState = 'committed' | 'aborted';

/** A row of reservations, with its size. */
export const rowOf = (
  subject: string,
  partitionKey: string,
  rowKey: string,
  properties: readonly WireProperty[],
): WireRow => ({
  partitionKey,
  rowKey,
  properties,
  bytes: rowBytes(subject, partitionKey, rowKey, properties),
});

/** The transaction record of a row's partition. */
export const recordAddress = ({ table, partitionKey }: RowAddress, id: ReservationId): RowAddress => ({
  table,
  partitionKey,
  rowKey: `${RECORD_PREFIX}${id}`,
});

/** The write that commits a transaction, or aborts it for good. */
export function recordWrite(owner: RowAddress, id: ReservationId, state: TransactionState): RowWrite {
  const { table, partitionKey, rowKey } = recordAddress(owner, id);
  const properties = [
    encodeProperty('EntityType', 'String', 'Transaction.1'),
    encodeProperty('State', 'String', state),
  ];
  return { kind: 'create', table, row: rowOf('Transaction', partitionKey, rowKey, properties) };
}

/** The contents of a transaction record. */
export const stateIn = ({ row }: Pick<RowAnswer, 'row'>): TransactionState =>
  textOf(row, 'State') === 'committed' ? 'committed' : 'aborted';

/** A unique index of an entity, and the table of the entity's rows. */
export interface UniqueIndex {
  readonly entity: AnyEntity;
  readonly table: string;
  readonly index: IndexPlan;
}

/** A key that a write gives a row. */
export interface Reservation extends UniqueIndex {
  /** The entity's row that gets the key. */
  readonly owner: RowAddress;
  readonly expected: ExpectedIndexRow;
  /** The write makes the owner's row. */
  readonly isNew: boolean;
}

/** The index's row while its transaction may yet be done. */
export const pendingRow = (
  { index, expected: { row } }: Pick<Reservation, 'index' | 'expected'>,
  id: ReservationId,
): WireRow =>
  rowOf(index.entity.name, row.partitionKey, row.rowKey, [
    ...row.properties,
    encodeProperty(MARKS.reserved, 'String', id),
  ]);

/** Whether this is what a reservation has beyond an index's row. */
export const isReservation = ({ name }: Pick<WireProperty, 'name'>): boolean => name === MARKS.reserved;

/** Of the transaction that reserved the key; undefined for a row that is confirmed. */
export const reservationIn = ({ row }: Pick<RowAnswer, 'row'>): ReservationId | undefined =>
  textOf(row, MARKS.reserved);

/** Milliseconds since the row was written, by the service's clock; by `now` where its answers have no time. */
export const ageOf = ({ row, date }: RowAnswer, now: () => number): number =>
  (date === undefined ? now() : Date.parse(date)) - Date.parse(textOf(row, 'Timestamp') ?? '');
