// One request from a plain value to a plain value. The order of the steps here is the order in which Azure reports what
// is wrong (protocol: requests#order-of-checks). The only catch and the only log line of a request are here.
import { type CorsRule, ServiceError, type SignedIdentifier } from '#account';
import type { WireRequest, WireResponse } from '#base';
import {
  execute,
  type QueryEntities,
  queryEntities,
  readIdentifiers,
  readServiceProperties,
  type TableContext,
  TableError,
  type TableErrorCode,
} from '#tables';
import {
  type Answer,
  corsHeaders,
  EntityList,
  type ErrorContext,
  formatEntities,
  formatError,
  formatOutcome,
  formatResponse,
  isXmlRoute,
  lenientFormat,
  operationKind,
  parseTarget,
  placeOf,
  type ResponseFormat,
  type Route,
  wireCode,
} from '#wire';
import { type AuthenticationContext, authenticate } from '../../auth/authenticate.js';
import type { BearerTokens } from '../../auth/bearer.js';
import type { Grant } from '../../auth/grant.js';
import type { SignedTokens } from '../../auth/signed-tokens.js';
import { faultCode } from '../../frame/fault-code.js';
import { preflightHeaders } from '../../frame/preflight-headers.js';
import type { ServerContext } from '../../frame/server-context.js';
import type { RequestEntry } from '../../observe/log.js';
import { echoed, requestEntry } from '../../observe/request-entry.js';
import type { CountedOperation, RequestMetrics } from '../../observe/request-metrics.js';
import { admit } from './admit.js';
import { keyRangeOf } from './authorize.js';
import { submitBatch } from './batch.js';

/** A request whose caller is known, with all that its steps share. */
export interface Call {
  readonly service: ServerContext;
  readonly route: Route;
  readonly grant: Grant;
  readonly context: TableContext;
  readonly errorContext: () => ErrorContext;
  /** What a part of a batch was refused for; the batch itself answers 202. */
  refused: ServiceError<TableErrorCode> | undefined;
  /** Once it is clear what is asked for. */
  operation: CountedOperation | undefined;
}

/** Echoed to requests that name none; any well-formed version is accepted (protocol: requests#versions). */
export const LATEST_VERSION = '2026-10-06';
export const VERSION = /^\d{4}-\d\d-\d\d$/;
/** JSON is served since this version of the service. */
const JSON_SINCE = '2013-08-15';

export const versionOf = (request: WireRequest, route: Pick<Route, 'query'> | undefined): string =>
  request.headers['x-ms-version'] ?? route?.query.get('sv') ?? LATEST_VERSION;

function checkVersion(request: WireRequest, route: Route): void {
  const version = versionOf(request, route);
  if (!VERSION.test(version)) throw new TableError('InvalidHeaderValue');
  if (version < JSON_SINCE && !isXmlRoute(route)) throw new TableError('JsonFormatNotSupported');
}

function answerPreflight(request: WireRequest, rules: readonly CorsRule[]): Answer {
  return { status: 200, cacheControl: false, noSniff: false, more: preflightHeaders(request, rules) };
}

/** Why a request has lost its body. */
const withoutBody = ({ isBusy }: WireRequest): TableError =>
  new TableError(isBusy ? 'ServerBusy' : 'RequestBodyTooLarge');

/** Entities are written where the store has them: a page has many, and a copy of each costs as much as to write it. */
async function answerQuery(
  operation: QueryEntities,
  format: ResponseFormat,
  { route, context }: Call,
): Promise<Answer> {
  const list = new EntityList(placeOf(route), format);
  const { next } = await queryEntities(context, operation, row => list.add(row));
  return formatEntities(list, next, format);
}

async function answerCall(request: WireRequest, call: Call): Promise<Answer> {
  const { service, route, grant, context } = call;
  if (request.bodyTooLarge || request.isBusy) throw withoutBody(request);
  if (
    route.resource.kind === 'batch' &&
    operationKind(request.method, request.headers, route) === 'submitTransaction'
  ) {
    call.operation = 'submitTransaction';
    return submitBatch(request, call);
  }
  const admitted = admit(request, route, grant, context);
  const { operation, format } = admitted instanceof Promise ? await admitted : admitted;
  call.operation = operation.kind;
  if (operation.kind === 'queryEntities') return answerQuery(operation, format, call);
  return formatOutcome(await execute(operation, context, service.clock), placeOf(route), format);
}

const refusalOf = (error: unknown): ServiceError<TableErrorCode> =>
  error instanceof ServiceError ? error : new TableError(faultCode(error));

/** What is known of a request while it is answered; an error may come at any step. */
class Progress implements AuthenticationContext {
  readonly request: WireRequest;
  readonly service: ServerContext;
  readonly requestId: string;
  readonly now: bigint;
  /** In milliseconds, of a clock that does not jump. */
  readonly began = performance.now();
  route: Route | undefined;
  call: Call | undefined;
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

  get signed(): SignedTokens {
    return this.service.signed;
  }

  keys(account: string): readonly Buffer[] {
    return this.service.accounts.keys(account);
  }

  policies(account: string, table: string): Promise<readonly SignedIdentifier[] | undefined> {
    return readIdentifiers(this.contextFor(account, undefined), table);
  }

  /** Made only where something is refused. */
  errorContext(): ErrorContext {
    const { method, headers, target } = this.request;
    return {
      requestId: this.requestId,
      now: this.now,
      format: lenientFormat(method, headers, target),
      xml: method === 'OPTIONS' || (this.route !== undefined && isXmlRoute(this.route)),
      accept: headers.accept,
      nameInBody: this.route?.resource.kind === 'tables',
    };
  }

  contextFor(account: string, grant: Grant | undefined): TableContext {
    const { store, clock, tableDeletionTicks: ticks } = this.service;
    const deletion = ticks > 0n ? { ticks, clock } : undefined;
    return { store, account, within: grant && keyRangeOf(grant), deletion };
  }

  /** Nobody can have accounts looked up that are not ours. */
  async #readRules({ account }: Route): Promise<readonly CorsRule[]> {
    if (!this.service.accounts.has(account)) return [];
    return (await readServiceProperties(this.contextFor(account, undefined))).cors;
  }

  async answer(): Promise<Answer> {
    const { request, service } = this;
    const { accounts } = service;
    const { method, target, headers, secure } = request;
    const route = parseTarget({ target, host: headers.host, secure }, name => accounts.has(name));
    this.route = route;
    // Only who names an origin pays for the reading.
    if (headers.origin !== undefined) this.rules = await this.#readRules(route);
    if (method === 'OPTIONS') return answerPreflight(request, this.rules);
    checkVersion(request, route);
    const granted = authenticate(request, route, this);
    const grant = granted instanceof Promise ? await granted : granted;
    const context = this.contextFor(route.account, grant);
    this.call = {
      service,
      route,
      grant,
      context,
      errorContext: () => this.errorContext(),
      refused: undefined,
      operation: undefined,
    };
    // Awaited here, because a promise that an async function returns takes two turns more.
    return await answerCall(request, this.call);
  }

  /** The answer to a refusal or a fault, logged where it is a fault. */
  refuse(error: unknown): Answer {
    const refusal = refusalOf(error);
    const answer = formatError(refusal, this.errorContext());
    this.note(answer, refusal, error === refusal ? undefined : error);
    return answer;
  }

  #entry({ status }: Answer, refusal: ServiceError<TableErrorCode> | undefined): RequestEntry {
    return requestEntry(
      'table',
      this,
      status,
      refusal && { ...refusal.detail, code: wireCode(refusal.code) },
    );
  }

  #count(
    figures: RequestMetrics,
    { status }: Answer,
    refusal: ServiceError<TableErrorCode> | undefined,
  ): void {
    const operation = this.call?.operation ?? this.#operationRefused();
    figures.answer(operation, status, performance.now() - this.began);
    if (refusal !== undefined) figures.refuse(wireCode(refusal.code));
  }

  /** Of a request that was refused before anybody asked what it is. */
  #operationRefused(): CountedOperation {
    const { method, headers } = this.request;
    try {
      return this.route === undefined ? 'unknown' : operationKind(method, headers, this.route);
    } catch {
      return 'unknown';
    }
  }

  /** Counts and logs an answer; `fault` is what it was refused for where that is ours. */
  note(answer: Answer, refusal: ServiceError<TableErrorCode> | undefined, fault?: unknown): void {
    const { figures, log } = this.service;
    if (figures !== undefined) this.#count(figures, answer, refusal);
    if (fault !== undefined) log.failure(this.#entry(answer, refusal), fault);
    else if (refusal !== undefined || log.seesAnswers) log.request(this.#entry(answer, refusal));
  }

  /** A version that was refused is not echoed: it may come from the query and hold what no header may. */
  respond(answer: Answer): WireResponse {
    const { headers, method } = this.request;
    const version = versionOf(this.request, this.route);
    const clientRequestId = headers['x-ms-client-request-id'];
    const response = formatResponse(answer, {
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

/** Never fails: whatever goes wrong becomes an answer. */
export async function handle(request: WireRequest, service: ServerContext): Promise<WireResponse> {
  const progress = new Progress(request, service);
  try {
    const answer = await progress.answer();
    progress.note(answer, progress.call?.refused);
    return progress.respond(answer);
  } catch (error) {
    return progress.respond(progress.refuse(error));
  }
}
