// POST $batch: each part is admitted like a request of its own, then the changeset is carried out as one operation.
// A part that fails is the whole answer of its changeset, and nothing is applied (table-rest.md 10).
import { type EntityWrite, execute, TableError, type WriteOutcome } from '#tables';
import {
  type Answer,
  type BatchPart,
  formatBatchQuery,
  formatChangeset,
  formatError,
  formatOutcome,
  formatPart,
  formatWrite,
  lenientFormat,
  parseBatch,
  parsePartTarget,
  placeOf,
  type ResponseFormat,
  type Route,
  type WireRequest,
} from '#wire';
import { type Admitted, admit } from './admit.js';
import type { Call } from './handle.js';

interface AdmittedPart {
  readonly operation: EntityWrite;
  readonly format: ResponseFormat;
  readonly route: Route;
  readonly contentId: string | undefined;
}

async function admitPart(part: BatchPart, call: Call): Promise<Admitted & { route: Route }> {
  const route = parsePartTarget(part.target, call.route);
  return { ...(await admit(part, route, call.grant, call.context)), route };
}

const WRITES: ReadonlySet<string> = new Set([
  'insertEntity',
  'updateEntity',
  'mergeEntity',
  'insertOrReplaceEntity',
  'insertOrMergeEntity',
  'deleteEntity',
] satisfies EntityWrite['kind'][]);
const isWrite = (operation: { kind: string }): operation is EntityWrite => WRITES.has(operation.kind);

async function admitWrite(part: BatchPart, index: number, call: Call): Promise<AdmittedPart> {
  try {
    const { operation, format, route } = await admitPart(part, call);
    if (!isWrite(operation)) throw new TableError('InvalidInput');
    return { operation, format, route, contentId: part.contentId };
  } catch (error) {
    if (error instanceof TableError) error.index = index;
    throw error;
  }
}

/** The one part that answers for a changeset that failed. */
function failedPart(error: TableError, parts: readonly BatchPart[], call: Call) {
  const part = parts[error.index ?? 0];
  const headers = part?.headers ?? {};
  const answer = formatError(error, {
    ...call.errorContext(),
    format: lenientFormat(part?.method ?? 'POST', headers, part?.target ?? ''),
    accept: headers.accept,
    index: parts.length > 1 ? 'always' : 'early',
  });
  return formatPart(answer, part?.contentId);
}

async function submitChangeset(parts: readonly BatchPart[], call: Call) {
  try {
    const admitted: AdmittedPart[] = [];
    for (const [index, part] of parts.entries()) admitted.push(await admitWrite(part, index, call));
    const operations = admitted.map(part => part.operation);
    const outcome = await execute(
      { kind: 'submitTransaction', operations },
      call.context,
      call.service.clock,
    );
    const outcomes: readonly WriteOutcome[] = outcome.kind === 'transaction' ? outcome.outcomes : [];
    return outcomes.flatMap((one, i) => {
      const part = admitted[i];
      return part ? [formatPart(formatWrite(one, placeOf(part.route), part.format), part.contentId)] : [];
    });
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    call.refused = error;
    return [failedPart(error, parts, call)];
  }
}

async function query(part: BatchPart, call: Call) {
  try {
    const { operation, format, route } = await admitPart(part, call);
    const outcome = await execute(operation, call.context, call.service.clock);
    return formatPart(formatOutcome(outcome, placeOf(route), format), part.contentId);
  } catch (error) {
    if (!(error instanceof TableError)) throw error;
    error.index = 0;
    call.refused = error;
    const context = {
      ...call.errorContext(),
      format: lenientFormat(part.method, part.headers, part.target),
      accept: part.headers.accept,
    };
    return formatPart(formatError(error, { ...context, index: 'always' }), part.contentId);
  }
}

export async function submitBatch(request: WireRequest, call: Call): Promise<Answer> {
  const batch = parseBatch(request.headers['content-type'], request.body);
  const { newId } = call.service;
  const ids = { batch: newId(), changeset: newId() };
  const { contentType, body } =
    batch.kind === 'query'
      ? formatBatchQuery(await query(batch.part, call), ids)
      : formatChangeset(await submitChangeset(batch.parts, call), ids);
  return { status: 202, contentType, body, cacheControl: true, noSniff: true };
}
