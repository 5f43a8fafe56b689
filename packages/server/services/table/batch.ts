// POST $batch: each part is admitted like a request of its own, then the changeset is carried out as one operation.
// A part that fails is the whole answer of its changeset, and nothing is applied (protocol: batches).

import { ServiceError } from '#account';
import {
  ChangesetFailure,
  type EntityWrite,
  execute,
  type OperationKind,
  type TableContext,
  TableError,
  type WriteOutcome,
} from '#tables';
import {
  type Answer,
  type BatchPart,
  type ErrorContext,
  formatBatchQuery,
  formatChangeset,
  formatError,
  formatOutcome,
  formatPart,
  formatWrite,
  lenientFormat,
  operationKind,
  parseBatch,
  parsePartTarget,
  type ResponseFormat,
  type Route,
  type TableResource,
} from '#wire/table';
import type { Grant } from '../../auth/grant.js';
import type { RequestContext } from '../../frame/service-protocol.js';
import { admit } from './admit.js';
import { isWrite, leaveWrite } from './leave-write.js';

/** A batch whose caller is known. */
interface BatchCall {
  readonly context: RequestContext<TableResource, OperationKind>;
  readonly route: Route;
  readonly grant: Grant;
  readonly tables: TableContext;
  readonly errorContext: ErrorContext;
}

/** What the answer to a part needs in addition to its outcome. */
interface PartForm {
  readonly format: ResponseFormat;
  readonly route: Route;
  readonly contentId: string | undefined;
}

/** Parts that are inserts have one target in common, and it is parsed once. */
class PartTargets {
  readonly #batch: Route;
  #target: string | undefined;
  #route: Route;

  constructor(batch: Route) {
    this.#batch = batch;
    this.#route = batch;
  }

  parse(target: string): Route {
    if (target !== this.#target) {
      this.#route = parsePartTarget(target, this.#batch);
      this.#target = target;
    }
    return this.#route;
  }
}

interface AdmittedWrites {
  readonly operations: EntityWrite[];
  readonly forms: PartForm[];
}

async function admitWrites(parts: readonly BatchPart[], call: BatchCall): Promise<AdmittedWrites> {
  const targets = new PartTargets(call.route);
  const operations: EntityWrite[] = [];
  const forms: PartForm[] = [];
  for (const part of parts) {
    try {
      const route = targets.parse(part.target);
      const kind = operationKind(part, route);
      const admitted = admit({ kind, request: part, route, grant: call.grant, tables: call.tables });
      const { operation, format } = admitted instanceof Promise ? await admitted : admitted;
      if (!isWrite(operation)) throw new TableError('InvalidInput');
      operations.push(operation);
      forms.push({ format, route, contentId: part.contentId });
    } catch (error) {
      throw error instanceof ServiceError ? new ChangesetFailure(forms.length, error) : error;
    }
  }
  return { operations, forms };
}

/** The one part that answers for a changeset that failed. */
function failedPart(
  { index, error }: ChangesetFailure,
  parts: readonly BatchPart[],
  call: BatchCall,
): string {
  const part = parts[index];
  const headers = part?.headers ?? {};
  const answer = formatError(error, {
    ...call.errorContext,
    format: lenientFormat({ method: part?.method ?? 'POST', headers }, part?.target ?? ''),
    accept: headers.accept,
    part: { index, says: parts.length > 1 ? 'always' : 'early' },
  });
  return formatPart(answer, part?.contentId);
}

async function submitChangeset(parts: readonly BatchPart[], call: BatchCall): Promise<readonly string[]> {
  try {
    const { operations, forms } = await admitWrites(parts, call);
    const { clock, forwarding } = call.context.server;
    if (forwarding !== undefined)
      await leaveWrite(call.context, {
        account: call.route.account,
        grant: call.grant,
        write: operations[0],
      });
    // The list is left empty: this function keeps it while the changeset waits for the disk.
    const outcome = await execute(
      { kind: 'submitTransaction', operations: operations.splice(0) },
      call.tables,
      clock,
    );
    const outcomes: readonly WriteOutcome[] = outcome.kind === 'transaction' ? outcome.outcomes : [];
    const answers: string[] = [];
    for (const [i, { route, format, contentId }] of forms.entries()) {
      const one = outcomes[i];
      if (one !== undefined) answers.push(formatPart(formatWrite(one, route, format), contentId));
    }
    return answers;
  } catch (error) {
    if (!(error instanceof ChangesetFailure)) throw error;
    call.context.refused = error.error;
    return [failedPart(error, parts, call)];
  }
}

async function query(part: BatchPart, call: BatchCall): Promise<string> {
  try {
    const route = parsePartTarget(part.target, call.route);
    const kind = operationKind(part, route);
    const { operation, format } = await admit({
      kind,
      request: part,
      route,
      grant: call.grant,
      tables: call.tables,
    });
    const outcome = await execute(operation, call.tables, call.context.server.clock);
    return formatPart(formatOutcome(outcome, route, format), part.contentId);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    call.context.refused = error;
    const context = {
      ...call.errorContext,
      format: lenientFormat(part, part.target),
      accept: part.headers.accept,
    };
    return formatPart(formatError(error, { ...context, part: { index: 0, says: 'always' } }), part.contentId);
  }
}

export async function submitBatch(call: BatchCall): Promise<Answer> {
  const { request, server } = call.context;
  const batch = parseBatch(request.headers['content-type'], request.body);
  const { newId } = server;
  const ids = { batch: newId(), changeset: newId() };
  const { contentType, body } =
    batch.kind === 'query'
      ? formatBatchQuery(await query(batch.part, call), ids)
      : formatChangeset(await submitChangeset(batch.parts, call), ids);
  return { status: 202, contentType, body, cacheControl: true, noSniff: true };
}
