// Writes one entity, or the entities of a changeset, in one commit, with one decision each.
import type { Decision, ReadRows, Row } from '#store';
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

interface Changes {
  readonly puts: { key: string; value: Buffer }[];
  readonly deletes: string[];
}

/** Adds the row's final image to the changes. */
function decideOne(
  { operation, decide }: Write,
  row: Row | undefined,
  tick: bigint,
  changes: Changes,
): WriteOutcome {
  const value = decide(row);
  if (value) changes.puts.push({ key: operation.key.rowKey, value });
  else changes.deletes.push(operation.key.rowKey);
  return outcomeOf(operation, value, tick);
}

/** The final images of all rows and the outcome of each operation, or the first refusal with its index. */
function decideAll(
  writes: readonly Write[],
  rows: ReadRows,
  tick: bigint,
): Decision<readonly WriteOutcome[]> {
  const changes: Changes = { puts: [], deletes: [] };
  const result: WriteOutcome[] = [];
  for (const [i, write] of writes.entries())
    try {
      result.push(decideOne(write, rows.keys[i], tick, changes));
    } catch (error) {
      throw error instanceof TableError ? new ChangesetFailure(i, error) : error;
    }
  return { result, puts: changes.puts, deletes: changes.deletes };
}

export async function writeEntity(context: TableContext, operation: EntityWrite): Promise<WriteOutcome> {
  const { table, key } = operation;
  const write = { operation, decide: decisionOf(operation) };
  const space = await openTable(context, table);
  const decide = (rows: ReadRows, tick: bigint): Decision<WriteOutcome> => {
    const changes: Changes = { puts: [], deletes: [] };
    const result = decideOne(write, rows.keys[0], tick, changes);
    return { result, puts: changes.puts, deletes: changes.deletes };
  };
  const reads = { keys: [key.rowKey] };
  const outcome = space && (await context.store.commit(space, key.partitionKey, reads, decide));
  if (!outcome) throw await missingTable(context, table);
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
