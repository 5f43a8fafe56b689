// A service as a value: what the request frame, authentication and metrics have to know of it. handle-request.ts calls these members in the order
// in which it is reported what is wrong. A service's value stands in its folder below services/.
import type { CorsRule, ServiceError, SharedErrorCode } from '#account';
import type { StreamedResponse, WireRequest, WireResponse } from '#base';
import type { Exchange, Header, ServiceRoute, TargetGrammar } from '#wire';
import type { AuthenticationProtocol, AuthorizationProtocol } from '../auth/auth-protocol.js';
import type { Grant } from '../auth/grant.js';
import type { ServerContext } from './server-context.js';

/** What is known of a request while it is answered; an error may come at any step. */
export interface RequestContext<Resource = unknown, Kind extends string = string> extends Exchange {
  /** Includes the body, once the frame has read it. */
  request: WireRequest;
  readonly server: ServerContext;
  /** As it is echoed: the request's own if that is well formed. */
  version: string;
  /** When it came, in ticks. */
  readonly now: bigint;
  /** The same in milliseconds, of a clock that does not jump, without the time in which a body came. */
  began: number;
  route: ServiceRoute<Resource> | undefined;
  kind: Kind | undefined;
  /** Read before anything can fail for another reason, so that every answer that follows can carry its CORS headers. */
  rules: readonly CorsRule[];
  /** Another front end handed it over, or declined it: this process carries it out, whichever front end owns the partition. */
  staysHere?: boolean;
  /** What the request was refused for, or a part of it where the request itself is answered as a success: a batch. */
  refused: ServiceError<string> | undefined;
}

/** What the frame has to know of an answer before it is written. */
export interface Answered {
  readonly status: number;
}

export interface ServiceProtocol<
  Resource,
  Kind extends string,
  Code extends string,
  Answer extends Answered,
  Response extends WireResponse | StreamedResponse = WireResponse,
> extends AuthenticationProtocol<ServiceRoute<Resource>>,
    AuthorizationProtocol<Kind> {
  /** Which requests read their bodies themselves (handle-request.ts); for the others the frame does, once the caller is authenticated. */
  readonly mayStream?: ((request: WireRequest) => boolean) | undefined;
  /** An oversized body is refused before the operation is determined; otherwise `run` does so. */
  readonly refusesBodyFirst: boolean;
  /** The meaning of its paths and queries. */
  readonly grammar: TargetGrammar<Resource>;
  /** The first version that the service speaks for all its operations; empty for any. */
  readonly since: string;
  /** Called for earlier, well-formed versions; throws for an operation that does not have the version. */
  checkEarlier?(route: ServiceRoute<Resource>, request: WireRequest): void;
  /** The operation, by method, headers and route alone: known before the body is read. */
  kindOf(request: WireRequest, route: ServiceRoute<Resource>): Kind;
  /** The operation under which a request that was refused before `kindOf` counts; undefined for unknown. */
  kindOfRefused?(request: WireRequest, route: ServiceRoute<Resource>): Kind | undefined;
  /** Authorizes, parses, carries out and renders. Failures are ServiceErrors, StoreErrors or bugs. */
  run(
    kind: Kind,
    route: ServiceRoute<Resource>,
    grant: Grant,
    context: RequestContext<Resource, Kind>,
  ): Answer | Promise<Answer>;
  formatPreflight(headers: readonly Header[]): Answer;
  formatError(error: ServiceError<Code | SharedErrorCode>, context: RequestContext<Resource, Kind>): Answer;
  formatResponse(answer: Answer, exchange: Exchange): Response;
}
