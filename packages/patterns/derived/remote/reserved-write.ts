// A transaction that gives rows remote unique keys: the keys are reserved, then it is sent with its record, and the keys are released if it was refused. If its outcome is unknown, the keys stay
// reserved until the flow of the entity's indexes settles them. reserve.ts documents reservations.

import type { CallOptions } from '../../concurrency/abort.js';
import { newUuid } from '../../concurrency/surroundings.js';
import { Attempts } from '../../repo/optimistic.js';
import type { Service } from '../../repo/write/service.js';
import type { RowWrite } from '../../transport/row-write.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import { type Reservation, type ReservationId, recordAddress, recordWrite } from './reservation.js';
import { Reservations, type Reserved } from './reserve.js';

/** Callbacks of a reserving transaction. */
interface ReservedWrite<T> {
  readonly reservations: readonly Reservation[];
  /** Called first in each attempt. */
  readonly announce: (id: ReservationId, write: () => Promise<T>) => Promise<T>;
  /** Sends the transaction, with this record in it. */
  readonly send: (record: RowWrite) => Promise<T>;
  /** The error for a key that cannot be reserved. */
  readonly refusal: (reservation: Reservation, thrown: unknown) => unknown;
}

/** Whether the service refused a transaction because of its record: another process found its reservations too old. */
function isAborted(thrown: unknown, record: RowAddress): boolean {
  return PatternError.is(thrown, 'BatchFailed') && thrown.detail.rowKey === record.rowKey;
}

/** It was not done, and never will be. */
const isRefused = (thrown: unknown): boolean =>
  PatternError.is(thrown) && thrown.code !== 'OutcomeUnknown' && thrown.code !== 'Unreachable';

async function tryReserved<T>(
  keys: Reservations,
  id: ReservationId,
  { reservations, send, refusal }: ReservedWrite<T>,
  record: RowWrite,
  options: CallOptions,
): Promise<T> {
  const held: Reserved[] = [];
  try {
    for (const each of reservations) {
      const reserved = keys.reserve(each, id, options);
      held.push(
        await reserved.catch((thrown: unknown) => {
          throw refusal(each, thrown);
        }),
      );
    }
    return await send(record);
  } catch (thrown) {
    if (isRefused(thrown)) for (const each of held) await keys.release(each);
    throw thrown;
  }
}

/** Does the transaction; if it was aborted in between, again under another id. Throws UniqueViolation, Contention, and what sending throws. */
export async function writeReserved<T>(
  service: Service,
  write: ReservedWrite<T>,
  owner: RowAddress,
  options: CallOptions,
): Promise<T> {
  const { surroundings } = service;
  const reservations = new Reservations(service);
  for (const attempts = new Attempts(surroundings, options); ; ) {
    const id = newUuid(surroundings.random);
    const record = recordWrite(owner, id, 'committed');
    try {
      return await write.announce(id, () => tryReserved(reservations, id, write, record, options));
    } catch (thrown) {
      if (!isAborted(thrown, recordAddress(owner, id))) throw thrown;
    }
    await attempts.next(owner, undefined);
  }
}
