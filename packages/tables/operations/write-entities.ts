// Writes one entity, or the entities of a changeset, in one commit. Each operation is a pure decision: from the row as it is to the bytes that
// it gets, or a refusal (protocol: entities).
import { detachedString } from '#base';
import type { Decision, ReadRows, Row } from '#store';
import { encodeEntity } from '../entity/entity-encoder.js';
import type { Condition, EntityWrite } from '../operation.js';
import type { WriteOutcome } from '../outcome.js';
import { ChangesetFailure, TableError } from '../table-error.js';
import { missingTable, openTable, type TableContext } from '../table-space.js';
import { inOrdinalOrder, mergeStored } from './merge-stored.js';

/** Pure: maps the current row to its new value, or to undefined for a delete. Throws a TableError to refuse. */
type EntityDecision = (row: Row | undefined) => Buffer | undefined;

/**
 * The row, if the condition of If-Match holds (protocol: entities#conditions). A missing entity is 404 under every condition, never 412.
 */
function requireRow(row: Row | undefined, condition: Condition): Row {
  if (!row) throw new TableError('ResourceNotFound');
  if (condition.kind === 'version' && condition.version !== row.version)
    throw new TableError('UpdateConditionNotSatisfied');
  return row;
}

/** What does not depend on the row is encoded now, so that a waiting commit does not retain the request's text. */
function decisionOf(operation: EntityWrite): EntityDecision {
  switch (operation.kind) {
    // Its properties stay in the order of the request (protocol: entities#insert, entities#order-of-properties).
    case 'insertEntity': {
      const value = encodeEntity(operation.properties);
      return row => {
        if (row) throw new TableError('EntityAlreadyExists');
        return value;
      };
    }
    // The new properties replace all the old ones (protocol: entities#update).
    case 'updateEntity': {
      const value = encodeEntity(inOrdinalOrder(operation.properties));
      const { condition } = operation;
      return row => {
        requireRow(row, condition);
        return value;
      };
    }
    case 'insertOrReplaceEntity': {
      const value = encodeEntity(inOrdinalOrder(operation.properties));
      return () => value;
    }
    // Properties of the request are set, the others stay (protocol: entities#merge).
    case 'mergeEntity':
      return row =>
        mergeStored(operation.key, requireRow(row, operation.condition).value, operation.properties);
    case 'insertOrMergeEntity':
      return row =>
        row
          ? mergeStored(operation.key, row.value, operation.properties)
          : encodeEntity(inOrdinalOrder(operation.properties));
    // Protocol: entities#delete.
    case 'deleteEntity':
      return row => {
        requireRow(row, operation.condition);
        return undefined;
      };
  }
}

/** The parts of an operation that its outcome needs. */
type Written = Pick<EntityWrite, 'kind' | 'key'>;

function outcomeOf({ kind, key }: Written, value: Buffer | undefined, version: bigint): WriteOutcome {
  if (!value) return { kind: 'deleted' };
  if (kind !== 'insertEntity') return { kind: 'updated', version };
  return { kind: 'inserted', row: { partition: key.partitionKey, key: key.rowKey, version, value } };
}

/** What remains of an operation when its new row is encoded. */
interface Write extends Written {
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
  for (const [i, write] of writes.entries())
    try {
      const value = write.decide(rows.keys[i]);
      if (value) puts.push({ key: write.key.rowKey, value });
      else deletes.push(write.key.rowKey);
      result.push(outcomeOf(write, value, tick));
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

/** Commits writes of one partition; while waiting it retains nothing of the request's text. */
async function commitWrites(
  context: TableContext,
  table: string,
  partition: string,
  writes: readonly Write[],
): Promise<readonly WriteOutcome[]> {
  const space = await openTable(context, table);
  const keys = writes.map(({ key }) => key.rowKey);
  const decide = (rows: ReadRows, tick: bigint) => decideAll(writes, rows, tick);
  const outcomes = space && (await context.store.commit(space, partition, { keys }, decide));
  if (!outcomes) throw new ChangesetFailure(0, await missingTable(context, table));
  return outcomes;
}

/**
 * Runs all of the operations or none; they are of one partition, each of another entity. Not `async`: the pending
 * promise would retain the properties of all entities, with the request's text, across collections.
 *
 * @throws ChangesetFailure
 */
export function writeEntities(
  context: TableContext,
  operations: readonly [EntityWrite, ...EntityWrite[]],
): Promise<readonly WriteOutcome[]> {
  const [{ table, key }] = operations;
  const partitionKey = detachedString(key.partitionKey);
  const writes = operations.map(operation => ({
    kind: operation.kind,
    key: { partitionKey, rowKey: detachedString(operation.key.rowKey) },
    decide: decisionOf(operation),
  }));
  return commitWrites(context, table, partitionKey, writes);
}
