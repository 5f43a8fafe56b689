// The flow that keeps an entity's indexes in other partitions and tables: writes of its rows send the messages, and a worker makes the index rows of each named row match the row. Unique keys that a write
// gives a row or takes from it are settled: reserved keys are confirmed if the write was done, and freed if it never will be. reserve.ts settles one key; this file picks the keys.

import type { Step, StepContext } from '../../flows/definition.js';
import { type Flow, flow } from '../../flows/flow.js';
import { isSameRow } from '../../model/address.js';
import type { AnyEntity } from '../../model/definition.js';
import { expectedIndexRow, indexNamed, tableOfIndex } from '../../model/index-row.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import { PatternError, type RowAddress, refuseDefinition } from '../../values/pattern-error.js';
import {
  type ChangedRow,
  INDEX_FLOW_SCHEMA,
  INDEX_INPUT_VERSION,
  type IndexFlowInput,
  indexFlowName,
} from './remote.js';
import { settleRemoteRows } from './remote-rows.js';
import { Reservations } from './reserve.js';

/** Whether the write that the message announced was done, or never will be. Until then the worker waits for it. */
function isOver(db: Db, row: StoredOf<AnyEntity> | undefined, { etag, operationId }: ChangedRow): boolean {
  if (etag !== undefined) return row?.etag !== etag;
  if (operationId === undefined) return true;
  // A create that is still on its way may find the row deleted which came before it.
  const { operationIds } = Db.serviceOf(db);
  return row !== undefined && (operationIds?.ofUnknown(row.unknown).includes(operationId) ?? true);
}

/** Whether all unique keys of the row are settled: none is reserved by a write that may yet be done. `row` is the row as it is now. */
async function settleKeys(
  keys: Reservations,
  entity: AnyEntity,
  owner: RowAddress,
  { rows }: ChangedRow,
  row: StoredOf<AnyEntity> | undefined,
  { signal, note }: StepContext,
): Promise<boolean> {
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

/** Makes the index rows of each row right. */
const stepOf = (entity: AnyEntity): Step<IndexFlowInput> => ({
  name: entity.name,
  run: async ({ table, changes, transaction }, context) => {
    const { db, signal } = context;
    const service = Db.serviceOf(db);
    const keys = new Reservations(service);
    const indexes = entity.plan.remoteIndexes.filter(({ unique }) => !unique);
    const ownerOf = ({ partitionKey, rowKey }: ChangedRow): RowAddress => ({ table, partitionKey, rowKey });
    let [areOver, areSettled] = [true, true];
    for (const change of changes) {
      signal.throwIfAborted();
      const owner = ownerOf(change);
      const row = await settleRemoteRows(service, { entity, indexes, owner }, change.rows, { signal });
      if (!(await settleKeys(keys, entity, owner, change, row, context))) areSettled = false;
      if (!isOver(db, row, change)) areOver = false;
    }
    if (!areSettled) return 'pending';
    const [first] = changes;
    if (transaction === undefined || first === undefined) return areOver ? undefined : 'pending';
    const state = await keys.stateOf(ownerOf(first), transaction, { signal });
    // The record of one that was aborted stays: its request may still arrive. The write is not waited for.
    if (state === 'committed') await keys.forget(ownerOf(first), transaction, { signal });
    return areOver || state !== undefined ? undefined : 'pending';
  },
});

/** The flow that keeps the indexes of this entity whose rows are remote. Throws DefinitionInvalid for an entity without such indexes. */
export function indexFlow(entity: AnyEntity): Flow<IndexFlowInput, IndexFlowInput> {
  if (entity.plan.remoteIndexes.length === 0)
    refuseDefinition(entity.name, 'it has no indexes in other partitions or tables, and needs no flow');
  const { flow: name, queue } = indexFlowName(entity);
  return flow(name, INDEX_FLOW_SCHEMA, [stepOf(entity)], { queue, version: INDEX_INPUT_VERSION });
}
