// The flow that keeps an entity's indexes in other partitions and tables: writes of its rows send the messages, and a worker makes the index rows of each named row match the row.

import type { Step, StepContext } from '../../flows/definition.js';
import { type Flow, flow } from '../../flows/flow.js';
import type { AnyEntity } from '../../model/definition.js';
import type { StoredOf } from '../../model/stored.js';
import { Db } from '../../repo/open.js';
import { type RowAddress, refuseDefinition } from '../../values/pattern-error.js';
import {
  type ChangedRow,
  INDEX_FLOW_SCHEMA,
  INDEX_INPUT_VERSION,
  type IndexFlowInput,
  indexFlowName,
} from './index-message.js';
import { settleRemoteRows } from './remote-rows.js';
import { endTransaction, settleKeys } from './unique-keys.js';

/** Whether the write that the message announced was done, or never will be. Until then the worker waits for it. */
function isOver(db: Db, row: StoredOf<AnyEntity> | undefined, { etag, operationId }: ChangedRow): boolean {
  if (etag !== undefined) return row?.etag !== etag;
  if (operationId === undefined) return true;
  // A create that is still on its way may find the row deleted which came before it.
  const { operationIds } = Db.serviceOf(db);
  return row !== undefined && (operationIds?.ofUnknown(row.unknown).includes(operationId) ?? true);
}

/** Whether a message still waits. */
interface Left {
  /** The write was done, or never will be. */
  readonly isOver: boolean;
  /** No key is reserved by a write that may yet be done. */
  readonly areSettled: boolean;
}

/** Makes the index rows of the row right. */
async function settle(
  entity: AnyEntity,
  owner: RowAddress,
  change: ChangedRow,
  context: StepContext,
): Promise<Left> {
  const { db, signal } = context;
  const service = Db.serviceOf(db);
  const indexes = entity.plan.remoteIndexes.filter(({ unique }) => !unique);
  const row = await settleRemoteRows(service, { entity, indexes, owner }, change.rows, { signal });
  const areSettled = await settleKeys(service, entity, owner, change, row, context);
  return { isOver: isOver(db, row, change), areSettled };
}

const ownerOf = (table: string, { partitionKey, rowKey }: ChangedRow): RowAddress => ({
  table,
  partitionKey,
  rowKey,
});

const stepOf = (entity: AnyEntity): Step<IndexFlowInput> => ({
  name: entity.name,
  run: async ({ table, changes, transaction }, context) => {
    const left: Left[] = [];
    for (const change of changes) {
      context.signal.throwIfAborted();
      left.push(await settle(entity, ownerOf(table, change), change, context));
    }
    const areSettled = left.every(each => each.areSettled);
    const isOver = areSettled && left.every(each => each.isOver);
    const [first] = changes;
    if (transaction === undefined || first === undefined) return isOver ? undefined : 'pending';
    const owner = ownerOf(table, first);
    const end = await endTransaction(Db.serviceOf(context.db), owner, transaction, areSettled, context);
    // A write that was aborted is not waited for.
    return isOver || (areSettled && end !== 'open') ? undefined : 'pending';
  },
});

/** The flow that keeps the indexes of this entity whose rows are remote. Throws DefinitionInvalid for an entity without such indexes. */
export function indexFlow(entity: AnyEntity): Flow<IndexFlowInput, IndexFlowInput> {
  if (entity.plan.remoteIndexes.length === 0)
    refuseDefinition(entity.name, 'it has no indexes in other partitions or tables, and needs no flow');
  const { flow: name, queue } = indexFlowName(entity);
  return flow(name, INDEX_FLOW_SCHEMA, [stepOf(entity)], { queue, version: INDEX_INPUT_VERSION });
}
