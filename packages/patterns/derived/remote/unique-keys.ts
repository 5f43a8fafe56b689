// Settles the unique keys that a write gives a row or takes from it: reserved keys are confirmed if the write was done, and freed if it never will be. reserve.ts settles one key; this file picks the keys.

import type { StepContext } from '../../flows/definition.js';
import { isSameRow } from '../../model/address.js';
import type { AnyEntity } from '../../model/definition.js';
import { expectedIndexRow, indexNamed, tableOfIndex } from '../../model/index-row.js';
import type { StoredOf } from '../../model/stored.js';
import type { Service } from '../../repo/write/service.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { ChangedRow } from './index-message.js';
import { Reservations } from './reserve.js';

type Context = Pick<StepContext, 'signal' | 'note'>;

/** Whether all are settled: none is reserved by a write that may yet be done. `row` is the row as it is now. */
export async function settleKeys(
  service: Service,
  entity: AnyEntity,
  owner: RowAddress,
  { rows }: ChangedRow,
  row: StoredOf<AnyEntity> | undefined,
  { signal, note }: Context,
): Promise<boolean> {
  const keys = new Reservations(service);
  const { table } = owner;
  const kept: RowAddress[] = [];
  let areSettled = true;
  for (const [name, partitionKey, rowKey] of rows) {
    const index = indexNamed(entity, name);
    if (!index.unique) continue;
    const address = { table: tableOfIndex(entity, index, table), partitionKey, rowKey };
    const settled = await keys.settle({ entity, table, index }, address, { signal });
    if (settled === 'pending') areSettled = false;
    if (settled === 'kept') kept.push(address);
  }
  for (const index of entity.plan.remoteIndexes) {
    const expected = index.unique && row && expectedIndexRow(entity, index, table, row.value);
    if (!expected || kept.some(each => isSameRow(each, expected.address))) continue;
    try {
      if ((await keys.keep({ entity, table, index }, owner, { signal })) === 'pending') areSettled = false;
    } catch (thrown) {
      // Two rows had the key before it was unique. An audit reports them; a worker cannot fix them.
      if (!PatternError.is(thrown, 'UniqueViolation')) throw thrown;
      note(thrown.message);
    }
  }
  return areSettled;
}

/** Whether the transaction was done or never will be, and its keys are settled: then its record goes, unless it has to stay. */
export async function endTransaction(
  service: Service,
  owner: RowAddress,
  id: string,
  areSettled: boolean,
  { signal }: Context,
): Promise<'aborted' | 'done' | 'open'> {
  const keys = new Reservations(service);
  const state = await keys.stateOf(owner, id, { signal });
  if (state === 'aborted') return 'aborted';
  if (state === undefined || !areSettled) return 'open';
  await keys.forget(owner, id, { signal });
  return 'done';
}
