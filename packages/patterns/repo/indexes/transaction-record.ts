// Transaction records as values: rows that record whether a transaction that reserved keys is done, or can never be (reservation.ts). Pure.
import type { RowWrite } from '../../transport/row-write.js';
import type { RowAnswer } from '../../transport/table-requests.js';
import type { RowAddress } from '../../values/pattern-error.js';
import { textOf } from '../../values/row-member.js';
import { rowBytes } from '../../values/size.js';
import { encodeProperty, type WireProperty, type WireRow } from '../../values/wire-property.js';

/** Of a reservation and the transaction that it is for. */
export type ReservationId = string;

/** Row keys of records begin with this, and those of no entity do: keys that are made of values sort above it. */
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
