// Writes one entity, or the entities of a changeset, in one commit, with one decision each.
import type { Decision, ReadRows } from '#store';
import { missingTable } from '../missing-table.js';
import type { EntityWrite } from '../operation.js';
import type { WriteOutcome } from '../outcome.js';
import { ChangesetFailure, TableError } from '../table-error.js';
import { openTable, type TableContext } from '../table-space.js';
import { deleteEntity } from './delete-entity.js';
import type { EntityDecision } from './entity-decision.js';
import { insertEntity } from './insert-entity.js';
import { insertOrMergeEntity, mergeEntity } from './merge-entity.js';
import { insertOrReplaceEntity, updateEntity } from './update-entity.js';

function decisionOf(operation: EntityWrite): EntityDecision {
  switch (operation.kind) {
    case 'insertEntity':
      return insertEntity(operation);
    case 'updateEntity':
      return updateEntity(operation);
    case 'mergeEntity':
      return mergeEntity(operation);
    case 'insertOrReplaceEntity':
      return insertOrReplaceEntity(operation);
    case 'insertOrMergeEntity':
      return insertOrMergeEntity(operation);
    case 'deleteEntity':
      return deleteEntity(operation);
  }
}

function outcomeOf({ kind, key }: EntityWrite, value: Buffer | undefined, version: bigint): WriteOutcome {
  if (!value) return { kind: 'deleted' };
  if (kind !== 'insertEntity') return { kind: 'updated', version };
  return { kind: 'inserted', row: { partition: key.partitionKey, key: key.rowKey, version, value } };
}

interface Write {
  readonly operation: EntityWrite;
  readonly decide: EntityDecision;
}

/** The final images of all rows and the outcome of each operation, or the first refusal with its index. */
function decideAll(
  writes: readonly Write[],
  rows: ReadRows,
  tick: bigint,
): Decision<readonly WriteOutcome[]> {
  const puts: { key: string; value: Buffer }[] = [];
  const deletes: string[] = [];
  const result: WriteOutcome[] = [];
  for (const [i, { operation, decide }] of writes.entries())
    try {
      const value = decide(rows.keys[i]);
      if (value) puts.push({ key: operation.key.rowKey, value });
      else deletes.push(operation.key.rowKey);
      result.push(outcomeOf(operation, value, tick));
    } catch (error) {
      throw error instanceof TableError ? new ChangesetFailure(i, error) : error;
    }
  return { result, puts, deletes };
}

export async function writeEntity(context: TableContext, operation: EntityWrite): Promise<WriteOutcome> {
  const { partitionKey, rowKey: key } = operation.key;
  const decide = decisionOf(operation);
  const space = await openTable(context, operation.table);
  const outcome =
    space &&
    (await context.store.commit(space, partitionKey, { keys: [key] }, (rows, tick) => {
      const value = decide(rows.keys[0]);
      const result = outcomeOf(operation, value, tick);
      return { result, puts: value ? [{ key, value }] : [], deletes: value ? [] : [key] };
    }));
  if (!outcome) throw await missingTable(context, operation.table);
  return outcome;
}

/**
 * Runs all of the operations or none; they are of one partition, each of another entity.
 *
 * @throws ChangesetFailure
 */
export async function writeEntities(
  context: TableContext,
  operations: readonly [EntityWrite, ...EntityWrite[]],
): Promise<readonly WriteOutcome[]> {
  const [{ table, key }] = operations;
  const writes = operations.map(operation => ({ operation, decide: decisionOf(operation) }));
  const keys = operations.map(operation => operation.key.rowKey);
  const space = await openTable(context, table);
  const decide = (rows: ReadRows, tick: bigint) => decideAll(writes, rows, tick);
  const outcomes = space && (await context.store.commit(space, key.partitionKey, { keys }, decide));
  if (!outcomes) throw new ChangesetFailure(0, await missingTable(context, table));
  return outcomes;
}
