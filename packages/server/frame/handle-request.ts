// Handles one request of any service, from a plain value to a plain value. The order of the steps is the order in which errors are reported
// (protocol: requests#order-of-checks). Request id, clock, version, CORS, the only catch, the only log line and the metrics of a request are
// here; the service's protocol defines what differs between services.
import { type CorsRule, readStoredProperties, ServiceError } from '#account';
import type { StreamedResponse, WireRequest, WireResponse } from '#base';
import { BodyError, isStreamed } from '#http';
import { corsHeaders, type Header, parseTarget, preflight, type ServiceRoute, wireCode } from '#wire';
import { Authenticator } from '../auth/authenticate.js';
import type { Grant } from '../auth/grant.js';
import { requestEntry } from '../observe/log.js';
import type { OperationSlots } from '../observe/request-metrics.js';
import type { Carried, ForwardedRequest, ToldRefusal } from '../peers/forwarded.js';
import { faultCode } from './fault-code.js';
import { HandOver } from './hand-over.js';
import type { ServerContext } from './server-context.js';
import type { Answered, RequestContext, ServiceProtocol } from './service-protocol.js';

/** Echoed to requests that name none; any well-formed version is accepted (protocol: requests#versions). */
const LATEST_VERSION = '2026-10-06';
const VERSION = /^\d{4}-\d\d-\d\d$/;
/** Of a body that is not streamed: a batch of 100 entities (protocol: requests#bounds). */
export const BODY_BYTES_MAX = 4 * 1_048_576;
/** All that a service may know. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'MERGE', 'PATCH', 'DELETE'];
const NO_RULES: readonly CorsRule[] = [];

/** A client's own id for a request, if it may stand in a header. */
const CLIENT_REQUEST_ID = /^[\x20-\x7e]{1,1024}$/;
const echoedId = (id: string | undefined): string | undefined =>
  id !== undefined && CLIENT_REQUEST_ID.test(id) ? id : undefined;

/** A version that is malformed is not echoed: it may come from the query and hold what no header may. */
const echoedVersion = (version: string | undefined): string =>
  version !== undefined && VERSION.test(version) ? version : LATEST_VERSION;

/**
 * Preflights come without credentials, and ask about a request that is still to come.
 *
 * @throws ServiceError InvalidHeaderValue:Cors, CorsPreflightFailure.
 */
function preflightHeaders({ headers }: WireRequest, rules: readonly CorsRule[]): readonly Header[] {
  const { origin } = headers;
  const method = headers['access-control-request-method'];
  if (origin === undefined || method === undefined) throw new ServiceError('InvalidHeaderValue:Cors');
  const allowed = preflight(rules, origin, method, headers['access-control-request-headers']);
  if (!allowed) throw new ServiceError('CorsPreflightFailure');
  return allowed;
}

/**
 * A PUT or POST needs a Content-Length, even for an empty body, or chunks (protocol: requests#bounds).
 *
 * @throws ServiceError InvalidHeaderValue, MissingContentLengthHeader.
 */
function checkHead({ method, headers }: WireRequest, asked: string, version: string): void {
  if (asked !== version) throw new ServiceError('InvalidHeaderValue', { name: 'x-ms-version', value: asked });
  const isMeasured = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  if (!isMeasured && (method === 'PUT' || method === 'POST'))
    throw new ServiceError('MissingContentLengthHeader', { name: 'Content-Length' });
}

type Refusal = Pick<WireRequest, 'isBusy' | 'bodyTooLarge'>;

/**
 * Why a request has lost its body.
 *
 * @throws ServiceError ServerBusy, RequestBodyTooLarge.
 */
export function checkBody({ isBusy, bodyTooLarge }: Refusal, limit = BODY_BYTES_MAX): void {
  if (isBusy) throw new ServiceError('ServerBusy');
  if (bodyTooLarge) throw new ServiceError('RequestBodyTooLarge', { limit });
}

/** The answer to an error; `fault` is the error itself if it is a server error. */
function refusalOf(error: unknown): { readonly refusal: ServiceError<string>; readonly fault: unknown } {
  if (error instanceof ServiceError) return { refusal: error, fault: undefined };
  return { refusal: new ServiceError(faultCode(error)), fault: error };
}

function toldOf({ refused }: Pick<RequestContext, 'refused'>): ToldRefusal | undefined {
  if (refused === undefined) return undefined;
  const { reason } = refused.detail;
  return { code: wireCode(refused.code), reason: reason === undefined ? undefined : String(reason) };
}

type Shared = Pick<RequestContext, 'rules' | 'request'>;

function withCors<Response extends WireResponse | StreamedResponse>(
  response: Response,
  { rules, request }: Shared,
): Response {
  if (request.method === 'OPTIONS') return response;
  const names = response.headers.map(([name]) => name);
  const cors = corsHeaders(rules, request.headers.origin, request.method, names);
  return { ...response, headers: [...response.headers, ...cors] };
}

const OF_CONTENT: ReadonlySet<string> = new Set(['Content-Length', 'Content-Type']);

/** A refusal of HEAD is sent without its document, and without what describes it (protocol: responses#refusals-of-head). */
function withoutContentHeaders<Response extends WireResponse | StreamedResponse>(
  response: Response,
): Response {
  const headers = response.headers.filter(([name]) => !OF_CONTENT.has(name));
  return { ...response, headers };
}

/** A service that runs on a server: its protocol, and its authentication. */
export class Service<
  Resource,
  Kind extends string,
  Answer extends Answered,
  Response extends WireResponse | StreamedResponse = WireResponse,
> {
  readonly protocol: ServiceProtocol<Resource, Kind, string, Answer, Response>;
  readonly server: ServerContext;
  readonly #authenticator: Authenticator<ServiceRoute<Resource>>;
  /** Undefined where requests are not counted. */
  readonly #slots: OperationSlots | undefined;

  constructor(protocol: ServiceProtocol<Resource, Kind, string, Answer, Response>, server: ServerContext) {
    this.protocol = protocol;
    this.server = server;
    this.#authenticator = new Authenticator(protocol, server);
    this.#slots = server.metrics?.slotsOf(protocol);
  }

  /** Every error becomes an answer, unless the client is gone. @throws BodyError if the rest of a streamed body does not arrive. */
  readonly handle = async (request: WireRequest): Promise<Response | WireResponse> => {
    const { protocol, server } = this;
    const { method, headers } = request;
    const context: RequestContext<Resource, Kind> = {
      request,
      server,
      requestId: server.newId(),
      clientRequestId: echoedId(headers['x-ms-client-request-id']),
      version: echoedVersion(headers['x-ms-version']),
      now: server.clock(),
      began: performance.now(),
      route: undefined,
      kind: undefined,
      rules: NO_RULES,
      refused: undefined,
    };
    try {
      const route = parseTarget(request, server.accounts.keys, protocol.grammar);
      context.route = route;
      const asked = headers['x-ms-version'] ?? route.query.get('sv') ?? LATEST_VERSION;
      context.version = echoedVersion(asked);
      // Read CORS rules only for requests with an Origin header.
      if (headers.origin !== undefined) context.rules = await this.#readRules(route.account);
      if (method === 'OPTIONS')
        return this.#answer(context, protocol.formatPreflight(preflightHeaders(request, context.rules)));
      if (asked !== context.version || (method !== 'GET' && headers['content-length'] === undefined))
        checkHead(request, asked, context.version);
      if (asked < protocol.since) protocol.checkEarlier?.(route, request);
      const found = this.#authenticator.authenticate(request, route, context.now);
      // Waits only where it has to: each promise costs turns of a queue.
      const grant = found instanceof Promise || request.stream ? await this.#receive(context, found) : found;
      if (protocol.refusesBodyFirst) checkBody(context.request);
      context.kind = protocol.kindOf(request, route);
      return this.#answer(context, await protocol.run(context.kind, route, grant, context));
    } catch (error) {
      return error instanceof HandOver ? await this.#handOver(context, error) : this.#refuse(context, error);
    }
  };

  /** Undefined for an unknown account. Runs a request that another front end has authorized and will count and log; only server errors are logged here. */
  readonly carryOut = (forwarded: ForwardedRequest): Promise<Carried> | undefined =>
    this.server.accounts.keys.has(forwarded.account) ? this.#carryOut(forwarded) : undefined;

  /** Call after a change of keys: signatures with a removed key become invalid. */
  forgetSignatures(): void {
    this.#authenticator.forgetSignatures();
  }

  async #carryOut({ request, grant, ...told }: ForwardedRequest): Promise<Carried> {
    const { protocol, server } = this;
    const [now, began] = [server.clock(), performance.now()];
    const context: RequestContext<Resource, Kind> = {
      ...told,
      request,
      server,
      now,
      began,
      route: undefined,
      kind: undefined,
      rules: NO_RULES,
      staysHere: true,
      refused: undefined,
    };
    let answer: Answer;
    try {
      const route = parseTarget(request, server.accounts.keys, protocol.grammar);
      context.route = route;
      context.kind = protocol.kindOf(request, route);
      answer = await protocol.run(context.kind, route, grant, context);
    } catch (error) {
      const { refusal, fault } = refusalOf(error);
      context.refused = refusal;
      answer = protocol.formatError(refusal, context);
      if (fault !== undefined) this.#log(context, answer, fault);
    }
    const response = protocol.formatResponse(answer, context);
    if (isStreamed(response)) throw new Error('An answer that is streamed cannot be handed on.');
    return { response, refused: toldOf(context) };
  }

  /** Requests that their owner declines, or cannot receive, are carried out here. */
  async #handOver(
    context: RequestContext<Resource, Kind>,
    { peer, account, grant }: HandOver,
  ): Promise<Response | WireResponse> {
    const { protocol, server } = this;
    const { request, requestId, clientRequestId, version, kind, route } = context;
    try {
      const forwarded = {
        account,
        grant,
        request,
        requestId,
        clientRequestId,
        version,
        service: protocol.name,
      };
      const carried = await server.forwarding?.forward(peer, forwarded);
      if (carried !== undefined) return this.#pass(context, carried);
      context.staysHere = true;
      if (kind === undefined || route === undefined) throw new Error('Nobody knows what it asks for.');
      return this.#answer(context, await protocol.run(kind, route, grant, context));
    } catch (error) {
      return this.#refuse(context, error);
    }
  }

  /** Counts, logs and hands on what another front end answered. */
  #pass(context: RequestContext<Resource, Kind>, { response, refused }: Carried): WireResponse {
    const { code, reason } = refused ?? {};
    if (code !== undefined) context.refused = new ServiceError(code, reason === undefined ? {} : { reason });
    if (this.#slots !== undefined) this.#count(this.#slots, context, response);
    if (refused !== undefined || this.server.log.seesAnswers) this.#log(context, response, undefined);
    return context.rules.length === 0 ? response : withCors(response, context);
  }

  /** Neither counted nor logged where the client is gone: a buffered body that is cut off does not come here either. */
  #refuse(context: RequestContext<Resource, Kind>, error: unknown): Response {
    if (error instanceof BodyError) throw error;
    const { refusal, fault } = refusalOf(error);
    context.refused = refusal;
    const answer = this.protocol.formatError(refusal, context);
    const answered = this.#answer(context, answer, fault);
    const response = context.request.method === 'HEAD' ? withoutContentHeaders(answered) : answered;
    return answer.status === 405 ? this.#withAllow(response, context) : response;
  }

  /** Asks only an authenticated caller for a body that did not come with its head. */
  async #receive(context: RequestContext<Resource, Kind>, found: Grant | Promise<Grant>): Promise<Grant> {
    const grant = found instanceof Promise ? await found : found;
    const { request } = context;
    if (request.stream !== undefined && this.protocol.mayStream?.(request) !== true) {
      const asked = performance.now();
      const whole = await request.stream.collect(BODY_BYTES_MAX);
      context.request = { ...request, ...whole, stream: undefined };
      context.began += performance.now() - asked;
    }
    return grant;
  }

  /** For a verb that the resource does not support, `Allow` lists those that it does (RFC 9110, 15.5.6). */
  #withAllow(response: Response, { request, route }: RequestContext<Resource, Kind>): Response {
    const { 'x-http-method': _tunnelled, ...headers } = request.headers;
    const isAllowed = (method: string): boolean => {
      try {
        return (
          route !== undefined && this.protocol.kindOf({ ...request, method, headers }, route) !== undefined
        );
      } catch (error) {
        if (error instanceof ServiceError) return false;
        throw error;
      }
    };
    return { ...response, headers: [...response.headers, ['Allow', METHODS.filter(isAllowed).join(', ')]] };
  }

  /** Never reads CORS rules of unknown accounts. */
  async #readRules(account: string): Promise<readonly CorsRule[]> {
    const { accounts, store } = this.server;
    if (!accounts.keys.has(account)) return NO_RULES;
    return (await readStoredProperties({ store, account, service: this.protocol.name })).cors;
  }

  /** Counts, logs and writes an answer; `fault` is the server error that caused it. */
  #answer(context: RequestContext<Resource, Kind>, answer: Answer, fault?: unknown): Response {
    const { refused, server } = context;
    if (this.#slots !== undefined) this.#count(this.#slots, context, answer);
    if (fault !== undefined || refused !== undefined || server.log.seesAnswers)
      this.#log(context, answer, fault);
    const formatted = this.protocol.formatResponse(answer, context);
    const response = isStreamed(formatted) ? this.#watch(formatted, context) : formatted;
    return context.rules.length === 0 ? response : withCors(response, context);
  }

  #count(slots: OperationSlots, context: RequestContext<Resource, Kind>, { status }: Answered): void {
    const { request, route, refused } = context;
    const { metrics } = this.server;
    const kind = context.kind ?? (route && this.protocol.kindOfRefused?.(request, route));
    metrics?.answer(slots.of(kind), status, performance.now() - context.began);
    if (refused !== undefined) metrics?.refuse(wireCode(refused.code));
  }

  #log(context: RequestContext<Resource, Kind>, { status }: Answered, fault: unknown): void {
    const { log } = this.server;
    const refused = context.refused && { ...context.refused.detail, code: wireCode(context.refused.code) };
    const entry = requestEntry(this.protocol.name, context, status, refused);
    if (fault !== undefined) log.failure(entry, fault);
    else log.request(entry);
  }

  /** Logs an error while a body is streamed: its head is sent already, so the connection must be cut. */
  #watch(response: Response & StreamedResponse, context: RequestContext<Resource, Kind>): Response {
    const { protocol, server } = this;
    async function* watched(): AsyncGenerator<Buffer, void, undefined> {
      try {
        yield* response.body;
      } catch (error) {
        const entry = requestEntry(protocol.name, context, response.status);
        if (!(error instanceof BodyError)) server.log.failure(entry, error);
        throw error;
      }
    }
    return { ...response, body: watched() };
  }
}

/**
 * In one buffer. Read only once the caller is authenticated, so that a client that waits for 100 Continue does not send its body in vain.
 *
 * @param bytesMax the route's own limit.
 * @throws ServiceError ServerBusy, RequestBodyTooLarge.
 */
export async function bufferedBody(request: WireRequest, bytesMax = BODY_BYTES_MAX): Promise<Buffer> {
  checkBody(request, bytesMax);
  if (request.stream !== undefined) {
    const whole = await request.stream.collect(bytesMax);
    checkBody(whole, bytesMax);
    return whole.body;
  }
  if (request.body.length > bytesMax) throw new ServiceError('RequestBodyTooLarge', { limit: bytesMax });
  return request.body;
}

/**
 * A body that came with its head is a stream of one piece.
 *
 * @throws ServiceError ServerBusy, RequestBodyTooLarge; the iteration BodyError, if the rest does not come.
 */
export function streamedBody(request: WireRequest): AsyncIterable<Buffer> {
  checkBody(request);
  if (request.stream === undefined) return single(request.body);
  if (!request.stream.reserve()) throw new ServiceError('ServerBusy');
  return request.stream;
}

export async function* single(body: Buffer): AsyncGenerator<Buffer, void, undefined> {
  if (body.length > 0) yield body;
}
