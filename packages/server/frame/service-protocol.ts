// A service as a value: what the request frame, authentication and metrics have to know of it. handle-request.ts calls these members in the order
// in which it is reported what is wrong. A service's value stands in its folder below services/.
import type { CorsRule, ServiceError, SharedErrorCode, SignedIdentifier } from '#account';
import type { WireRequest, WireResponse } from '#base';
import type { Store } from '#store';
import type { Exchange, Header, ServiceRoute, ServiceSas, SharedKeyCredential, Target } from '#wire';
import type { Grant } from '../auth/grant.js';
import type { ServerContext } from './server-context.js';

/** What a request must have been granted for one kind of operation. `anyone`: its parts are asked for one by one. */
export type Right = 'anyone' | KindRight;

export interface KindRight {
  /** What an account's signature must grant; `owner`: no signature suffices, neither one of the service. */
  readonly account: AccountRight | 'owner';
  /** Of each of these texts a letter must stand in the signature of one table or queue; undefined where none suffices. */
  readonly service: readonly string[] | undefined;
  /** Actions of roles (protocol: authentication#roles), of which one is enough for a bearer token. */
  readonly actions: readonly string[];
  /** The first version in which this is there for bearer tokens. */
  readonly bearerSince?: string | undefined;
}

export interface AccountRight {
  /** Letters of resource types, of which one must have been granted. */
  readonly types: string;
  /** Letters of permissions; of each text one must have been granted. */
  readonly needs: readonly string[];
}

export interface AuthenticationProtocol<Route extends ServiceRoute = ServiceRoute> {
  /** As in addresses of the store, in logs, in hosts and in audiences: `table`. */
  readonly name: string;
  /** In the `ss` of an account's signature: `t`. */
  readonly letter: string;
  /** What a client may have signed with the account's key, the likeliest first, each made only if it is asked for. */
  stringsToSign(scheme: SharedKeyCredential['scheme'], request: WireRequest, route: Route): Iterable<string>;
  /** What a shared access signature covers besides its query: the account, and what the path names of it. */
  signedResource(route: Route): string;
  /** The parameters of its shared access signatures that no other service has. */
  readonly sasFields: readonly string[];
  parseSas(query: Route['query'], route: Route): ServiceSas;
  sasStringToSign(sas: ServiceSas, account: string): string;
  /** The stored access policies of a resource; undefined if it is not there. */
  readPolicies(
    store: Store,
    account: string,
    resource: string,
  ): Promise<readonly SignedIdentifier[] | undefined>;
  /** The refusal of who sent no credentials; `challenge` says where to get them. */
  refuseAnonymous(request: WireRequest, challenge: string): ServiceError<string>;
}

export interface AuthorizationProtocol<Kind extends string = string> {
  /** Of each kind of operation; it makes the list of them, in the order in which they are counted. */
  readonly rights: Readonly<Record<Kind, Right>>;
  /** Entra's roles of this service, with the actions that each allows. */
  readonly roles: Readonly<Record<string, readonly string[]>>;
  /** What the signature of a resource is for, for the log of who asked for something else. */
  sasScope(resource: string): string;
}

/** What is known of a request while it is answered; an error may come at any step. */
export interface RequestContext<Route extends ServiceRoute = ServiceRoute, Kind extends string = string> {
  readonly request: WireRequest;
  readonly server: ServerContext;
  readonly requestId: string;
  /** When it came, in ticks. */
  readonly now: bigint;
  /** The same in milliseconds, of a clock that does not jump. */
  readonly began: number;
  route: Route | undefined;
  kind: Kind | undefined;
  /** Read before anything can fail for another reason, so that every answer that follows can carry its CORS headers. */
  rules: readonly CorsRule[];
  /** What a part of the request was refused for that is answered as a success: a batch. */
  refused: ServiceError<string> | undefined;
}

/** What the frame has to know of an answer before it is written. */
export interface Answered {
  readonly status: number;
}

export interface ServiceProtocol<
  Route extends ServiceRoute,
  Kind extends string,
  Code extends string,
  Answer extends Answered,
> extends AuthenticationProtocol<Route>,
    AuthorizationProtocol<Kind> {
  /** Of a body that is buffered; a longer one is thrown away, and its request is refused. */
  readonly bodyBytesMax: number;
  /** A body that is too large is refused before it is asked what is to be done with it; else `run` does so. */
  readonly refusesBodyFirst: boolean;
  /** @throws ServiceError InvalidUri */
  parseTarget(target: Target, isAccount: (name: string) => boolean): Route;
  /** What there is to say against a well-formed version. */
  checkVersion(version: string, route: Route): void;
  /** The operation, by method, headers and route alone: known before the body is read. */
  kindOf(request: WireRequest, route: Route): Kind;
  /** What a request that was refused before `kindOf` was asked is counted as; undefined for unknown. */
  kindOfRefused(request: WireRequest, route: Route): Kind | undefined;
  /** Authorizes, parses, carries out and renders. Failures are ServiceErrors, StoreErrors or bugs. */
  run(kind: Kind, route: Route, grant: Grant, context: RequestContext<Route, Kind>): Answer | Promise<Answer>;
  formatPreflight(headers: readonly Header[]): Answer;
  formatError(error: ServiceError<Code | SharedErrorCode>, context: RequestContext<Route, Kind>): Answer;
  formatResponse(answer: Answer, exchange: Exchange): WireResponse;
}
