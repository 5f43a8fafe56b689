// Writes of rows whose number of buckets is being changed. A row stands in its current place or in an earlier one, never in both, unless it is being moved:
//
//   in an earlier place        it counts, and is written there
//   the same, marked, alone    it is read there, and not written: the write waits until the row is moved
//   marked, and in its current place   the current one counts; the earlier one goes before the current one may go
//
// Rows are created in their current place alone, when no earlier place has one. A write of a row that was moved since it was read meets another ETag in the new place. rebucket.ts makes the moves.

import type { CallOptions } from '../../concurrency/abort.js';
import { refuseChanging } from '../../model/row-fault.js';
import { addressOf, etagOf } from '../../transport/row-write.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { MARKS, memberOf } from '../../values/row-member.js';
import { encodeProperty, type WireProperty } from '../../values/wire-property.js';
import { Attempts, isLost } from '../optimistic.js';
import { planDelete } from './plan-write.js';
import type { PlannedWrite, RebucketingRow } from './planned-write.js';
import type { Service } from './service.js';

/** The mark of a row that is being moved. A row that has it is frozen: its content goes to its new place, which then counts, and nothing may be written to the old one. */
export const movingMark: WireProperty = encodeProperty(MARKS.moving, 'Boolean', true);

/** Of a row of an answer. */
export const isMovingRow = (row: WireObject): boolean => memberOf(row, MARKS.moving) !== undefined;

export const refuseBatch = (entity: string): never =>
  refuseChanging(
    entity,
    'a batch is of one partition, and its rows may stand in several; write them one by one',
  );

export const refuseRange = (entity: string, part: string): never =>
  refuseChanging(entity, `a range behind ${part} would be of one bucket; read the whole partition`);

/** Where a row is. */
interface Place {
  readonly address: RowAddress;
  /** Of a row in an earlier place, under which it must be written. */
  readonly etag?: string | undefined;
  /** A marked row in an earlier place, whose current place is taken. */
  readonly leftover?: RowAddress & { readonly etag: string };
  /** The ETag in the current place of a row with a leftover. */
  readonly there?: string | undefined;
}

/** Attempts to find a row unmoved: with their pauses some seconds. */
const ATTEMPTS = 12;

/** What the write compares by itself. */
function ownEtag<T>({ write }: PlannedWrite<T>): string | undefined {
  const etag = etagOf(write);
  return etag === '*' ? undefined : etag;
}

/** The write, at another address, as another operation or under another ETag. */
function placed<T>(planned: PlannedWrite<T>, { address, etag = ownEtag(planned) }: Place): PlannedWrite<T> {
  const { write } = planned;
  const { table, partitionKey, rowKey } = address;
  const under = etag ?? etagOf(write);
  if (under === undefined) return planned;
  if (write.kind === 'delete')
    return { ...planned, write: { ...write, table, partitionKey, rowKey, etag: under } };
  const kind = write.kind === 'upsertMerge' || write.kind === 'merge' ? 'merge' : 'replace';
  const result = (now: string | undefined): T => {
    const given = planned.result(now);
    const isRow = typeof given === 'object' && given !== null && 'whole' in given;
    return isRow ? { ...given, partitionKey, rowKey } : given;
  };
  const row = { ...write.row, partitionKey, rowKey };
  return { ...planned, write: { kind, table, row, etag: under }, result };
}

/** The row's place; undefined while it is being moved. */
async function findPlace<T>(
  { requests }: Service,
  { write }: PlannedWrite<T>,
  [current = addressOf(write), ...earlier]: readonly RowAddress[],
  options: CallOptions,
): Promise<Place | undefined> {
  for (const address of earlier) {
    const found = await requests.get(address, options);
    if (found === undefined) continue;
    const etag = found.etag ?? '';
    if (!isMovingRow(found.row)) return { address, etag };
    if (write.kind === 'create') throw new PatternError('AlreadyExists', current);
    const there = await requests.get(current, options);
    return there && { address: current, leftover: { ...address, etag }, there: there.etag };
  }
  return { address: current };
}

/** Does the write, in whichever bucket its row is. Throws what the write throws, and Contention for a row whose move was begun and does not end. */
export async function writeRebucketing<T>(
  service: Service,
  planned: PlannedWrite<T>,
  { addresses }: RebucketingRow,
  options: CallOptions,
): Promise<T> {
  const { write } = planned;
  const own = ownEtag(planned);
  const { signal } = options;
  for (const attempts = new Attempts(service.surroundings, { attempts: ATTEMPTS, signal }); ; ) {
    const place = await findPlace(service, planned, addresses, options);
    if (place !== undefined) {
      const { address, etag, leftover, there } = place;
      if (write.kind === 'create' && etag !== undefined) throw new PatternError('AlreadyExists', address);
      if (write.kind === 'delete' && leftover !== undefined) {
        // A mover that misses its leftover removes its copy, so a delete that is refused leaves both.
        if (own !== undefined && own !== there) throw new PatternError('Conflict', { ...address, etag: own });
        await service.writes.write({ ...planDelete(leftover, leftover.etag), ifExists: true }, options);
      }
      try {
        // In an earlier place a missing row may have been moved.
        const ifExists = planned.ifExists === true && etag === undefined;
        const at = { ...placed(planned, own === undefined ? place : { address }), ifExists };
        return at.result(await service.writes.write(at, options));
      } catch (thrown) {
        // The row may have been moved during the write or, if that compares nothing of its own, written.
        const isElsewhere = own === undefined ? isLost(thrown) : PatternError.is(thrown, 'NotFound');
        if (etag === undefined || !isElsewhere) throw thrown;
      }
    }
    await attempts.next(addressOf(write), place?.etag);
  }
}
