// The requests of the Table service that this library makes: reads of one row and of a page, and writes of one row. Values in, values out; refusals
// become errors of this library. Nothing here knows entities, and nothing tries again.
import { PatternError, type RowAddress } from './pattern-error.js';
import { readPage, readRow, type WireObject } from './read-wire.js';
import type { PageStart, RowSource } from './row-source.js';
import { addressOf, etagOf, type RowWrite, rowPath, rowRequest } from './row-write.js';
import type { Sender, TableAnswer } from './sender.js';
import { parseRefusal, requestError, rowError } from './service-refusal.js';

const ACCEPT = 'application/json;odata=minimalmetadata';

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
}

export interface GetOptions extends ReadOptions {
  readonly select?: readonly string[] | undefined;
}

export interface PageRequest extends ReadOptions {
  readonly table: string;
  /** The text of `$filter`; all rows without one. */
  readonly filter?: string | undefined;
  readonly select?: readonly string[] | undefined;
  /** At most so many rows; the service gives 1,000 at most. */
  readonly top?: number | undefined;
  readonly next?: PageStart | undefined;
}

export interface PageAnswer {
  readonly rows: readonly WireObject[];
  /** A page without rows may have one. */
  readonly next: PageStart | undefined;
}

export interface RowAnswer {
  readonly row: WireObject;
  readonly etag: string | undefined;
}

/** A write that was done. */
export interface WriteAnswer {
  /** Of the row as it is now; undefined for a delete. */
  readonly etag: string | undefined;
}

const isDone = ({ status }: TableAnswer): boolean => status >= 200 && status < 300;

const refusalOf = (answer: TableAnswer) => parseRefusal(answer.status, answer.text, answer.header);

function nextOf(answer: TableAnswer): PageStart | undefined {
  const partitionKey = answer.header('x-ms-continuation-nextpartitionkey');
  const rowKey = answer.header('x-ms-continuation-nextrowkey');
  return partitionKey === undefined ? undefined : { partitionKey, rowKey };
}

export class TableRequests implements RowSource {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** The row; undefined if there is none, or no table: of which of these it is, the service says nothing. */
  async get(address: RowAddress, { select, signal }: GetOptions = {}): Promise<RowAnswer | undefined> {
    const answer = await this.#sender.send({
      method: 'GET',
      path: rowPath(address),
      query: { $select: select?.join(',') },
      headers: { Accept: ACCEPT },
      signal,
    });
    if (isDone(answer)) return { row: readRow(answer.text), etag: answer.header('etag') };
    const error = rowError(refusalOf(answer), address, undefined);
    if (PatternError.is(error, 'NotFound')) return undefined;
    throw error;
  }

  async queryPage({ table, filter, select, top, next, signal }: PageRequest): Promise<PageAnswer> {
    const answer = await this.#sender.send({
      method: 'GET',
      path: `${table}()`,
      query: {
        $filter: filter,
        $select: select?.join(','),
        $top: top?.toString(),
        NextPartitionKey: next?.partitionKey,
        NextRowKey: next?.rowKey,
      },
      headers: { Accept: ACCEPT },
      signal,
    });
    if (!isDone(answer)) throw requestError(refusalOf(answer));
    return { rows: readPage(answer.text), next: nextOf(answer) };
  }

  /** Throws AlreadyExists, NotFound, Conflict, Throttled and ServiceRefused. */
  async write(write: RowWrite, { signal }: ReadOptions = {}): Promise<WriteAnswer> {
    const answer = await this.send(write, signal);
    if (isDone(answer)) return { etag: answer.header('etag') };
    throw rowError(refusalOf(answer), addressOf(write), etagOf(write));
  }

  send(write: RowWrite, signal?: AbortSignal | undefined): Promise<TableAnswer> {
    const { body, ...request } = rowRequest(write);
    return this.#sender.send({ ...request, ...(body !== undefined && { body }), signal });
  }
}
