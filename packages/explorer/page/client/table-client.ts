// What the page reads of tables. Rows are read from the answers' own texts (data-tools/line): the client's values lose
// the types of 1.0 and of long fractions of a second.
import { type Key, type Row, RowShape, readPage, readRow } from '#data-tools/line';
import { entityOf } from '../../model/typed-entity.js';
import { type Place, tableOf } from './account.js';

/** The entities of a table that match; all without a filter. */
export interface Selected {
  readonly table: Place;
  readonly filter: string;
}

interface Part {
  readonly select?: string[];
  readonly top: number;
  /** Where the query continues. */
  readonly token?: string | undefined;
}

export interface Page {
  readonly rows: readonly Row[];
  readonly next: string | undefined;
}

export const KEYS = ['PartitionKey', 'RowKey'];
/** The service's own limit. */
export const PAGE_ROWS = 1000;

export async function queryPage(
  { table, filter }: Selected,
  { select, top, token }: Part,
  abortSignal: AbortSignal,
): Promise<Page> {
  let text = '';
  const entities = (await tableOf(table)).listEntities({
    queryOptions: { ...(filter.trim() !== '' && { filter }), ...(select && { select }) },
    disableTypeConversion: true,
    onResponse: ({ bodyAsText }) => {
      text = bodyAsText ?? '';
    },
    abortSignal,
  });
  const pages = entities.byPage({
    maxPageSize: top,
    ...(token !== undefined && { continuationToken: token }),
  });
  const { value } = await pages.next();
  const rows = select === undefined ? readPage(text, new RowShape()) : readPage(text);
  return { rows, next: value?.continuationToken };
}

/** One page after the other. */
export async function* queryPages(
  selected: Selected,
  part: Pick<Part, 'select'>,
  signal: AbortSignal,
): AsyncGenerator<readonly Row[], void> {
  let token: string | undefined;
  do {
    const { rows, next } = await queryPage(selected, { ...part, top: PAGE_ROWS, token }, signal);
    yield rows;
    token = next;
  } while (token !== undefined);
}

export interface Found {
  readonly row: Row;
  readonly etag: string | undefined;
}

export async function getEntity(table: Place, { partitionKey, rowKey }: Key): Promise<Found> {
  let text = '';
  let etag: string | undefined;
  await (await tableOf(table)).getEntity(partitionKey, rowKey, {
    disableTypeConversion: true,
    onResponse: ({ bodyAsText, headers }) => {
      text = bodyAsText ?? '';
      etag = headers.get('etag');
    },
  });
  return { row: readRow(text), etag };
}

export type Write = 'insert' | 'merge' | 'replace';

/** @param row of a merge, only what changes. @param etag of the version that is changed; none for an insert. */
export async function writeEntity(table: Place, write: Write, row: Row, etag = '*'): Promise<void> {
  const client = await tableOf(table);
  if (write === 'insert') await client.createEntity(entityOf(row));
  else await client.updateEntity(entityOf(row), write === 'merge' ? 'Merge' : 'Replace', { etag });
}
