// Entity group transaction: one table, one partition, each entity once, at most 100 operations (protocol: batches#rules).
import { CHANGESET_OPERATIONS_MAX } from '../limits.js';
import type { EntityWrite, SubmitTransaction } from '../operation.js';
import type { Outcome } from '../outcome.js';
import { ChangesetFailure, TableError, type TableErrorCode } from '../table-error.js';
import type { TableContext } from '../table-space.js';
import { writeEntities } from './write-entities.js';

const failure = (code: TableErrorCode, index: number): ChangesetFailure =>
  new ChangesetFailure(index, new TableError(code));

/** @throws ChangesetFailure */
function checkChangeset(operations: readonly EntityWrite[]): void {
  if (operations.length > CHANGESET_OPERATIONS_MAX)
    throw failure('InvalidInput:BatchLength', CHANGESET_OPERATIONS_MAX - 1);
  const seen = new Set<string>();
  const [first] = operations;
  operations.forEach(({ table, key }, index) => {
    const sameGroup =
      first &&
      key.partitionKey === first.key.partitionKey &&
      table.toLowerCase() === first.table.toLowerCase();
    if (!sameGroup) throw failure('CommandsInBatchActOnDifferentPartitions', index);
    if (seen.has(key.rowKey)) throw failure('InvalidDuplicateRow', index);
    seen.add(key.rowKey);
  });
}

/** Keeps no operation while it waits (write-entities.ts). */
export function submitTransaction(
  context: TableContext,
  { operations }: SubmitTransaction,
): Promise<Outcome> {
  try {
    checkChangeset(operations);
  } catch (failure) {
    return Promise.reject(failure);
  }
  const [first, ...others] = operations;
  const written = first ? writeEntities(context, [first, ...others]) : Promise.resolve([]);
  return written.then(outcomes => ({ kind: 'transaction', outcomes }));
}
