// Many changes of a table: gathered by partition into entity group transactions, a few at a time. If one is refused, its
// changes are sent one by one, so that only those that fail are left out.
import type { TableClient, TransactionAction } from '@azure/data-tables';
import type { Row } from '#data-tools/line';
import {
  BODY_BYTES_MAX,
  CHANGES_MAX,
  type ChangeKind,
  inParallel,
  isAddressable,
  PART_OVERHEAD_BYTES,
  UNADDRESSABLE,
} from '#data-tools/write';
import { entityOf } from '../../model/typed-entity.js';
import type { Failed, Running } from '../state/work.js';
import { type Place, tableOf } from './account.js';
import { codeOf, isAborted, sentenceOf } from './ask.js';

const CONCURRENT = 4;
const FAILED_KEPT_MAX = 20;

/** An upper bound: a unit of UTF-16 has up to three bytes of UTF-8. */
const sizeOf = ({ partitionKey, rowKey, properties }: Row): number =>
  properties.reduce(
    (bytes, { name, literal }) => bytes + 3 * (2 * name.length + literal.length) + 40,
    6 * (partitionKey.length + rowKey.length) + PART_OVERHEAD_BYTES,
  );

interface Group {
  readonly rows: Row[];
  bytes: number;
}

/** For each partition its rows in their order, in groups of what a transaction can have. */
function groupsOf(rows: readonly Row[]): readonly (readonly Group[])[] {
  const partitions = new Map<string, Group[]>();
  for (const row of rows) {
    const bytes = sizeOf(row);
    const groups = partitions.get(row.partitionKey) ?? [];
    partitions.set(row.partitionKey, groups);
    const last = groups.at(-1);
    const fits =
      last !== undefined &&
      last.rows.length < CHANGES_MAX &&
      last.bytes + bytes < BODY_BYTES_MAX &&
      !last.rows.some(({ rowKey }) => rowKey === row.rowKey);
    if (fits) {
      last.rows.push(row);
      last.bytes += bytes;
    } else groups.push({ rows: [row], bytes });
  }
  return [...partitions.values()];
}

const ACTIONS: Readonly<Record<ChangeKind, (row: Row) => TransactionAction>> = {
  insert: row => ['create', entityOf(row)],
  replace: row => ['upsert', entityOf(row), 'Replace'],
  merge: row => ['upsert', entityOf(row), 'Merge'],
  delete: ({ partitionKey, rowKey }) => ['delete', { partitionKey, rowKey }],
};

/** @throws what the service answered, of a single change also if the change is what it refused. */
async function send(
  client: TableClient,
  kind: ChangeKind,
  rows: readonly Row[],
  abortSignal: AbortSignal,
): Promise<void> {
  if (!rows.every(row => isAddressable({ kind, row }))) throw new Error(UNADDRESSABLE);
  const { subResponses } = await client.submitTransaction(rows.map(ACTIONS[kind]), { abortSignal });
  if (subResponses.length !== rows.length || subResponses.some(({ status }) => status >= 300))
    throw new Error('The answer to a transaction is not whole.');
}

/** Whether the changes of a transaction are undone because of one of them, which its answer as a whole does not tell. */
function isOfOne(error: unknown): boolean {
  const { message, response } = error as Error & { readonly response?: { readonly status: number } };
  return message === UNADDRESSABLE || response?.status === 202;
}

/**
 * Makes changes of one kind, page by page or all at once, and reports what came of them. The result throws the signal's
 * reason, or what stops everything.
 */
export function changing(table: Place, kind: ChangeKind, { signal, change }: Running) {
  const failed: Failed[] = [];
  let done = 0;
  const apply = async (client: TableClient, rows: readonly Row[]): Promise<void> => {
    const [{ partitionKey, rowKey } = { partitionKey: '', rowKey: '' }, ...others] = rows;
    try {
      await send(client, kind, rows, signal);
      done += rows.length;
    } catch (error) {
      if (isAborted(error) || (others.length > 0 && !isOfOne(error))) throw error;
      if (others.length > 0) for (const row of rows) await apply(client, [row]);
      // A row that is gone is deleted; one that is there and may not be replaced is a failure of its own.
      else if (kind === 'delete' && codeOf(error) === 'ResourceNotFound') done++;
      else if (failed.length < FAILED_KEPT_MAX)
        // Without the number of the change in its transaction.
        failed.push({ what: `${partitionKey} · ${rowKey}`, reason: sentenceOf(error).replace(': 0:', ': ') });
    }
    change({ done, failed: [...failed] });
  };
  return async (rows: readonly Row[]): Promise<void> => {
    const client = await tableOf(table);
    await inParallel(groupsOf(rows), CONCURRENT, async groups => {
      for (const group of groups) {
        await apply(client, group.rows);
        signal.throwIfAborted();
      }
    });
  };
}
