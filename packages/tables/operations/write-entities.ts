// Writes entities of one partition in one commit: a single write and a changeset go the same way.
import type { Decision, ReadRows, Row } from '#store';
import { missingTable } from '../missing-table.js';
import type { EntityWrite } from '../operation.js';
import type { WriteOutcome } from '../outcome.js';
import { TableError } from '../table-error.js';
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

/** The place in the changeset of what was refused, for the error's text. */
function decideAt(index: number, decide: EntityDecision, row: Row | undefined): Buffer | undefined {
  try {
    return decide(row);
  } catch (error) {
    if (error instanceof TableError) error.index = index;
    throw error;
  }
}

interface Write {
  readonly operation: EntityWrite;
  readonly decide: EntityDecision;
}

/** The images of all rows and what came of each operation, or the first refusal. */
function decideAll(
  writes: readonly Write[],
  rows: ReadRows,
  tick: bigint,
): Decision<readonly WriteOutcome[]> {
  const puts: { key: string; value: Buffer }[] = [];
  const deletes: string[] = [];
  const result: WriteOutcome[] = [];
  for (const [i, { operation, decide }] of writes.entries()) {
    const value = decideAt(i, decide, rows.keys[i]);
    if (value) puts.push({ key: operation.key.rowKey, value });
    else deletes.push(operation.key.rowKey);
    result.push(outcomeOf(operation, value, tick));
  }
  return { result, puts, deletes };
}

/** All of the operations or none; they are of one partition, each of another entity. */
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
  if (!outcomes) throw Object.assign(await missingTable(context, table), { index: 0 });
  return outcomes;
}
