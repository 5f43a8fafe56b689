// Many changes of a table: gathered by partition into entity group transactions, a few at a time. If one is refused, its
// changes are sent one by one, so that only those that fail are left out.
import type { Row } from '#data-tools/line';
import {
  BATCH_TYPE,
  BODY_BYTES_MAX,
  CHANGES_MAX,
  type ChangeKind,
  formatTransaction,
  isAddressable,
  PART_OVERHEAD_BYTES,
  requestOf,
  statusesIn,
  UNADDRESSABLE,
} from '#data-tools/write';
import { AskError, ask, isAborted, sentenceOf } from './ask.js';

export interface Target {
  readonly account: string;
  /** Of the account's tables; parts of a transaction have absolute addresses. */
  readonly endpoint: string;
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
export function groupsOf(rows: readonly Row[], sizeOf: (row: Row) => number): readonly (readonly Row[])[] {
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

const parts = ({ table }: Target, kind: ChangeKind, rows: readonly Row[]) =>
  rows.map(row => requestOf(table, { kind, row }));

async function sendGroup(
  target: Target,
  kind: ChangeKind,
  rows: readonly Row[],
  signal: AbortSignal,
): Promise<boolean> {
  const response = await ask({
    account: target.account,
    service: 'table',
    method: 'POST',
    path: '/$batch',
    headers: {
      'content-type': BATCH_TYPE,
      accept: 'application/json;odata=minimalmetadata',
      dataserviceversion: '3.0',
    },
    body: formatTransaction(target.endpoint, parts(target, kind, rows)),
    signal,
  });
  const statuses = statusesIn(await response.text());
  return statuses.length === rows.length && statuses.every(status => status < 300);
}

async function sendOne(target: Target, kind: ChangeKind, row: Row, signal: AbortSignal): Promise<void> {
  if (!isAddressable({ kind, row })) throw new Error(UNADDRESSABLE);
  for (const { method, path, headers, body } of parts(target, kind, [row]))
    await ask({
      account: target.account,
      service: 'table',
      method,
      path,
      headers,
      body: body || undefined,
      signal,
    });
}

function fail(totals: Totals, row: Row, error: unknown): void {
  if (totals.failed.length < FAILED_KEPT_MAX) totals.failed.push({ row, reason: sentenceOf(error) });
}

/** A row that is gone is deleted; one that is there and may not be replaced is a failure of its own. */
const isDone = (kind: ChangeKind, error: unknown): boolean =>
  kind === 'delete' && error instanceof AskError && error.code === 'ResourceNotFound';

async function applyGroup(
  target: Target,
  kind: ChangeKind,
  rows: readonly Row[],
  { totals, signal, onProgress }: Run,
): Promise<void> {
  const mayBeWhole = rows.length > 1 && rows.every(row => isAddressable({ kind, row }));
  const isWhole = mayBeWhole && (await sendGroup(target, kind, rows, signal));
  if (isWhole) totals.done += rows.length;
  else
    for (const row of rows) {
      try {
        await sendOne(target, kind, row, signal);
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
  target: Target,
  kind: ChangeKind,
  rows: readonly Row[],
  run: Run,
): Promise<void> {
  const waiting = [...groupsOf(rows, sizeOf(kind))];
  // Groups of one partition follow each other: a later one may have the same keys.
  const busy = new Map<string, Promise<void>>();
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const partition = group[0]?.partitionKey ?? '';
      const current = group;
      const turn = (busy.get(partition) ?? Promise.resolve()).then(() =>
        applyGroup(target, kind, current, run),
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
