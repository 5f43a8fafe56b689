// The Table service requests of this library: reads of one row and of a page, writes of one row and of a batch. Values in, values out; refused reads
// become errors. It knows no entities and retries nothing.
import type { CallOptions } from '../concurrency/abort.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import { readPage, readRow } from '../values/read-wire.js';
import { type BatchAnswer, batchText, boundariesOf, parseBatchAnswer, partText } from './batch-body.js';
import type { GetOptions, PageAnswer, PageRequest, PageStart, RowAnswer, RowSource } from './row-source.js';
import { type RowWrite, rowPath, rowRequest } from './row-write.js';
import { type Outcome, resultOf, type Sender, type TableAnswer, type TableRequest } from './sender.js';
import { requestError, rowError, type ServiceRefusal } from './service-refusal.js';

const ACCEPT = 'application/json;odata=minimalmetadata';

/** Where the rows of a batch stand. */
export interface BatchOptions extends CallOptions {
  readonly table?: string | undefined;
}

/** What the service answered to a write, and whether the write may have been done before that. */
export type WriteAnswer = Outcome<BatchAnswer>;

/** Statuses of a write that is done (Insert, Update, Merge, Delete and Insert Or Replace Entity of Azure's documentation, Create and Delete Table). */
const WRITTEN: readonly number[] = [201, 204];

/** Throws SyntaxError. */
export function checkWritten({ status }: TableAnswer): void {
  if (!WRITTEN.includes(status)) throw new SyntaxError(`A write is not answered with ${status}.`);
}

function nextOf({ header }: TableAnswer): PageStart | undefined {
  const partitionKey = header('x-ms-continuation-nextpartitionkey');
  const rowKey = header('x-ms-continuation-nextrowkey');
  // An empty PartitionKey may come as no header at all, as Azurite has it.
  return partitionKey === undefined && rowKey === undefined
    ? undefined
    : { partitionKey: partitionKey ?? '', rowKey };
}

/** The requests of the Table service as this library sends them, and their answers as values. */
export class TableRequests implements RowSource {
  readonly #sender: Sender;

  constructor(sender: Sender) {
    this.#sender = sender;
  }

  /** The row; undefined if the row or the table does not exist: the service does not distinguish the two. */
  async get(address: RowAddress, { select, signal }: GetOptions = {}): Promise<RowAnswer | undefined> {
    const query = { $select: select?.join(',') };
    return this.#read<RowAnswer | undefined>(
      { path: rowPath(address), query, signal },
      ({ text, header }) => ({ row: readRow(text), etag: header('etag'), date: header('date') }),
      refusal => {
        const error = rowError(refusal, address, undefined);
        if (PatternError.is(error, 'NotFound')) return undefined;
        throw error;
      },
    );
  }

  async queryPage({ table, filter, select, top, next, signal }: PageRequest): Promise<PageAnswer> {
    const query = {
      $filter: filter,
      $select: select?.join(','),
      $top: top?.toString(),
      NextPartitionKey: next?.partitionKey,
      NextRowKey: next?.rowKey,
    };
    return this.#read(
      { path: `${table}()`, query, signal },
      answer => ({ rows: readPage(answer.text), next: nextOf(answer) }),
      refusal => {
        throw requestError(refusal, table);
      },
    );
  }

  /** The answer to a write as it came: what a refusal is worth, settled-writes.ts knows. */
  async write(write: RowWrite, { signal }: CallOptions = {}): Promise<WriteAnswer> {
    const { body, ...request } = rowRequest(write);
    return this.#sender.send({ ...request, ...(body !== undefined && { body }), signal }, answer => {
      checkWritten(answer);
      return { kind: 'done', etags: [answer.header('etag')] };
    });
  }

  /** What the operation adds to a batch. */
  part(write: RowWrite): string {
    const request = rowRequest(write);
    return partText(request, this.#sender.bareAddress(request.path));
  }

  /** One entity group transaction, as `part` made its parts. `id` is a UUID that no part holds. */
  async batch(parts: readonly string[], id: string, { signal }: BatchOptions = {}): Promise<WriteAnswer> {
    const boundaries = boundariesOf(id);
    const request = {
      method: 'POST',
      path: '$batch',
      headers: { Accept: ACCEPT, 'Content-Type': `multipart/mixed; boundary=${boundaries.batch}` },
      body: batchText(parts, boundaries),
      signal,
    } as const;
    return this.#sender.send(request, ({ text }) => parseBatchAnswer(text, parts.length));
  }

  async #read<T>(
    request: Pick<TableRequest, 'path' | 'query' | 'signal'>,
    read: (answer: TableAnswer) => T,
    refused: (refusal: ServiceRefusal) => T,
  ): Promise<T> {
    const sent = await this.#sender.send(
      { method: 'GET', headers: { Accept: ACCEPT }, ...request },
      answer => ({ kind: 'done', value: read(answer) }) as const,
    );
    return resultOf(sent, refused);
  }
}

/** What repositories need, whichever class sends the requests. */
export interface RowRequests extends RowSource, Pick<TableRequests, 'write' | 'part' | 'batch'> {
  /** Throws for a write that would not be sent, before it is put together with others, which would be. */
  check?(write: RowWrite): void;
}
