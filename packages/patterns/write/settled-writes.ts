// Writes that end in one outcome: done, refused, or, if nobody can know, Unclear. The client below sends a request again when a connection breaks or the
// service is busy, and then a write may be refused because it was done already; such refusals, and answers that never came, are settled by
// looking at the row. What the row tells is judge-write.ts's matter.
import { addressOf, etagOf } from '../transport/row-write.js';
import { requestError, rowError, type ServiceRefusal } from '../transport/service-refusal.js';
import type { ReadOptions, TableRequests, WriteAnswer } from '../transport/table-requests.js';
import { PatternError } from '../values/pattern-error.js';
import { judgeWrite, type MarkedWrite, type Verdict } from './judge-write.js';
import type { OperationMarks } from './operation-mark.js';

/** For a row that was written again since: an ETag that no row has, so that whoever goes on from here is told. */
export const OUTDATED_ETAG = `W/"datetime'1601-01-01T00%3A00%3A00.0000000Z'"`;

/** An operation of a batch, with its text there. */
export interface MarkedPart extends MarkedWrite {
  readonly part: string;
}

type Etag = string | undefined;

/** How a request ended. */
type Ending =
  | { readonly kind: 'done'; readonly etags: readonly Etag[] }
  | { readonly kind: 'failed'; readonly error: PatternError; readonly isInDoubt: boolean };

type Verdicts = ReadonlyMap<MarkedWrite, Verdict>;

/** The service may have stopped half way. */
const isHalfWay = ({ status }: ServiceRefusal): boolean => status >= 500 || status === 408;

function batchError(operations: readonly MarkedWrite[], refusal: ServiceRefusal): PatternError {
  // Of a single operation, and of the first one, the service may leave the index out.
  const index = refusal.index ?? 0;
  const write = operations[index]?.write;
  if (write === undefined) return requestError(refusal);
  const cause = rowError(refusal, addressOf(write), etagOf(write));
  if (PatternError.is(cause, 'Throttled')) return cause;
  const reason = PatternError.is(cause, 'ServiceRefused') ? cause.detail.code : cause.code;
  return new PatternError('BatchFailed', { index, op: write.kind, reason, ...addressOf(write) }, { cause });
}

export class SettledWrites {
  readonly #requests: TableRequests;
  readonly #marks: OperationMarks | undefined;
  readonly #newId: () => string;

  /** `newId` gives UUIDs. */
  constructor(requests: TableRequests, marks: OperationMarks | undefined, newId: () => string) {
    this.#requests = requests;
    this.#marks = marks;
    this.#newId = newId;
  }

  /**
   * The ETag of the row as it is now; undefined for a delete. Throws AlreadyExists, NotFound, Conflict, Throttled, ServiceRefused, Unreachable
   * and Unclear.
   */
  async write(marked: MarkedWrite, options: ReadOptions = {}): Promise<Etag> {
    const { write } = marked;
    const ending = await this.#ending(this.#requests.write(write, options), refusal =>
      rowError(refusal, addressOf(write), etagOf(write)),
    );
    if (ending.kind === 'done') return ending.etags[0];
    const [etag] = await this.#etagsNow([marked], await this.#settle([marked], ending));
    return etag;
  }

  /** The ETags of all rows, as `write` gives them. Throws BatchFailed, Throttled, ServiceRefused, Unreachable and Unclear. */
  async batch(operations: readonly MarkedPart[], options: ReadOptions = {}): Promise<readonly Etag[]> {
    const parts = operations.map(({ part }) => part);
    const ending = await this.#ending(
      this.#requests.batch(parts, this.#newId(), options),
      requestError,
      refusal => batchError(operations, refusal),
    );
    if (ending.kind === 'done') return ending.etags;
    return this.#etagsNow(operations, await this.#settle(operations, ending));
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
    const wasRepeated = isInDoubt && this.#marks !== undefined;
    return { kind: 'failed', error, isInDoubt: wasRepeated || isHalfWay(refusal) };
  }

  /**
   * Returns, with what looks told, if the operations were done after all. Any that has a mark tells of all. Deletes leave nothing that could
   * tell whose they were, so they are asked only if there is nothing else, and then all must be gone.
   */
  async #settle(
    operations: readonly MarkedWrite[],
    { error, isInDoubt }: { readonly error: PatternError; readonly isInDoubt: boolean },
  ): Promise<Verdicts> {
    if (!isInDoubt) throw error;
    const verdicts = new Map<MarkedWrite, Verdict>();
    const telling = operations.filter(({ write }) => write.kind !== 'delete').sort(byCertainty);
    let areAllGone = telling.length === 0;
    for (const marked of areAllGone ? operations : telling) {
      const verdict = await this.#look(marked, error);
      verdicts.set(marked, verdict);
      if (verdict.kind === 'undone') throw error;
      if (verdict.kind === 'done' && marked.write.kind !== 'delete') return verdicts;
      if (verdict.kind === 'unknown') areAllGone = false;
    }
    if (!areAllGone) throw unclear(operations, error);
    return verdicts;
  }

  /** Not stopped by the caller's signal: somebody should know. */
  async #look(marked: MarkedWrite, error: PatternError): Promise<Verdict> {
    try {
      const found = await this.#requests.get(addressOf(marked.write));
      return judgeWrite(marked, found, this.#marks);
    } catch (thrown) {
      throw unclear(
        [marked],
        new AggregateError([error, thrown], 'The write and the look at its row failed.'),
      );
    }
  }

  /** Of operations that were done, whatever becomes of further looks. */
  async #etagsNow(operations: readonly MarkedWrite[], known: Verdicts): Promise<readonly Etag[]> {
    const etags: Etag[] = [];
    for (const marked of operations) {
      const isDelete = marked.write.kind === 'delete';
      const verdict = isDelete ? undefined : (known.get(marked) ?? (await this.#lookAgain(marked)));
      const etag = verdict?.kind === 'done' ? verdict.etag : undefined;
      etags.push(isDelete ? undefined : (etag ?? OUTDATED_ETAG));
    }
    return etags;
  }

  async #lookAgain(marked: MarkedWrite): Promise<Verdict | undefined> {
    try {
      return judgeWrite(marked, await this.#requests.get(addressOf(marked.write)), this.#marks);
    } catch (thrown) {
      if (PatternError.is(thrown)) return undefined;
      throw thrown;
    }
  }
}

/** That a new row is not there may be another's delete; on a row that was read, nothing is lost. */
const CERTAINTY = { replace: 0, merge: 0, create: 1, put: 2, delete: 3 } as const;

const byCertainty = (a: MarkedWrite, b: MarkedWrite): number =>
  CERTAINTY[a.write.kind] - CERTAINTY[b.write.kind];

function unclear(operations: readonly MarkedWrite[], cause: unknown): PatternError {
  const [first] = operations;
  if (first === undefined) throw cause;
  const { kind } = first.write;
  const op =
    operations.length === 1
      ? kind
      : `a batch of ${operations.length} operations, of which the first is ${kind},`;
  return new PatternError('Unclear', { op, ...addressOf(first.write) }, { cause });
}
