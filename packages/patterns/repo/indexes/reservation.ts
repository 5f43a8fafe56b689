// The rows by which a unique key of a remote index is reserved, as values. Pure; claim.ts writes and reads them.
//
//   the index's row     what the index has of the value, and `_reserved`: the id of the transaction that reserved the key. Without that property the key is confirmed.
//   transaction record  ('<partition of the entity's row>', '!transaction!<id>'), State: `committed`, created in the transaction that writes the entity's row; or `aborted`, created by
//                       the process that found the reservation expired. Only one of them can exist, so a transaction whose record is `aborted` can never be done, however late its request arrives.
import { isSameRow } from '../../model/address.js';
import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import { type ExpectedIndexRow, expectedIndexRow } from '../../model/index-row.js';
import type { RowAnswer } from '../../transport/table-requests.js';
import type { RowAddress } from '../../values/pattern-error.js';
import { MARKS, textOf } from '../../values/row-member.js';
import { encodeProperty, type WireProperty, type WireRow } from '../../values/wire-property.js';
import type { Before } from './index-write.js';
import { type ReservationId, rowOf } from './transaction-record.js';

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

/** The keys that a write gives a row, which did not have them before: undefined stands for no row. Throws what encoding throws. */
export const reservationsOf = (
  entity: AnyEntity,
  owner: RowAddress,
  before: Before | undefined,
  after: unknown,
): readonly Reservation[] =>
  entity.plan.remoteIndexes.flatMap(index => {
    const { table } = owner;
    if (!index.unique || after === undefined) return [];
    const expected = expectedIndexRow(entity, index, table, after);
    const old = before && expectedIndexRow(entity, index, table, before.value);
    if (expected === undefined || (old !== undefined && isSameRow(old.address, expected.address))) return [];
    return [{ entity, table, index, owner, expected, isNew: before === undefined }];
  });

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

/** For how long the row has stood as it is, in milliseconds by the service's clock. Where its answers have no time, `now` is the time. */
export const ageOf = ({ row, date }: RowAnswer, now: () => number): number =>
  (date === undefined ? now() : Date.parse(date)) - Date.parse(textOf(row, 'Timestamp') ?? '');
