// What the page does with tables. Rows are read from the answers' own texts (data-tools/line): the client's values lose
// the types of 1.0 and of long fractions of a second.
import type { TableClient } from '@azure/data-tables';
import { type Key, type Row, RowShape, readPage, readRow } from '#data-tools/line';
import { entityOf } from '../../model/typed-entity.js';
import { refusalOf } from './ask.js';

export const tableClient = async (account: string, table: string): Promise<TableClient> =>
  (await import('./clients.js')).tableClient(account, table);

export async function listTables(account: string, signal?: AbortSignal): Promise<readonly string[]> {
  const { tableService } = await import('./clients.js');
  const names: string[] = [];
  for await (const { name = '' } of tableService(account).listTables(signal && { abortSignal: signal }))
    names.push(name);
  return names;
}

/** The client takes it for success that a table is there already, or is already gone. */
const REFUSING = {
  onResponse: (_response: unknown, _answer: unknown, error?: unknown): void => {
    if (error !== undefined) throw refusalOf(error);
  },
};

export async function createTable(account: string, name: string): Promise<void> {
  await (await tableClient(account, name)).createTable(REFUSING);
}

export async function deleteTable(account: string, name: string): Promise<void> {
  await (await tableClient(account, name)).deleteTable(REFUSING);
}

export interface Query {
  readonly table: string;
  readonly filter: string;
  readonly select?: string[];
  readonly top: number;
  /** Where the query goes on. */
  readonly token: string | undefined;
}

export interface Page {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

export async function queryPage(
  account: string,
  { table, filter, select, top, token }: Query,
  signal?: AbortSignal,
): Promise<Page> {
  let text = '';
  const entities = (await tableClient(account, table)).listEntities({
    queryOptions: { ...(filter.trim() !== '' && { filter }), ...(select && { select }) },
    disableTypeConversion: true,
    onResponse: ({ bodyAsText }) => {
      text = bodyAsText ?? '';
    },
    ...(signal && { abortSignal: signal }),
  });
  const pages = entities.byPage({
    maxPageSize: top,
    ...(token !== undefined && { continuationToken: token }),
  });
  const { value } = await pages.next();
  const rows = select === undefined ? readPage(text, new RowShape()) : readPage(text);
  return { rows, next: value?.continuationToken };
}

/** The first page's count of rows, and whether there are more: what a list shows without reading a table. */
export async function countAtLeast(
  account: string,
  table: string,
  signal?: AbortSignal,
): Promise<{ readonly count: number; readonly hasMore: boolean }> {
  const { rows, next } = await queryPage(
    account,
    { table, filter: '', select: ['PartitionKey', 'RowKey'], top: 1000, token: undefined },
    signal,
  );
  return { count: rows.length, hasMore: next !== undefined };
}

export interface Found {
  readonly row: Row;
  readonly etag: string | undefined;
}

export async function getEntity(account: string, table: string, key: Key): Promise<Found> {
  let text = '';
  let etag: string | undefined;
  await (await tableClient(account, table)).getEntity(key.partitionKey, key.rowKey, {
    disableTypeConversion: true,
    onResponse: ({ bodyAsText, headers }) => {
      text = bodyAsText ?? '';
      etag = headers.get('etag');
    },
  });
  return { row: readRow(text), etag };
}

export type Write = 'insert' | 'merge' | 'replace';

export interface EntityWrite {
  readonly table: string;
  readonly write: Write;
  /** Of a merge, only what changes. */
  readonly row: Row;
  /** Of the version that is changed; undefined for an insert. */
  readonly etag: string | undefined;
}

export async function writeEntity(
  account: string,
  { table, write, row, etag = '*' }: EntityWrite,
): Promise<void> {
  const client = await tableClient(account, table);
  if (write === 'insert') await client.createEntity(entityOf(row));
  else await client.updateEntity(entityOf(row), write === 'merge' ? 'Merge' : 'Replace', { etag });
}

export async function deleteEntity(account: string, table: string, key: Key, etag: string): Promise<void> {
  await (await tableClient(account, table)).deleteEntity(key.partitionKey, key.rowKey, { etag });
}
