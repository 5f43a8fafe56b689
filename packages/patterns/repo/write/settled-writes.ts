// Gives each write one outcome: applied, refused, or, if that cannot be found out, OutcomeUnknown. The client retries a request when a connection breaks
// or the service is busy, and the retry may be refused because the first attempt was applied; such refusals, and lost answers, are settled by reading
// the row.
//
// A conditional write applies to one version of the row and to no other. So if the row still has that ETag, or if its operation ids
// reach back to the newest operation id of that version, the write is among them, or it was not applied and will not be.
import type { CallOptions } from '../../concurrency/abort.js';
import type { RowAnswer } from '../../transport/row-source.js';
import { addressOf, etagOf, type RowWrite } from '../../transport/row-write.js';
import { requestError, rowError, type ServiceRefusal } from '../../transport/service-refusal.js';
import type { RowRequests, WriteAnswer } from '../../transport/table-requests.js';
import { PatternError } from '../../values/pattern-error.js';
import { textOf } from '../../values/row-member.js';
import type { OperationId, OperationIds } from './operation-id.js';

/** For a row that was written again since: an ETag that no row has, so that a write based on it is a Conflict. */
export const OUTDATED_ETAG = `W/"datetime'1601-01-01T00%3A00%3A00.0000000Z'"`;

/** A write, and what a read of its row needs to know. */
export interface IdentifiedWrite {
  readonly write: RowWrite;
  /** Undefined for a delete, and where operation ids are off. */
  readonly operationId?: OperationId | undefined;
  /** The newest operation id of the row that the write was made from. */
  readonly previousId?: OperationId | undefined;
  /** A missing row is no failure: the state that the write asks for is there. */
  readonly ifExists?: boolean;
  /** The row is in one batch with another, which shows the outcome of both. */
  readonly isIndexRow?: boolean;
}

/** An operation of a batch, with its text there. */
export interface IdentifiedPart extends IdentifiedWrite {
  readonly part: string;
}

type Etag = string | undefined;

export type Verdict =
  /** `etag` is undefined for a delete, and if the row was written again since. */
  { readonly kind: 'done'; readonly etag: Etag } | { readonly kind: 'undone' | 'unknown' };

const UNDONE: Verdict = { kind: 'undone' };
const UNKNOWN: Verdict = { kind: 'unknown' };

/** Whether the write was applied, by the row as it is now. */
export function judgeWrite(
  { write, operationId, previousId }: IdentifiedWrite,
  found: RowAnswer | undefined,
  operationIds: OperationIds | undefined,
): Verdict {
  const now = found && (found.etag ?? textOf(found.row, 'odata.etag'));
  const condition = etagOf(write);
  const isUntouched = now !== undefined && now === condition;
  if (write.kind === 'delete') {
    // Whether this delete or another one: a row that is gone has no operation id.
    if (found === undefined) return { kind: 'done', etag: undefined };
    return isUntouched || condition === '*' ? UNDONE : UNKNOWN;
  }
  if (found === undefined) return write.kind === 'create' ? UNDONE : UNKNOWN;
  const there = operationIds?.ofRow(found.row) ?? [];
  const at = operationId === undefined ? -1 : there.indexOf(operationId);
  if (at >= 0) return { kind: 'done', etag: at === 0 ? now : undefined };
  // Another writer's row: it could not have been made on top of this one.
  if (write.kind === 'create') return operationId === undefined ? UNKNOWN : UNDONE;
  return isUntouched || (previousId !== undefined && there.includes(previousId)) ? UNDONE : UNKNOWN;
}

/** The error of a batch for one of its operations. */
export function batchFailed(index: number, write: RowWrite, cause: PatternError): PatternError {
  const reason = PatternError.is(cause, 'ServiceRefused') ? cause.detail.code : cause.code;
  return new PatternError('BatchFailed', { index, op: write.kind, reason, ...addressOf(write) }, { cause });
}

function batchError(operations: readonly IdentifiedWrite[], refusal: ServiceRefusal): PatternError {
  // Of a single operation, and of the first one, the service may leave the index out.
  const index = refusal.index ?? 0;
  const write = operations[index]?.write;
  if (write === undefined) return requestError(refusal);
  const cause = rowError(refusal, addressOf(write), etagOf(write));
  return PatternError.is(cause, 'Throttled') ? cause : batchFailed(index, write, cause);
}

type Failure = Exclude<WriteAnswer, { readonly kind: 'done' }>;

/** Rows that were read, and what they show. */
type Verdicts = ReadonlyMap<IdentifiedWrite, Verdict>;

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
    const { write, ifExists } = operation;
    const answer = await this.#requests.write(write, options);
    if (answer.kind === 'done') return answer.etags[0];
    const error =
      answer.kind === 'silence' ? answer.error : rowError(answer.refusal, addressOf(write), etagOf(write));
    if (ifExists && PatternError.is(error, 'NotFound')) return undefined;
    const [etag] = await this.#etagsNow([operation], await this.#settle([operation], answer, error));
    return etag;
  }

  /** The ETags of all rows, as `write` gives them. Throws BatchFailed, Throttled, ServiceRefused, Unreachable and OutcomeUnknown. */
  async batch(operations: readonly IdentifiedPart[], options: CallOptions = {}): Promise<readonly Etag[]> {
    const parts = operations.map(({ part }) => part);
    const [first] = operations;
    const table = first && addressOf(first.write).table;
    const answer = await this.#requests.batch(parts, this.#newId(), { ...options, table });
    if (answer.kind === 'done') return answer.etags;
    const errorOf = (refusal: ServiceRefusal): PatternError =>
      answer.kind === 'failed' ? batchError(operations, refusal) : requestError(refusal, table);
    const error = answer.kind === 'silence' ? answer.error : errorOf(answer.refusal);
    const telling = operations.filter(({ isIndexRow }) => isIndexRow !== true);
    return this.#etagsNow(operations, await this.#settle(telling, answer, error));
  }

  /** Whether the operations may have been applied: the service may have stopped half way, or have refused a second attempt. */
  #isInDoubt(answer: Failure): boolean {
    if (answer.kind === 'silence') return answer.isInDoubt;
    const { status } = answer.refusal;
    return status >= 500 || status === 408 || (answer.isInDoubt && this.#operationIds !== undefined);
  }

  /**
   * Returns, with the rows that were read, if the operations were applied after all. Any that has an operation id decides for all. Deletes leave no trace of
   * their writer, so they are checked only if there is nothing else, and then all must be gone.
   */
  async #settle(
    operations: readonly IdentifiedWrite[],
    answer: Failure,
    error: PatternError,
  ): Promise<Verdicts> {
    if (!this.#isInDoubt(answer)) throw error;
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
