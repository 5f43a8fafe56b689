// One request to the Queue service from a plain value to a plain value. The order of the steps is the order in which it is reported what
// is wrong (protocol: requests#order-of-checks). The only catch and the only log line of such a request are here; handle.ts does the same for tables.

import { type CorsRule, ServiceError, type SignedIdentifier } from '#account';
import type { WireRequest, WireResponse } from '#base';
import {
  checkQueueName,
  execute,
  type OperationKind,
  openQueue,
  type QueueContext,
  QueueError,
  type QueueErrorCode,
  readQueueIdentifiers,
  readQueueServiceProperties,
} from '#queues';
import {
  corsHeaders,
  formatQueueError,
  formatQueueOutcome,
  formatQueueResponse,
  isQueueRead,
  parseQueueOperation,
  parseQueueTarget,
  type QueueAnswer,
  type QueueRoute,
  queueOf,
  queueOperationKind,
  wireCode,
} from '#wire';
import type { BearerTokens } from '../../auth/bearer.js';
import { faultCode } from '../../frame/fault-code.js';
import { preflightHeaders } from '../../frame/preflight-headers.js';
import type { ServerContext } from '../../frame/server-context.js';
import { echoed, requestEntry } from '../../observe/request-entry.js';
import { countedQueueOperation } from '../../observe/request-metrics.js';
import { LATEST_VERSION, VERSION, versionOf } from '../table/handle.js';
import { authenticateQueue, type QueueAuthentication } from './authenticate-queue.js';
import { authorizeQueue } from './authorize-queue.js';

const TEXT_BYTES_MAX = 65_536;

const refusalOf = (error: unknown): ServiceError<QueueErrorCode> =>
  error instanceof ServiceError ? error : new QueueError(faultCode(error));

/**
 * Faults of the body: that the queue is not there is found before them (protocol: requests#order-of-checks). But a message that is no XML
 * is refused before the queue is looked for, as recorded.
 */
const isOfBody = (error: unknown, kind: OperationKind): boolean =>
  error instanceof ServiceError &&
  (error.code === 'RequestBodyTooLarge' || (error.code.startsWith('InvalidXml') && kind !== 'putMessage'));

function checkVersion(request: WireRequest, route: QueueRoute): void {
  const value = versionOf(request, route);
  if (!VERSION.test(value)) throw new QueueError('InvalidHeaderValue', { name: 'x-ms-version', value });
}

/** Why a request has lost its body. */
function checkBody({ isBusy, bodyTooLarge }: WireRequest): void {
  if (isBusy) throw new QueueError('ServerBusy');
  if (bodyTooLarge) throw new QueueError('RequestBodyTooLarge', { limit: TEXT_BYTES_MAX });
}

/** What is known of a request while it is answered; an error may come at any step. */
class Progress implements QueueAuthentication {
  readonly request: WireRequest;
  readonly service: ServerContext;
  readonly requestId: string;
  readonly now: bigint;
  /** In milliseconds, of a clock that does not jump. */
  readonly began = performance.now();
  route: QueueRoute | undefined;
  kind: OperationKind | undefined;
  /** Read before anything can fail for another reason, so that every answer that follows can carry its CORS headers. */
  rules: readonly CorsRule[] = [];

  constructor(request: WireRequest, service: ServerContext) {
    this.request = request;
    this.service = service;
    this.requestId = service.newId();
    this.now = service.clock();
  }

  get bearer(): BearerTokens {
    return this.service.bearer;
  }

  get signedForQueues(): ServerContext['signedForQueues'] {
    return this.service.signedForQueues;
  }

  keys(account: string): readonly Buffer[] {
    return this.service.accounts.keys(account);
  }

  policies(account: string, queue: string): Promise<readonly SignedIdentifier[] | undefined> {
    return readQueueIdentifiers({ store: this.service.store, account }, queue);
  }

  #contextFor({ account }: QueueRoute): QueueContext {
    const { store, clock, newId, tableDeletionTicks: ticks } = this.service;
    return { store, account, ids: newId, deletion: ticks > 0n ? { ticks, clock } : undefined };
  }

  /** Nobody can have accounts looked up that are not ours. */
  async #readRules({ account }: QueueRoute): Promise<readonly CorsRule[]> {
    const { accounts, store } = this.service;
    if (!accounts.has(account)) return [];
    return (await readQueueServiceProperties({ store, account })).cors;
  }

  async answer(): Promise<QueueAnswer> {
    const { request, service } = this;
    const { method, target, headers, secure } = request;
    const route = parseQueueTarget({ target, host: headers.host, secure }, name =>
      service.accounts.has(name),
    );
    this.route = route;
    // Only who names an origin pays for the reading.
    if (headers.origin !== undefined) this.rules = await this.#readRules(route);
    if (method === 'OPTIONS') return answerPreflight(request, this.rules);
    checkVersion(request, route);
    const granted = authenticateQueue(request, route, this);
    const grant = granted instanceof Promise ? await granted : granted;
    const kind = queueOperationKind(method, route);
    this.kind = kind;
    if (route.secondary && !isQueueRead(kind)) throw new QueueError('InsufficientAccountPermissions');
    authorizeQueue(grant, kind);
    return this.#carryOut(route, kind);
  }

  async #carryOut(route: QueueRoute, kind: OperationKind): Promise<QueueAnswer> {
    const context = this.#contextFor(route);
    if ('queue' in route.resource) checkQueueName(route.resource.queue);
    try {
      checkBody(this.request);
      const operation = parseQueueOperation(kind, this.request, route);
      return formatQueueOutcome(await execute(operation, context, this.service.clock), route);
    } catch (error) {
      if (isOfBody(error, kind) && 'queue' in route.resource && kind !== 'createQueue')
        await openQueue(context, queueOf(route));
      throw error;
    }
  }

  /** The answer to a refusal or a fault, logged where it is a fault. */
  refuse(error: unknown): QueueAnswer {
    const refusal = refusalOf(error);
    const answer = formatQueueError(refusal, this.requestId, this.now);
    const isFault = !(error instanceof ServiceError);
    this.note(answer, refusal, isFault ? error : undefined);
    return answer;
  }

  /** Counts and logs an answer; `fault` is what it was refused for where that is ours. */
  note({ status }: QueueAnswer, refusal: ServiceError<QueueErrorCode> | undefined, fault?: unknown): void {
    const { figures, log } = this.service;
    const code = refusal && wireCode(refusal.code);
    if (figures !== undefined) {
      figures.answer(countedQueueOperation(this.kind), status, performance.now() - this.began);
      if (code !== undefined) figures.refuse(code);
    }
    if (fault === undefined && refusal === undefined && !log.seesAnswers) return;
    const entry = requestEntry(
      'queue',
      this,
      status,
      refusal && { ...refusal.detail, code: wireCode(refusal.code) },
    );
    if (fault !== undefined) log.failure(entry, fault);
    else log.request(entry);
  }

  /** A version that was refused is not echoed: it may come from the query and hold what no header may. */
  respond(answer: QueueAnswer): WireResponse {
    const { headers, method } = this.request;
    const version = versionOf(this.request, this.route);
    const clientRequestId = headers['x-ms-client-request-id'];
    const response = formatQueueResponse(answer, {
      requestId: this.requestId,
      version: VERSION.test(version) ? version : LATEST_VERSION,
      clientRequestId: clientRequestId === undefined ? undefined : echoed(clientRequestId),
    });
    if (this.rules.length === 0 || method === 'OPTIONS') return response;
    const names = response.headers.map(([name]) => name);
    const cors = corsHeaders(this.rules, headers.origin, method, names);
    return { ...response, headers: [...response.headers, ...cors] };
  }
}

const answerPreflight = (request: WireRequest, rules: readonly CorsRule[]): QueueAnswer => ({
  status: 200,
  reason: undefined,
  body: undefined,
  isRead: false,
  more: preflightHeaders(request, rules),
  errorCode: undefined,
  isAnonymous: false,
});

/** Never fails: whatever goes wrong becomes an answer. */
export async function handleQueue(request: WireRequest, service: ServerContext): Promise<WireResponse> {
  const progress = new Progress(request, service);
  try {
    const answer = await progress.answer();
    progress.note(answer, undefined);
    return progress.respond(answer);
  } catch (error) {
    return progress.respond(progress.refuse(error));
  }
}
