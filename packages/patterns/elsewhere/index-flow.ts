// The flow that keeps an entity's indexes in other partitions and tables: writes of its rows send the messages, and a worker makes the index rows of each row that is named what the row says now.

import {
  type ChangedRow,
  INDEX_FLOW_SCHEMA,
  INDEX_INPUT_VERSION,
  type IndexFlowInput,
  indexFlowName,
} from '../indexes/index-message.js';
import type { AnyEntity } from '../model/entity.js';
import type { StoredOf } from '../model/stored.js';
import { Db } from '../open.js';
import { refuseDefinition } from '../values/pattern-error.js';
import type { Step, StepContext } from '../workflow/definition.js';
import { type Flow, flow } from '../workflow/flow.js';
import { FarRows } from './far-rows.js';

/** Whether the write that the message announced was done, or never will be: it is waited for as long as it may still come. */
function isOver(db: Db, row: StoredOf<AnyEntity> | undefined, { etag, operationId }: ChangedRow): boolean {
  if (etag !== undefined) return row?.etag !== etag;
  if (operationId === undefined) return true;
  // A create that is still on its way may find the row deleted which came before it.
  const { operationIds } = Db.serviceOf(db);
  return row !== undefined && (operationIds?.ofUnknown(row.unknown).includes(operationId) ?? true);
}

/** Makes the index rows of the row right. Gives whether the write that was announced is over. */
async function settle(
  entity: AnyEntity,
  table: string,
  change: ChangedRow,
  { db, signal }: StepContext,
): Promise<boolean> {
  const { partitionKey, rowKey, rows } = change;
  const owner = { table, partitionKey, rowKey };
  const row = await new FarRows(Db.serviceOf(db), entity, entity.plan.elsewhere, owner, rows, {
    signal,
  }).settle();
  return isOver(db, row, change);
}

const stepOf = (entity: AnyEntity): Step<IndexFlowInput> => ({
  name: entity.name,
  run: async ({ table, changes }, context) => {
    let isPending = false;
    for (const change of changes) {
      context.signal.throwIfAborted();
      if (!(await settle(entity, table, change, context))) isPending = true;
    }
    return isPending ? 'pending' : undefined;
  },
});

/** The flow that keeps the indexes of this entity whose rows stand elsewhere. Throws DefinitionInvalid for an entity without such indexes. */
export function indexFlow(entity: AnyEntity): Flow<IndexFlowInput, IndexFlowInput> {
  if (entity.plan.elsewhere.length === 0)
    refuseDefinition(entity.name, 'it has no indexes in other partitions or tables, and needs no flow');
  const { flow: name, queue } = indexFlowName(entity);
  return flow(name, INDEX_FLOW_SCHEMA, [stepOf(entity)], { queue, version: INDEX_INPUT_VERSION });
}
