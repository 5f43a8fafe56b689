// Gives each write one outcome: applied, refused, or, if that cannot be found out, OutcomeUnknown. The client retries a request when a connection breaks
// or the service is busy, and the retry may be refused because the first attempt was applied; such refusals, and lost answers, are settled by reading
// the row. judge-write.ts interprets the row.
import type { CallOptions } from '../../concurrency/abort.js';
import { addressOf, etagOf } from '../../transport/row-write.js';
import { requestError, rowError, type ServiceRefusal } from '../../transport/service-refusal.js';
import type { RowRequests, WriteAnswer } from '../../transport/table-requests.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import { type IdentifiedWrite, judgeWrite, type Verdict } from './judge-write.js';
import type { OperationIds } from './operation-id.js';

/** For a row that was written again since: an ETag that no row has, so that a write based on it is a Conflict. */
export const OUTDATED_ETAG = `W/"datetime'1601-01-01T00%3A00%3A00.0000000Z'"`;

/** An operation of a batch, with its text there. */
export interface IdentifiedPart extends IdentifiedWrite {
  readonly part: string;
}

type Etag = string | undefined;

/** How a request ended. */
type Ending =
  | { readonly kind: 'done'; readonly etags: readonly Etag[] }
  | { readonly kind: 'failed'; readonly error: PatternError; readonly isInDoubt: boolean };

type Verdicts = ReadonlyMap<IdentifiedWrite, Verdict>;

/** The service may have stopped half way. */
const isHalfWay = ({ status }: ServiceRefusal): boolean => status >= 500 || status === 408;

function batchError(operations: readonly IdentifiedWrite[], refusal: ServiceRefusal): PatternError {
  // Of a single operation, and of the first one, the service may leave the index out.
  const index = refusal.index ?? 0;
  const write = operations[index]?.write;
  if (write === undefined) return requestError(refusal);
  const cause = rowError(refusal, addressOf(write), etagOf(write));
  if (PatternError.is(cause, 'Throttled')) return cause;
  const reason = PatternError.is(cause, 'ServiceRefused') ? cause.detail.code : cause.code;
  return new PatternError('BatchFailed', { index, op: write.kind, reason, ...addressOf(write) }, { cause });
}

const addressOfFirst = ([first]: readonly IdentifiedWrite[]): RowAddress | undefined =>
  first && addressOf(first.write);

export class SettledWrites {
  readonly #requests: RowRequests;
  readonly #operationIds: OperationIds | undefined;
  readonly #newId: () => string;

  /** `newId` gives UUIDs. */
  constructor(requests: RowRequests, operationIds: OperationIds | undefined, newId: () => string) {
    this.#requests = requests;
    this.#operationIds = operationIds;
    this.#newId = newId;
  }

  /**
   * The ETag of the row as it is now; undefined for a delete. Throws AlreadyExists, NotFound, Conflict, Throttled, ServiceRefused, Unreachable
   * and OutcomeUnknown.
   */
  async write(operation: IdentifiedWrite, options: CallOptions = {}): Promise<Etag> {
    const { write } = operation;
    const ending = await this.#ending(this.#requests.write(write, options), refusal =>
      rowError(refusal, addressOf(write), etagOf(write)),
    );
    if (ending.kind === 'done') return ending.etags[0];
    if (operation.ifExists && PatternError.is(ending.error, 'NotFound')) return undefined;
    const [etag] = await this.#etagsNow([operation], await this.#settle([operation], ending));
    return etag;
  }

  /** The ETags of all rows, as `write` gives them. Throws BatchFailed, Throttled, ServiceRefused, Unreachable and OutcomeUnknown. */
  async batch(operations: readonly IdentifiedPart[], options: CallOptions = {}): Promise<readonly Etag[]> {
    const parts = operations.map(({ part }) => part);
    const table = addressOfFirst(operations)?.table;
    const ending = await this.#ending(
      this.#requests.batch(parts, this.#newId(), { ...options, table }),
      refusal => requestError(refusal, table),
      refusal => batchError(operations, refusal),
    );
    if (ending.kind === 'done') return ending.etags;
    const telling = operations.filter(({ isIndexRow }) => isIndexRow !== true);
    return this.#etagsNow(operations, await this.#settle(telling, ending));
  }

  async #ending(
    sending: Promise<WriteAnswer>,
    errorOf: (refusal: ServiceRefusal) => PatternError,
    errorOfOperation = errorOf,
  ): Promise<Ending> {
    const answer = await sending;
    if (answer.kind === 'done') return answer;
    const { isInDoubt } = answer;
    if (answer.kind === 'silence') return { kind: 'failed', error: answer.error, isInDoubt };
    const { refusal } = answer;
    const error = answer.kind === 'failed' ? errorOfOperation(refusal) : errorOf(refusal);
    const wasRepeated = isInDoubt && this.#operationIds !== undefined;
    return { kind: 'failed', error, isInDoubt: wasRepeated || isHalfWay(refusal) };
  }

  /**
   * Returns, with the rows that were read, if the operations were applied after all. Any that has an operation id decides for all. Deletes leave no trace of
   * their writer, so they are checked only if there is nothing else, and then all must be gone.
   */
  async #settle(
    operations: readonly IdentifiedWrite[],
    { error, isInDoubt }: { readonly error: PatternError; readonly isInDoubt: boolean },
  ): Promise<Verdicts> {
    if (!isInDoubt) throw error;
    const verdicts = new Map<IdentifiedWrite, Verdict>();
    const telling = operations.filter(({ write }) => write.kind !== 'delete').sort(byCertainty);
    let areAllGone = telling.length === 0;
    for (const operation of areAllGone ? operations : telling) {
      const verdict = await this.#readRow(operation).catch((thrown: unknown) => {
        throw outcomeUnknown([operation], new AggregateError([error, thrown]));
      });
      verdicts.set(operation, verdict);
      if (verdict.kind === 'undone') throw error;
      if (verdict.kind === 'done' && operation.write.kind !== 'delete') return verdicts;
      if (verdict.kind === 'unknown') areAllGone = false;
    }
    if (!areAllGone) throw outcomeUnknown(operations, error);
    return verdicts;
  }

  /** Not aborted by the caller's signal, so that the outcome is known. */
  async #readRow(operation: IdentifiedWrite): Promise<Verdict> {
    const found = await this.#requests.get(addressOf(operation.write));
    return judgeWrite(operation, found, this.#operationIds);
  }

  /** Of operations that were done, whatever becomes of further reads. */
  async #etagsNow(operations: readonly IdentifiedWrite[], known: Verdicts): Promise<readonly Etag[]> {
    const etags: Etag[] = [];
    for (const operation of operations) {
      const hasNone = operation.write.kind === 'delete' || operation.isIndexRow === true;
      const verdict = hasNone
        ? undefined
        : (known.get(operation) ?? (await this.#readRow(operation).catch(unlessOurs)));
      const etag = verdict?.kind === 'done' ? verdict.etag : undefined;
      etags.push(hasNone ? undefined : (etag ?? OUTDATED_ETAG));
    }
    return etags;
  }
}

/** Undefined for an error of this library. */
function unlessOurs(thrown: unknown): undefined {
  if (!PatternError.is(thrown)) throw thrown;
}

/** That a new row is not there may be another's delete; on a row that was read, nothing is lost. */
const CERTAINTY = { replace: 0, merge: 0, create: 1, upsert: 2, upsertMerge: 2, delete: 3 } as const;

const byCertainty = (a: IdentifiedWrite, b: IdentifiedWrite): number =>
  CERTAINTY[a.write.kind] - CERTAINTY[b.write.kind];

function outcomeUnknown(operations: readonly IdentifiedWrite[], cause: unknown): PatternError {
  const [first] = operations;
  if (first === undefined) throw cause;
  const { kind } = first.write;
  const op =
    operations.length === 1
      ? kind
      : `a batch of ${operations.length} operations, of which the first is ${kind},`;
  return new PatternError('OutcomeUnknown', { op, ...addressOf(first.write) }, { cause });
}
