// What authentication and authorization ask of a service: its part of ServiceProtocol (frame/service-protocol.ts).
import type { ServiceError, SignedIdentifier } from '#account';
import type { WireRequest } from '#base';
import type { Store } from '#store';
import type { ServiceRoute, ServiceSas, SharedKeyCredential } from '#wire';
import type { Role } from './roles.js';

/** The rights that one kind of operation needs. `anyone`: its parts are authorized one by one. */
export type Right<Action extends string = string> = 'anyone' | KindRight<Action>;

export interface KindRight<Action extends string = string> {
  /** The rights that an account's signature must grant; `owner`: no signature suffices, not even one of the service. */
  readonly account: AccountRight | 'owner';
  /** The signature of one table or queue must have a letter of each of these texts; undefined where no signature suffices. */
  readonly service: readonly string[] | undefined;
  /** Actions of roles (protocol: authentication#roles). A bearer token needs one of them. */
  readonly actions: readonly Action[];
  /** The first version that supports this for bearer tokens. */
  readonly bearerSince?: string | undefined;
}

export interface AccountRight {
  /** Letters of resource types. A signature needs one of them. */
  readonly types: string;
  /** Letters of permissions. A signature needs one of each text. */
  readonly needs: readonly string[];
}

/** `ofResource`: the letters, of each text one, of the signature of one table, queue, container or blob. */
export const right = <Action extends string>(
  types: string,
  needs: string | readonly string[],
  actions: readonly Action[],
  ofResource?: readonly string[] | string,
): KindRight<Action> => ({
  account: { types, needs: [needs].flat() },
  service: ofResource === undefined ? undefined : [ofResource].flat(),
  actions,
});

/** Of access policies and keys. */
export const ofOwner = <Action extends string>(action: Action, bearerSince?: string): KindRight<Action> => ({
  account: 'owner',
  service: undefined,
  actions: [action],
  bearerSince,
});

export interface AuthenticationProtocol<Route extends ServiceRoute = ServiceRoute> {
  /** As in addresses of the store, in logs, in hosts and in audiences: `table`. */
  readonly name: string;
  /** In the `ss` of an account's signature: `t`. */
  readonly letter: string;
  /** The strings that a client may have signed with the account's key, the likeliest first, each built on demand. */
  stringsToSign(scheme: SharedKeyCredential['scheme'], request: WireRequest, route: Route): Iterable<string>;
  /** What a shared access signature covers in addition to its query: the account, and the resource in the path. */
  signedResource(route: Route): string;
  parseSas(query: Route['query'], route: Route): ServiceSas;
  /** The stored access policies of a resource; undefined if it is not there. */
  readPolicies(
    store: Store,
    account: string,
    resource: string,
  ): Promise<readonly SignedIdentifier[] | undefined>;
  /** The keys that a signature may be made with, where these are not the account's own: keys that are derived from them. */
  sasKeys?(query: Route['query'], accountKeys: readonly Buffer[]): readonly Buffer[];
  /** Whether a request without credentials continues, to be refused once its operation is known. */
  admitsAnonymous?(request: WireRequest): boolean;
  /** The refusal of a request without credentials; `challenge` explains where to get them. */
  refuseAnonymous(request: WireRequest, challenge: string): ServiceError<string>;
}

export interface AuthorizationProtocol<Kind extends string = string> {
  /** Of each kind of operation; it makes the list of them, in the order in which they are counted. */
  readonly rights: Readonly<Record<Kind, Right>>;
  /** Entra's roles of this service, with the actions that each allows. */
  readonly roles: Readonly<Partial<Record<Role, readonly string[]>>>;
  /** The scope of a resource's signature, for the log entry when a request is outside it. */
  sasScope(resource: string): string;
}
