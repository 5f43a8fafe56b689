// Reserves unique keys of indexes in other partitions, and settles reservations. One row stands for a key, so the service's create decides its owner: of two writers only one succeeds. A key is
// reserved before the transaction of its entity's row, which creates a transaction record. A process that finds an expired reservation creates that record first, so that the transaction can never
// be done. So a key changes hands only when no row has it, whatever the clocks. Callers decide when to retry, and which error a program gets.
//
//   the index's row     what the index has of the value, and `_reserved`: the id of the transaction that reserved the key. Without that property the key is confirmed.
//   transaction record  ('<partition of the entity's row>', '!transaction!<id>'), State: `committed`, created in the transaction that writes the entity's row; or `aborted`, created by
//                       the process that found the reservation expired. Only one of them can exist, so a transaction whose record is `aborted` can never be done, however late its request arrives.
import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey, isSameRow } from '../../model/address.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import {
  type ExpectedIndexRow,
  expectedIndexRow,
  indexKeyOf,
  isAsExpected,
  versionOf,
  withSource,
} from '../../model/index-row.js';
import { refuseNewer } from '../../model/row-fault.js';
import type { Stored } from '../../model/stored.js';
import { Attempts, isLost } from '../../repo/optimistic.js';
import type { Service } from '../../repo/write/service.js';
import type { RowAnswer } from '../../transport/row-source.js';
import type { RowWrite } from '../../transport/row-write.js';
import type { Instant } from '../../values/instant.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import { MARKS, textOf } from '../../values/row-member.js';
import { encodeProperty, rowBytes, type WireProperty, type WireRow } from '../../values/wire-property.js';

/** Of a reservation and the transaction that it is for. */
export type ReservationId = string;

/** Row keys of records begin with this. No entity's do, because keys that are made of values sort above it. */
export const RECORD_PREFIX = '!transaction!';

/** The outcome of a transaction that reserved keys. */
type TransactionState = 'committed' | 'aborted';

/** A row of reservations, with its size. */
const rowOf = (
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
interface UniqueIndex {
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
const pendingRow = (
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
const reservationIn = ({ row }: Pick<RowAnswer, 'row'>): ReservationId | undefined =>
  textOf(row, MARKS.reserved);

/** Milliseconds since the row was written, by the service's clock; by `now` where its answers have no time. */
export const ageOf = ({ row, date }: RowAnswer, now: () => number): number =>
  (date === undefined ? now() : Date.parse(date)) - Date.parse(textOf(row, 'Timestamp') ?? '');

/** A key that was reserved, and the ETag of its row. */
export interface Reserved {
  readonly reservation: Reservation;
  readonly etag: string;
}

/** The state of a key: its owner's row, nothing, a row that cannot be read, or one whose transaction may yet be done. */
type Settlement = 'kept' | 'free' | 'unreadable' | 'pending';

/** The row that an index should have, and the version of the owner that it follows from. */
interface SourcedIndexRow extends ExpectedIndexRow {
  readonly source: Instant;
}

/** The transaction of a reservation, and the entity's row that it writes. */
interface Transaction {
  readonly owner: RowAddress;
  readonly id: ReservationId;
  readonly found: RowAnswer;
}

/** Remote unique keys: reserves them for a write, releases them, settles them, and keeps them for their rows. */
export class Reservations {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /**
   * Reserves the key for this transaction. Throws UniqueViolation if another row has the key, or a transaction that may yet be done; AlreadyExists and Conflict if the row itself has it by
   * another write; and Contention.
   */
  async reserve(reservation: Reservation, id: ReservationId, options: CallOptions = {}): Promise<Reserved> {
    const { requests, surroundings } = this.#service;
    const { address } = reservation.expected;
    const { table } = address;
    const row = pendingRow(reservation, id);
    const attempts = new Attempts(surroundings, options);
    let write: RowWrite = { kind: 'create', table, row };
    for (let tries = 1; ; tries++) {
      const written = await this.#written(write, options);
      if (written !== undefined) return { reservation, etag: written };
      // What the first attempt finds is tried at once.
      if (tries > 1) await attempts.next(address, 'etag' in write ? write.etag : undefined);
      const found = await requests.get(address, options);
      const { etag = '' } = found ?? {};
      if (found !== undefined && this.#isMine(reservation, id, found)) return { reservation, etag };
      if (found !== undefined) await this.#refuseHeld(reservation, found, options);
      write = found === undefined ? { kind: 'create', table, row } : { kind: 'replace', table, row, etag };
    }
  }

  /** Releases the key of a transaction that was refused. That may fail, too: the flow settles what stays reserved. */
  async release({ reservation, etag }: Reserved, options: CallOptions = {}): Promise<void> {
    try {
      await this.#written({ kind: 'delete', ...reservation.expected.address, etag }, options);
    } catch (thrown) {
      if (!PatternError.is(thrown)) throw thrown;
    }
  }

  /** Makes the row of a key match its owner: confirmed and up to date, or gone. A row that cannot be read stays. Throws what reads and writes throw. */
  async settle(unique: UniqueIndex, address: RowAddress, options: CallOptions = {}): Promise<Settlement> {
    const { requests, surroundings } = this.#service;
    for (const attempts = new Attempts(surroundings, options); ; ) {
      const found = await requests.get(address, options);
      if (found === undefined) return 'free';
      const held = this.#read(unique, found, address.table);
      if (held === undefined) return 'unreadable';
      const { owner, row } = held;
      const id = reservationIn(found);
      if (id !== undefined && !(await this.#isDecided({ owner, id, found }, options))) return 'pending';
      const expected = await this.#expectedOf(unique, owner, options);
      const isKept = expected !== undefined && isSameRow(expected.address, address);
      const write: RowWrite | undefined = isKept
        ? writeThatConfirms(unique, row, expected)
        : { kind: 'delete', ...address, etag: row.etag };
      if (write === undefined || (await this.#written(write, options)) !== undefined)
        return isKept ? 'kept' : 'free';
      await attempts.next(address, found.etag);
    }
  }

  /** Makes the row of the key that the owner has now, where there is none, and settles it. Throws UniqueViolation if the key is another's. */
  async keep(unique: UniqueIndex, owner: RowAddress, options: CallOptions = {}): Promise<Settlement> {
    const { requests, surroundings } = this.#service;
    for (const attempts = new Attempts(surroundings, options); ; ) {
      const expected = await this.#expectedOf(unique, owner, options);
      if (expected === undefined) return 'free';
      const { address, row, source } = expected;
      const settled = await this.settle(unique, address, options);
      if (settled === 'pending') return settled;
      const found = await requests.get(address, options);
      const holder = found && this.#read(unique, found, address.table)?.owner;
      if (holder !== undefined && isSameRow(holder, owner)) return 'kept';
      const again = await this.#expectedOf(unique, owner, options);
      if (again !== undefined && isSameRow(again.address, address)) {
        if (found !== undefined) throw violation({ ...unique, expected });
        await this.#written({ kind: 'create', table: address.table, row: withSource(row, source) }, options);
      }
      // It is looked at again: the owner may have left the key before the row was there.
      await attempts.next(address, undefined);
    }
  }

  /** The outcome of a transaction; undefined if it may yet be done. */
  async stateOf(
    owner: RowAddress,
    id: ReservationId,
    options: CallOptions = {},
  ): Promise<TransactionState | undefined> {
    const found = await this.#service.requests.get(recordAddress(owner, id), options);
    return found && stateIn(found);
  }

  /** Deletes the record of a transaction that was done, when its reservations are settled. One that was aborted keeps its record: it may still arrive. */
  async forget(owner: RowAddress, id: ReservationId, options: CallOptions = {}): Promise<void> {
    await this.#written({ kind: 'delete', ...recordAddress(owner, id), etag: '*' }, options);
  }

  /** Whether it was reserved by a request whose answer was lost. A transaction may want a key for two rows. */
  #isMine(reservation: Reservation, id: ReservationId, found: RowAnswer): boolean {
    if (reservationIn(found) !== id) return false;
    const { owner } = this.#read(reservation, found, reservation.expected.address.table) ?? {};
    if (owner !== undefined && isSameRow(owner, reservation.owner)) return true;
    throw violation(reservation);
  }

  /** Throws for a key that is taken. */
  async #refuseHeld(reservation: Reservation, found: RowAnswer, options: CallOptions): Promise<void> {
    const { owner: own, expected, isNew } = reservation;
    const { address } = expected;
    const refuse = (cause: unknown): undefined => {
      throw violation(reservation, cause);
    };
    const { owner } = this.#read(reservation, found, address.table, refuse) ?? {};
    if (owner === undefined) return;
    const isOwn = isSameRow(owner, own);
    const id = reservationIn(found);
    // A row's own writers exclude each other by its ETag: none of them waits for another.
    if (id !== undefined && !(await this.#isDecided({ owner, id, found }, options, isOwn)))
      throw violation(reservation, new Error('a transaction has reserved it, and may yet be done'));
    const held = await this.#expectedOf(reservation, owner, options, refuse);
    if (held === undefined || !isSameRow(held.address, address)) return;
    if (!isOwn) throw violation(reservation);
    throw isNew ? new PatternError('AlreadyExists', own) : new PatternError('Conflict', { ...own, etag: '' });
  }

  /** Whether the transaction is done or never will be: one whose reservation is old enough is aborted. */
  async #isDecided(
    { owner, id, found }: Transaction,
    options: CallOptions,
    isImpatient = false,
  ): Promise<boolean> {
    const { requests, reservedFor, surroundings } = this.#service;
    const address = recordAddress(owner, id);
    if ((await requests.get(address, options)) !== undefined) return true;
    if (!isImpatient && ageOf(found, surroundings.now) < reservedFor) return false;
    const isAborted = await this.#written(recordWrite(owner, id, 'aborted'), options);
    return isAborted !== undefined || (await requests.get(address, options)) !== undefined;
  }

  /** The row of a key, and the address of the row that it names. For an unreadable row: none, or the result of `unreadable`. */
  #read(
    { entity, table, index }: UniqueIndex,
    { row, etag }: RowAnswer,
    home: string,
    unreadable: (cause: unknown) => undefined = () => undefined,
  ): { readonly row: Stored<unknown>; readonly owner: RowAddress } | undefined {
    try {
      const stored = decodeEntity(index.entity, row, { table: home, etag });
      refuseNewer(index.entity, stored);
      return { row: stored, owner: addressOfKey(entity, table, stored.value as never) };
    } catch (thrown) {
      if (PatternError.is(thrown)) return unreadable(thrown);
      throw thrown;
    }
  }

  /** The row that the index should have for the owner's current version. */
  async #expectedOf(
    { entity, table, index }: UniqueIndex,
    owner: RowAddress,
    options: CallOptions,
    unreadable?: (cause: unknown) => undefined,
  ): Promise<SourcedIndexRow | undefined> {
    const living = await this.#service.requests.get(owner, options);
    if (living === undefined) return undefined;
    try {
      const row = decodeEntity(entity, living.row, { table, etag: living.etag });
      const expected = expectedIndexRow(entity, index, table, row.value);
      return expected && { ...expected, source: versionOf(row) };
    } catch (thrown) {
      if (PatternError.is(thrown) && unreadable !== undefined) return unreadable(thrown);
      throw thrown;
    }
  }

  /** The ETag of a row that was written, '' of one that was deleted; undefined after a lost race or an unknown outcome: read the row to find out. */
  async #written(write: RowWrite, options: CallOptions): Promise<string | undefined> {
    try {
      return (await this.#service.writes.write({ write }, options)) ?? '';
    } catch (thrown) {
      if (isLost(thrown) || PatternError.is(thrown, 'OutcomeUnknown')) return undefined;
      throw thrown;
    }
  }
}

/** The write that makes the row of a key what it should be; undefined if it is. */
function writeThatConfirms(
  { index }: UniqueIndex,
  found: Stored<unknown>,
  expected: SourcedIndexRow,
): RowWrite | undefined {
  if (!found.unknown.some(isReservation) && isAsExpected(index, found, expected)) return undefined;
  const row = withSource(expected.row, expected.source);
  return { kind: 'replace', table: expected.address.table, row, etag: found.etag };
}

/** The error for a key that is taken. */
function violation(
  { entity, index, expected }: Pick<Reservation, 'entity' | 'index' | 'expected'>,
  cause?: unknown,
): PatternError {
  const { address, row } = expected;
  const detail = { ...address, entity: entity.name, index: index.name, key: indexKeyOf(index, row.value) };
  return new PatternError('UniqueViolation', detail, { cause });
}
