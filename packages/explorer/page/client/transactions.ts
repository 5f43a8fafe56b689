// Many changes of a table: gathered by partition into entity group transactions, a few at a time. If one is refused, its
// changes are sent one by one, so that only those that fail are left out.
import type { TableClient, TransactionAction } from '@azure/data-tables';
import type { Row } from '#data-tools/line';
import {
  BODY_BYTES_MAX,
  CHANGES_MAX,
  type ChangeKind,
  isAddressable,
  PART_OVERHEAD_BYTES,
  UNADDRESSABLE,
} from '#data-tools/write';
import { entityOf } from '../../model/typed-entity.js';
import { codeOf, isAborted, sentenceOf } from './ask.js';
import { tableClient } from './table-client.js';

export interface Target {
  readonly account: string;
  readonly table: string;
}

export interface Failed {
  readonly row: Row;
  readonly reason: string;
}

export interface Totals {
  done: number;
  readonly failed: Failed[];
}

const CONCURRENT = 4;
const FAILED_KEPT_MAX = 20;

/** Groups of one partition, of at most a hundred and of so many bytes; rows of a partition stay in order. */
function groupsOf(rows: readonly Row[], sizeOf: (row: Row) => number): readonly (readonly Row[])[] {
  const open = new Map<string, { rows: Row[]; bytes: number; keys: Set<string> }>();
  const groups: Row[][] = [];
  for (const row of rows) {
    const bytes = sizeOf(row) + PART_OVERHEAD_BYTES;
    const found = open.get(row.partitionKey);
    const fits =
      found !== undefined &&
      found.rows.length < CHANGES_MAX &&
      found.bytes + bytes < BODY_BYTES_MAX &&
      !found.keys.has(row.rowKey);
    if (fits) {
      found.rows.push(row);
      found.bytes += bytes;
      found.keys.add(row.rowKey);
    } else {
      const group = { rows: [row], bytes, keys: new Set([row.rowKey]) };
      open.set(row.partitionKey, group);
      groups.push(group.rows);
    }
  }
  return groups;
}

const ACTIONS: Readonly<Record<ChangeKind, (row: Row) => TransactionAction>> = {
  insert: row => ['create', entityOf(row)],
  replace: row => ['upsert', entityOf(row), 'Replace'],
  merge: row => ['upsert', entityOf(row), 'Merge'],
  delete: ({ partitionKey, rowKey }) => ['delete', { partitionKey, rowKey }],
};

/** False if the service refused one of the changes, so that all are undone. */
async function sendGroup(
  client: TableClient,
  kind: ChangeKind,
  rows: readonly Row[],
  abortSignal: AbortSignal,
): Promise<boolean> {
  try {
    const { subResponses } = await client.submitTransaction(rows.map(ACTIONS[kind]), { abortSignal });
    return subResponses.length === rows.length && subResponses.every(({ status }) => status < 300);
  } catch (error) {
    // Of the whole, also where a change is refused.
    const { response } = error as { readonly response?: { readonly status: number } };
    if (response?.status === 202) return false;
    throw error;
  }
}

async function sendOne(
  client: TableClient,
  kind: ChangeKind,
  row: Row,
  abortSignal: AbortSignal,
): Promise<void> {
  if (!isAddressable({ kind, row })) throw new Error(UNADDRESSABLE);
  if (kind === 'insert') await client.createEntity(entityOf(row), { abortSignal });
  else if (kind === 'delete') await client.deleteEntity(row.partitionKey, row.rowKey, { abortSignal });
  else await client.upsertEntity(entityOf(row), kind === 'merge' ? 'Merge' : 'Replace', { abortSignal });
}

function fail(totals: Totals, row: Row, error: unknown): void {
  if (totals.failed.length < FAILED_KEPT_MAX) totals.failed.push({ row, reason: sentenceOf(error) });
}

/** A row that is gone is deleted; one that is there and may not be replaced is a failure of its own. */
const isDone = (kind: ChangeKind, error: unknown): boolean =>
  kind === 'delete' && codeOf(error) === 'ResourceNotFound';

async function applyGroup(
  client: TableClient,
  kind: ChangeKind,
  rows: readonly Row[],
  { totals, signal, onProgress }: Run,
): Promise<void> {
  const mayBeWhole = rows.length > 1 && rows.every(row => isAddressable({ kind, row }));
  const isWhole = mayBeWhole && (await sendGroup(client, kind, rows, signal));
  if (isWhole) totals.done += rows.length;
  else
    for (const row of rows) {
      try {
        await sendOne(client, kind, row, signal);
        totals.done++;
      } catch (error) {
        if (isAborted(error)) throw error;
        if (isDone(kind, error)) totals.done++;
        else fail(totals, row, error);
      }
      onProgress();
    }
  onProgress();
}

export interface Run {
  readonly totals: Totals;
  readonly signal: AbortSignal;
  readonly onProgress: () => void;
}

const sizeOf = (kind: ChangeKind) => (row: Row) =>
  kind === 'delete'
    ? 3 * (row.partitionKey.length + row.rowKey.length)
    : row.properties.reduce(
        (bytes, { name, literal }) => bytes + 3 * (2 * name.length + literal.length) + 40,
        0,
      ) +
      6 * (row.partitionKey.length + row.rowKey.length);

/** Applies one kind of change to all rows. @throws the signal's reason, or what stops everything. */
export async function applyChanges(
  { account, table }: Target,
  kind: ChangeKind,
  rows: readonly Row[],
  run: Run,
): Promise<void> {
  const client = await tableClient(account, table);
  const waiting = [...groupsOf(rows, sizeOf(kind))];
  // Groups of one partition follow each other: a later one may have the same keys.
  const busy = new Map<string, Promise<void>>();
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const partition = group[0]?.partitionKey ?? '';
      const current = group;
      const turn = (busy.get(partition) ?? Promise.resolve()).then(() =>
        applyGroup(client, kind, current, run),
      );
      busy.set(
        partition,
        turn.catch(() => undefined),
      );
      await turn;
      run.signal.throwIfAborted();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
}
