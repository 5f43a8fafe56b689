// Writes of rows whose number of buckets is being changed. A row stands in its current place or in an earlier one, never in both, unless it is being moved:
//
//   in an earlier place        it counts, and is written there
//   the same, marked, alone    it is read there, and not written: the write waits until the row is moved
//   marked, and in its current place   the current one counts; the earlier one goes before the current one may go
//
// Rows are created in their current place alone, when no earlier place has one. rebucket.ts makes the moves.

import type { CallOptions } from '../../concurrency/abort.js';
import { isSameRow } from '../../model/address.js';
import type { RowWrite } from '../../transport/row-write.js';
import { addressOf } from '../../transport/row-write.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import { Attempts, isLost } from '../optimistic.js';
import { isMovingRow } from './moving-row.js';
import { planDelete } from './plan-write.js';
import type { PlannedWrite, RebucketingRow } from './planned-write.js';
import type { Service } from './service.js';

/** Where a row is. */
interface Place {
  readonly address: RowAddress;
  /** Of a row in an earlier place, under which it must be written. */
  readonly etag: string | undefined;
  /** A marked row in an earlier place, whose current place is taken. */
  readonly leftover: (RowAddress & { readonly etag: string }) | undefined;
}

/** Attempts to find a row unmoved: with their pauses some seconds. */
const ATTEMPTS = 12;

/** The write, at another address, as another operation or under another ETag. */
function placed<T>(planned: PlannedWrite<T>, { address, etag }: Place): PlannedWrite<T> {
  const { write } = planned;
  const { table, partitionKey, rowKey } = address;
  if (write.kind === 'delete')
    return { ...planned, write: { ...write, table, partitionKey, rowKey, etag: etag ?? write.etag } };
  const row = { ...write.row, partitionKey, rowKey };
  const result = (now: string | undefined): T => {
    const given = planned.result(now);
    const isRow = typeof given === 'object' && given !== null && 'whole' in given;
    return isRow ? { ...given, partitionKey, rowKey } : given;
  };
  const moved = (kind: 'replace' | 'merge', under: string): PlannedWrite<T> => ({
    ...planned,
    write: { kind, table, row, etag: under } satisfies RowWrite,
    result,
  });
  if (write.kind === 'replace' || write.kind === 'merge') return moved(write.kind, etag ?? write.etag);
  if (etag === undefined) return planned;
  return moved(write.kind === 'upsertMerge' ? 'merge' : 'replace', etag);
}

class RebucketingWrite<T> {
  readonly #service: Service;
  readonly #planned: PlannedWrite<T>;
  readonly #rebucketing: RebucketingRow;
  readonly #options: CallOptions;

  constructor(service: Service, planned: PlannedWrite<T>, rebucketing: RebucketingRow, options: CallOptions) {
    this.#service = service;
    this.#planned = planned;
    this.#rebucketing = rebucketing;
    this.#options = options;
  }

  async run(): Promise<T> {
    const { signal } = this.#options;
    const attempts = new Attempts(this.#service.surroundings, { attempts: ATTEMPTS, signal });
    for (;;) {
      const place = await this.#find();
      if (place !== undefined) {
        const { write } = this.#planned;
        if (write.kind === 'create' && place.etag !== undefined)
          throw new PatternError('AlreadyExists', place.address);
        try {
          return await this.#writeAt(place);
        } catch (thrown) {
          if (!this.#mayBeElsewhere(place, thrown)) throw thrown;
        }
      }
      await attempts.next(addressOf(this.#planned.write), place?.etag);
    }
  }

  /** Whether the row was moved or written while the write, which compares nothing of its own, was under way. */
  #mayBeElsewhere({ etag }: Place, thrown: unknown): boolean {
    const { write } = this.#planned;
    const comparesNothing = !('etag' in write) || write.etag === '*';
    if (etag === undefined || !comparesNothing || write.kind === 'create') return false;
    return isLost(thrown);
  }

  async #writeAt(place: Place): Promise<T> {
    const { write } = this.#planned;
    const { leftover } = place;
    if (write.kind === 'delete' && leftover !== undefined)
      await this.#send({ ...planDelete(leftover, leftover.etag), ifExists: true });
    const comparesOwn = 'etag' in write && write.etag !== '*';
    const at = comparesOwn ? { ...place, etag: write.etag } : place;
    return this.#send(placed(this.#planned, at));
  }

  async #send<R>(planned: PlannedWrite<R>): Promise<R> {
    return planned.result(await this.#service.writes.write(planned, this.#options));
  }

  /** The row's place; undefined while it is being moved. */
  async #find(): Promise<Place | undefined> {
    const [current, ...earlier] = this.#rebucketing.addresses;
    if (current === undefined) return undefined;
    for (const address of earlier) {
      const found = await this.#service.requests.get(address, this.#options);
      if (found === undefined) continue;
      const etag = found.etag ?? '';
      if (!isMovingRow(found.row)) return { address, etag, leftover: undefined };
      const isThere = (await this.#service.requests.get(current, this.#options)) !== undefined;
      if (this.#planned.write.kind === 'create') throw new PatternError('AlreadyExists', current);
      return isThere ? { address: current, etag: undefined, leftover: { ...address, etag } } : undefined;
    }
    return { address: current, etag: undefined, leftover: undefined };
  }
}

/** The write of a row that was read: it is not where it was if it was moved since, and then it was changed. */
async function writeRead<T>(
  service: Service,
  planned: PlannedWrite<T>,
  { addresses }: RebucketingRow,
  options: CallOptions,
): Promise<T> {
  const { write } = planned;
  const at = addressOf(write);
  const etag = 'etag' in write ? write.etag : '*';
  const [current = at, ...earlier] = addresses;
  const isCurrent = isSameRow(at, current);
  const conflict = new PatternError('Conflict', { ...at, etag });
  if (write.kind === 'delete')
    for (const address of isCurrent ? earlier : [at]) {
      const found = await service.requests.get(address, options);
      if (found === undefined || !isMovingRow(found.row)) continue;
      if (!isCurrent) throw conflict;
      await service.writes.write({ ...planDelete(address, found.etag ?? '*'), ifExists: true }, options);
    }
  try {
    return planned.result(await service.writes.write(planned, options));
  } catch (thrown) {
    if (isCurrent || !PatternError.is(thrown, 'NotFound')) throw thrown;
    if ((await service.requests.get(current, options)) === undefined) throw thrown;
    throw conflict;
  }
}

/** Does the write, in whichever bucket its row is. Throws what the write throws, and Contention for a row whose move was begun and does not end. */
export const writeRebucketing = <T>(
  service: Service,
  planned: PlannedWrite<T>,
  rebucketing: RebucketingRow,
  options: CallOptions,
): Promise<T> =>
  planned.isOfRead
    ? writeRead(service, planned, rebucketing, options)
    : new RebucketingWrite(service, planned, rebucketing, options).run();
