// Does one planned write of a single row: at once, with its index rows in a batch, after a read where index rows depend on the row before, with its
// lists and copies, or in whichever bucket the row is.

import type { CallOptions } from '../../concurrency/abort.js';
import { addressOf } from '../../transport/row-write.js';
import { findRow } from '../find-row.js';
import { refusalOf, writeByRead } from '../optimistic.js';
import { type RowDerivation, readingOf } from './derivation.js';
import { PlannedBatch } from './planned-batch.js';
import type { PlannedWrite, ReadFirst, WriteResult } from './planned-write.js';
import type { writeRebucketing } from './rebucketing-writes.js';
import type { Service } from './service.js';

/** Rows of one partition, and their index rows, all or nothing. Gives what becomes of the first. Throws BatchFailed. */
export async function writeTogether<T>(
  service: Service,
  planned: PlannedWrite<T>,
  others: readonly PlannedWrite<WriteResult>[],
  options: CallOptions,
): Promise<T> {
  const batch = new PlannedBatch(service, addressOf(planned.write));
  for (const each of [planned as PlannedWrite<WriteResult>, ...others]) batch.add(each);
  const [result] = await batch.commit(options);
  return result as T;
}

/** Reads the row, and writes it under the ETag that it has; again if others were faster and any ETag will do. */
async function writeAfterRead<T>(
  service: Service,
  planned: PlannedWrite<T>,
  { entity, etag, makesRow, plan, result }: ReadFirst<T>,
  options: CallOptions,
): Promise<T> {
  const { requests, surroundings } = service;
  const address = addressOf(planned.write);
  const { ifExists = false, rebucketing } = planned;
  const read = () => findRow(requests, entity, rebucketing?.addresses ?? [address], service, options);
  const row = { surroundings, address, etag, mayLack: ifExists || makesRow, read };
  return writeByRead(row, options, async stored => {
    if (stored === undefined && ifExists) return planned.result(undefined);
    const again = { ...plan(stored), ifExists, ...(rebucketing && { rebucketing }) };
    return result(await writePlanned(service, again, options));
  });
}

/** Does the write. Throws what the write throws, and Contention for a row that others are faster to write each time, or whose move to another bucket does not end. */
export async function writePlanned<T>(
  service: Service,
  planned: PlannedWrite<T>,
  options: CallOptions = {},
): Promise<T> {
  const { rebucketing, readFirst, deriving, indexWrites = [], remote } = planned;
  if (readFirst !== undefined) return writeAfterRead(service, planned, readFirst, options);
  if (deriving !== undefined) {
    const [{ transact }] = readingOf(deriving.entity) as readonly [Required<RowDerivation>];
    return transact(service, planned, deriving, options);
  }
  if (indexWrites.length > 0 || remote?.record !== undefined)
    return writeTogether(service, planned, [], options).catch((thrown: unknown) => {
      throw refusalOf(thrown);
    });
  if (rebucketing !== undefined)
    return (rebucketing.by.writes as typeof writeRebucketing)(service, planned, rebucketing, options);
  const send = () => service.writes.write(planned, options);
  if (remote === undefined) return planned.result(await send());
  const transaction = {
    target: addressOf(planned.write),
    send,
    refusal: (_: unknown, thrown: unknown) => thrown,
  };
  return planned.result(await remote.around(service, [remote], transaction, options));
}
