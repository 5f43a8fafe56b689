// The Table service's REST operations that the page uses. Rows keep the texts of their values (data-tools/line), which
// JSON.parse would lose.
import { type Key, type Row, RowShape, readPage, readRow } from '#data-tools/line';
import { entityPath } from '#data-tools/write';
import { type Asked, ask } from './ask.js';

const JSON_TYPE = 'application/json';
const MINIMAL = 'application/json;odata=minimalmetadata';

const tableAsk = (account: string, asked: Omit<Asked, 'account' | 'service'>): Promise<Response> =>
  ask({
    account,
    service: 'table',
    ...asked,
    headers: { accept: MINIMAL, dataserviceversion: '3.0', ...asked.headers },
  });

export async function listTables(account: string, signal?: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  let next: string | undefined;
  do {
    const query = { NextTableName: next };
    const response = await tableAsk(account, { path: '/Tables', query, signal });
    const { value } = (await response.json()) as {
      readonly value: readonly { readonly TableName: string }[];
    };
    names.push(...value.map(({ TableName }) => TableName));
    next = response.headers.get('x-ms-continuation-NextTableName') ?? undefined;
  } while (next !== undefined);
  return names;
}

export async function createTable(account: string, name: string): Promise<void> {
  const body = JSON.stringify({ TableName: name });
  await tableAsk(account, {
    method: 'POST',
    path: '/Tables',
    headers: { 'content-type': JSON_TYPE, prefer: 'return-no-content' },
    body,
  });
}

export async function deleteTable(account: string, name: string): Promise<void> {
  await tableAsk(account, { method: 'DELETE', path: `/Tables('${encodeURIComponent(name)}')` });
}

/** Where a query goes on. */
export interface Token {
  readonly partitionKey: string;
  readonly rowKey: string | undefined;
}

export interface Query {
  readonly table: string;
  readonly filter: string;
  readonly select?: readonly string[];
  readonly top: number;
  readonly token: Token | undefined;
}

export interface Page {
  readonly rows: readonly Row[];
  readonly next: Token | undefined;
}

export async function queryPage(
  account: string,
  { table, filter, select, top, token }: Query,
  signal?: AbortSignal,
): Promise<Page> {
  const response = await tableAsk(account, {
    path: `/${table}()`,
    query: {
      $filter: filter.trim() === '' ? undefined : filter,
      $select: select?.join(','),
      $top: String(top),
      NextPartitionKey: token?.partitionKey,
      NextRowKey: token?.rowKey,
    },
    signal,
  });
  const text = await response.text();
  const partitionKey = response.headers.get('x-ms-continuation-NextPartitionKey');
  const rowKey = response.headers.get('x-ms-continuation-NextRowKey') ?? undefined;
  const rows = select === undefined ? readPage(text, new RowShape()) : readPage(text);
  return { rows, next: partitionKey === null ? undefined : { partitionKey, rowKey } };
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
  const response = await tableAsk(account, { path: entityPath(table, key) });
  return { row: readRow(await response.text()), etag: response.headers.get('etag') ?? undefined };
}

export type Write = 'insert' | 'merge' | 'replace';
const METHODS: Readonly<Record<Write, string>> = { insert: 'POST', merge: 'MERGE', replace: 'PUT' };

export interface EntityWrite {
  readonly table: string;
  readonly write: Write;
  readonly key: Key;
  /** The entity as JSON. */
  readonly body: string;
  /** Of the version that is changed; undefined for an insert. */
  readonly etag: string | undefined;
}

export async function writeEntity(
  account: string,
  { table, write, key, body, etag }: EntityWrite,
): Promise<void> {
  await tableAsk(account, {
    method: METHODS[write],
    path: write === 'insert' ? `/${table}` : entityPath(table, key),
    headers: {
      'content-type': JSON_TYPE,
      prefer: 'return-no-content',
      ...(write !== 'insert' && { 'if-match': etag ?? '*' }),
    },
    body,
  });
}

export async function deleteEntity(account: string, table: string, key: Key, etag: string): Promise<void> {
  await tableAsk(account, { method: 'DELETE', path: entityPath(table, key), headers: { 'if-match': etag } });
}
