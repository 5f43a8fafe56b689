// The Table service requests of this library: reads of one row and of a page, writes of one row and of a batch. Values in, values out; refused reads
// become errors. It knows no entities and retries nothing.
import type { CallOptions } from '../concurrency/abort.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import { readPage, readRow } from '../values/read-wire.js';
import { type BatchAnswer, batchText, boundariesOf, parseBatchAnswer, partText } from './batch-body.js';
import type { GetOptions, PageAnswer, PageRequest, PageStart, RowAnswer, RowSource } from './row-source.js';
import { type RowWrite, rowPath, rowRequest } from './row-write.js';
import type { Sender, Silence, TableAnswer } from './sender.js';
import { parseRefusal, requestError, rowError, type ServiceRefusal } from './service-refusal.js';

const ACCEPT = 'application/json;odata=minimalmetadata';

/** Where the rows of a batch stand. */
export interface BatchOptions extends CallOptions {
  readonly table?: string | undefined;
}

/** What the service answered to a write, and whether the write may have been done before that. */
export type WriteAnswer = { readonly isInDoubt: boolean } & (
  | BatchAnswer
  | { readonly kind: 'refused'; readonly refusal: ServiceRefusal }
  | { readonly kind: 'silence'; readonly error: PatternError }
);

const unreachable = ({ attempts, cause }: Pick<Silence, 'attempts' | 'cause'>): PatternError =>
  new PatternError('Unreachable', { attempts }, { cause });

const isDone = ({ status }: TableAnswer): boolean => status >= 200 && status < 300;

const refusalOf = ({ status, text, header }: TableAnswer): ServiceRefusal =>
  parseRefusal(status, text, header);

/** Statuses of a write that is done (Insert, Update, Merge, Delete and Insert Or Replace Entity of Azure's documentation, Create and Delete Table). */
const WRITTEN: readonly number[] = [201, 204];

/** Throws SyntaxError. */
export function checkWritten({ status }: TableAnswer): void {
  if (!WRITTEN.includes(status)) throw new SyntaxError(`A write is not answered with ${status}.`);
}

/** Characters of a foreign page that an error shows. */
const SHOWN_MAX = 100;

/** What `read` finds in an answer, or what its refusal means. Throws Unreachable, and ServiceRefused for what is no answer of the service, such as a page of a proxy. */
export function answered<T>(
  answer: TableAnswer | Silence,
  refused: (refusal: ServiceRefusal) => T,
  read: (answer: TableAnswer) => T,
): T {
  if (answer.kind === 'silence') throw unreachable(answer);
  if (!isDone(answer)) return refused(refusalOf(answer));
  try {
    return read(answer);
  } catch (cause) {
    const { status } = answer;
    const text = `this is no answer of the Table service: ${answer.text.slice(0, SHOWN_MAX)}`;
    throw new PatternError('ServiceRefused', { status, code: '', text }, { cause });
  }
}

/** The answer to a write; `done` reads its result. What is no answer of the service proves nothing. */
function writeAnswer(answer: TableAnswer | Silence, done: (answer: TableAnswer) => BatchAnswer): WriteAnswer {
  const { isInDoubt } = answer;
  if (answer.kind === 'silence') return { kind: 'silence', isInDoubt, error: unreachable(answer) };
  if (!isDone(answer)) return { kind: 'refused', isInDoubt, refusal: refusalOf(answer) };
  try {
    return { isInDoubt, ...done(answer) };
  } catch (cause) {
    return { kind: 'silence', isInDoubt: true, error: unreachable({ attempts: answer.attempts, cause }) };
  }
}

function nextOf(answer: TableAnswer): PageStart | undefined {
  const partitionKey = answer.header('x-ms-continuation-nextpartitionkey');
  const rowKey = answer.header('x-ms-continuation-nextrowkey');
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
    const sent = await this.#sender.send({
      method: 'GET',
      path: rowPath(address),
      query: { $select: select?.join(',') },
      headers: { Accept: ACCEPT },
      signal,
    });
    const refused = (refusal: ServiceRefusal): undefined => {
      const error = rowError(refusal, address, undefined);
      if (!PatternError.is(error, 'NotFound')) throw error;
    };
    return answered<RowAnswer | undefined>(sent, refused, ({ text, header }) => ({
      row: readRow(text),
      etag: header('etag'),
      date: header('date'),
    }));
  }

  async queryPage({ table, filter, select, top, next, signal }: PageRequest): Promise<PageAnswer> {
    const sent = await this.#sender.send({
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
    const refused = (refusal: ServiceRefusal): never => {
      throw requestError(refusal, table);
    };
    return answered(sent, refused, answer => ({ rows: readPage(answer.text), next: nextOf(answer) }));
  }

  /** The answer to a write as it came: what a refusal is worth, settled-writes.ts knows. */
  async write(write: RowWrite, { signal }: CallOptions = {}): Promise<WriteAnswer> {
    const { body, ...request } = rowRequest(write);
    const answer = await this.#sender.send({ ...request, ...(body !== undefined && { body }), signal });
    return writeAnswer(answer, done => {
      checkWritten(done);
      return { kind: 'done', etags: [done.header('etag')] };
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
    const answer = await this.#sender.send({
      method: 'POST',
      path: '$batch',
      headers: { Accept: ACCEPT, 'Content-Type': `multipart/mixed; boundary=${boundaries.batch}` },
      body: batchText(parts, boundaries),
      signal,
    });
    return writeAnswer(answer, ({ text }) => parseBatchAnswer(text, parts.length));
  }
}

/** What repositories need, whichever class sends the requests. */
export interface RowRequests extends RowSource, Pick<TableRequests, 'write' | 'part' | 'batch'> {
  /** Throws for a write that would not be sent, before it is put together with others, which would be. */
  check?(write: RowWrite): void;
}
