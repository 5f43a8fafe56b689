// Rows of tables over the wire: pages of Query Entities by key range, each page parsed exactly, in strict order. An
// empty page with a continuation is followed; a page that is cut or goes back in keys is requested again.
import { isAscii, isUtf8 } from 'node:buffer';
import { readPage } from '../line/read-rows.js';
import { compareKeys, type Key, type Row, RowError } from '../line/row.js';
import { RowShape } from '../line/row-shape.js';
import { BadAnswer, type Endpoint, errorOf, failureOf } from './endpoint.js';
import { filtersOf, isAfter, isBefore, type KeyRange, WHOLE } from './key-range.js';
import type { RowSource } from './row-source.js';
import { splitPoint } from './split-point.js';
import { ToolError } from './tool-error.js';
import type { Answer } from './transport.js';

const ACCEPT = { accept: 'application/json;odata=minimalmetadata' };
const NEXT = 'x-ms-continuation-next';
/** A larger page is not requested before the current one is processed. */
const AHEAD_BYTES_MAX = 1_048_576;
/**
 * The target size of an answer, if rows are so large that a full page would exceed it. A single row in use retains the
 * text of its whole page, which a server ends at some 11 MB.
 */
const PAGE_BYTES_AIM = 2 * 1_048_576;
/** A server's own limit (docs/protocol/queries.md). */
const PAGE_ROWS_MAX = 1000;

export interface Selection {
  /** A filter of the user, in OData form. */
  readonly filter?: string | undefined;
  /** Properties in addition to the keys and the Timestamp. */
  readonly select?: readonly string[] | undefined;
}

interface PageRequest {
  readonly table: string;
  readonly range: string;
  /** Default: that of the reader. */
  readonly select?: readonly string[] | undefined;
  readonly top?: number | undefined;
  readonly next?: Readonly<Record<string, string>> | undefined;
}

interface Page {
  /** Length of the answer. */
  readonly bytes: number;
  readonly rows: readonly Row[];
  /** Parameters of the request for the next page. */
  readonly next: Readonly<Record<string, string>> | undefined;
}

/** A text in UTF-8; an answer that is not was cut or garbled on the way. */
export function textIn(body: Buffer): string {
  if (isAscii(body)) return body.toString('latin1');
  if (!isUtf8(body)) throw new BadAnswer('an answer is not UTF-8');
  return body.toString('utf8');
}

const single = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0];

function continuationOf(headers: Answer['headers']): Page['next'] {
  const partition = single(headers[`${NEXT}partitionkey`]);
  const row = single(headers[`${NEXT}rowkey`]);
  if (partition === undefined && row === undefined) return undefined;
  return {
    ...(partition !== undefined && { NextPartitionKey: partition }),
    ...(row !== undefined && { NextRowKey: row }),
  };
}

export const bothFilters = (one: string, other: string | undefined): string =>
  one === '' ? (other ?? '') : other ? `(${one}) and (${other})` : one;

/** `$top` for rows of this size; undefined if a full page is short enough. */
export function topFor(rowBytes: number): number | undefined {
  const rows = Math.max(1, Math.floor(PAGE_BYTES_AIM / rowBytes));
  return rows < PAGE_ROWS_MAX ? rows : undefined;
}

export class TableRows implements RowSource {
  readonly endpoint: Endpoint;
  readonly #selection: Selection;
  readonly #shape = new RowShape();
  /** Per row, from the last pages. */
  #rowBytes = 0;

  constructor(endpoint: Endpoint, selection: Selection = {}) {
    this.endpoint = endpoint;
    this.#selection = selection;
  }

  get name(): string {
    return this.endpoint.name;
  }

  async tables(): Promise<readonly string[]> {
    const names: string[] = [];
    let next: string | undefined;
    do {
      const query: Record<string, string> = next === undefined ? {} : { NextTableName: next };
      const { headers, value } = await this.endpoint.send({
        method: 'GET',
        path: '/Tables',
        query,
        headers: { accept: 'application/json;odata=nometadata' },
        read: answer => {
          if (answer.status !== 200) throw failureOf(this.endpoint, 'a list of tables', answer);
          return tableNames(answer.body);
        },
      });
      names.push(...value);
      next = single(headers[`${NEXT}tablename`]);
    } while (next !== undefined);
    return names.sort();
  }

  async *pages(table: string, range: KeyRange = WHOLE): AsyncGenerator<readonly Row[], void> {
    let last: Key | undefined;
    for (const filter of filtersOf(range)) {
      for await (const page of this.#pagesOf(table, filter)) {
        const rows = rowsWithin(page.rows, range);
        const [first] = rows;
        if (first !== undefined) {
          // Rows that were already received are left out: a server may repeat a key where a page ends.
          const fresh =
            last === undefined || compareKeys(last, first) < 0 ? rows : rows.filter(isBehind(last));
          last = fresh.at(-1) ?? last;
          if (fresh.length > 0) yield fresh;
        }
        const end = page.rows.at(-1);
        if (end !== undefined && isAfter(end, range)) return;
      }
    }
  }

  /** The pages of a filter. The next one is loading while a small one is processed. */
  async *#pagesOf(table: string, filter: string): AsyncGenerator<Page, void> {
    let rowBytes = this.#rowBytes;
    const ask = (next?: Page['next']): Promise<Page> =>
      this.page({ table, range: filter, top: topFor(rowBytes), next });
    let coming: Promise<Page> | undefined = ask();
    while (coming !== undefined) {
      const page: Page = await coming;
      const { bytes, rows, next } = page;
      // Small rows between large ones lengthen pages step by step.
      rowBytes = Math.max(bytes / Math.max(1, rows.length), rowBytes / 2);
      this.#rowBytes = rowBytes;
      coming = next !== undefined && bytes <= AHEAD_BYTES_MAX ? ask(next) : undefined;
      // It is not awaited if the reader stops.
      coming?.catch(() => undefined);
      yield page;
      if (next !== undefined) coming ??= ask(next);
    }
  }

  split(table: string, range: KeyRange): Promise<Key | undefined> {
    return splitPoint(this, table, range);
  }

  /** One page; the server enforces the request's `$top`. @throws ToolError */
  async page({ table, range, select = this.#selection.select, top, next }: PageRequest): Promise<Page> {
    const { filter } = this.#selection;
    const both = bothFilters(range, filter);
    const query: Record<string, string> = {
      ...(both !== '' && { $filter: both }),
      ...(select && { $select: ['PartitionKey', 'RowKey', 'Timestamp', ...select].join(',') }),
      ...(top !== undefined && { $top: String(top) }),
      ...next,
    };
    let bytes = 0;
    const { value, headers } = await this.endpoint.send({
      method: 'GET',
      path: `/${table}()`,
      query,
      headers: ACCEPT,
      read: answer => {
        bytes = answer.body.length;
        if (answer.status !== 200) throw this.#failure(table, answer);
        return this.#rows(answer.body);
      },
    });
    return { bytes, rows: value, next: continuationOf(headers) };
  }

  #rows(body: Buffer): readonly Row[] {
    try {
      const rows = readPage(textIn(body), this.#shape);
      if (!isAscending(rows)) throw new BadAnswer('a page has its rows out of order');
      return rows;
    } catch (error) {
      if (error instanceof RowError) throw new BadAnswer(`a page cannot be read: ${error.message}`);
      throw error;
    }
  }

  #failure(table: string, answer: Answer): ToolError {
    const { status } = answer;
    const failure = failureOf(this.endpoint, `a query of table ${table}`, answer);
    if (status === 400) return new ToolError('usage', failure.message);
    if (status === 404)
      return new ToolError(
        'notThere',
        `Table ${table} is not at ${this.name}: ${errorOf(answer).code || 404}.`,
      );
    return failure;
  }
}

/** For rows in order; in most pages all are within. */
function rowsWithin(rows: readonly Row[], range: KeyRange): readonly Row[] {
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return rows;
  if (!isBefore(first, range) && !isAfter(last, range)) return rows;
  return rows.filter(row => !isBefore(row, range) && !isAfter(row, range));
}

const isBehind =
  (last: Key) =>
  (row: Row): boolean =>
    compareKeys(last, row) < 0;

function isAscending(rows: readonly Row[]): boolean {
  let before: Row | undefined;
  for (const row of rows) {
    if (before !== undefined && compareKeys(before, row) >= 0) return false;
    before = row;
  }
  return true;
}

function tableNames(body: Buffer): readonly string[] {
  try {
    const { value } = JSON.parse(body.toString('utf8')) as { value: readonly { TableName: string }[] };
    return value.map(({ TableName }) => TableName);
  } catch {
    throw new BadAnswer('a list of tables cannot be read');
  }
}
