// Authenticates requests and determines their grants (protocol: authentication, sas). The only place where signatures are computed.
// authorize.ts decides whether the grant covers the operation. Every refusal carries a `reason` for the log,
// which never holds a key or a signature.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError, type SignedIdentifier } from '#account';
import { formatHttpDate, isLoopback, parseHttpDate, type WireRequest } from '#base';
import type { Store } from '#store';
import {
  type AccountSas,
  isAccountSas,
  isInIpRange,
  parseAccountSas,
  parseSharedKey,
  type ServiceRoute,
  type ServiceSas,
  type SharedKeyCredential,
  signedDate,
  VERSION_OF_SIGNED_VERSION,
} from '#wire';
import type { Accounts } from './accounts.js';
import type { AuthenticationProtocol } from './auth-protocol.js';
import { type BearerTokens, bearerDetail } from './bearer.js';
import type { Grant } from './grant.js';
import { SignedTokens } from './signed-tokens.js';

/** The server's data that authentication needs. */
interface AuthenticationContext {
  readonly accounts: Accounts;
  readonly bearer: BearerTokens;
  readonly store: Store;
}

/** 15 minutes either way (protocol: authentication#clock). */
const SKEW_MAX = 15n * 60n * 10_000_000n;
/** Of a signature without `sv` and without a policy. */
const UNVERSIONED_MAX = 60n * 60n * 10_000_000n;
/** The first version that challenges a request without credentials (protocol: authentication#no-credentials). */
export const CHALLENGE_VERSION = '2020-12-06';
const OWNER: Grant = { kind: 'owner' };
const ANONYMOUS: Grant = { kind: 'anonymous' };

/** Versions before the challenge get the plain refusal (protocol: authentication#no-credentials). */
export const challenged = (
  challenge: string,
  request: WireRequest,
  reason: string,
  detail?: string,
): ServiceError => {
  const details = detail === undefined ? { reason } : { reason, detail };
  return (request.headers['x-ms-version'] ?? '') >= CHALLENGE_VERSION
    ? new ServiceError('InvalidAuthenticationInfo:Challenge', { challenge, ...details })
    : new ServiceError('AuthenticationFailed', details);
};

const failed = (reason: string): ServiceError => new ServiceError('AuthenticationFailed', { reason });

/**
 * `detail` goes to the client as AuthenticationErrorDetail, in Azure's words where these are known; the log may get less.
 */
const sasFailed = (detail: string, reason = detail): ServiceError =>
  new ServiceError('AuthenticationFailed:Sas', { detail, reason });

/** Whether the text's signature with any of the keys is this one. Takes the same time wherever the two differ. */
function isSigned(keys: readonly Buffer[], text: string, signature: Buffer): boolean {
  for (const key of keys) {
    const expected = createHmac('sha256', key).update(text).digest();
    if (expected.length === signature.length && timingSafeEqual(expected, signature)) return true;
  }
  return false;
}

/** What a shared access signature is made of, against the account's keys. */
function checkSigned(
  keys: readonly Buffer[],
  account: string,
  { text, signature }: AccountSas | ServiceSas,
): void {
  if (isSigned(keys, text, Buffer.from(signature, 'base64'))) return;
  const detail = `Signature did not match. String to sign used was ${text}`;
  throw sasFailed(detail, keys.length > 0 ? detail : `There is no account ${account}.`);
}

/** Where clients mix up their settings, a key stands in the place of the account's name. */
const named = (account: string): string =>
  /^[a-z0-9-]{1,34}$/.test(account) ? account : 'what is not an account';

function checkDate(text: string | undefined, now: bigint): void {
  if (text === undefined) throw failed('The request has neither x-ms-date nor Date.');
  const date = parseHttpDate(text);
  if (date === undefined) throw failed('The date of the request cannot be read.');
  const skew = date > now ? date - now : now - date;
  if (skew > SKEW_MAX) throw failed(`The date of the request, ${text}, is more than 15 minutes off.`);
}

/**
 * A signature without a start begins now, so that an expired one ends before it begins (protocol: sas#refusals). `isPolicy`: the
 * times come from a stored policy, which only the account's owner may read.
 */
function checkTimes(start: bigint | undefined, expiry: bigint, now: bigint, isPolicy: boolean): void {
  if ((start === undefined || now >= start) && now < expiry) return;
  const what = 'Signature not valid in the specified time frame';
  const [end, current] = [formatHttpDate(expiry), formatHttpDate(now)];
  const detail =
    start === undefined
      ? `Signed expiry time [${end}] must be after signed start time [${current}]`
      : `${what}: Start [${formatHttpDate(start)}] - Expiry [${end}] - Current [${current}]`;
  throw sasFailed(detail, isPolicy ? `${what} of its policy.` : undefined);
}

interface Caller {
  readonly request: WireRequest;
  /** The requested service's. */
  readonly letter: string;
  /** Whether the account's key is publicly known. */
  readonly isPublished: boolean;
}

/** Service, address, protocol: this order decides between their codes (protocol: sas#refusals). */
function checkCaller(sas: AccountSas | ServiceSas, { request, letter, isPublished }: Caller): void {
  const { secure, remoteAddress } = request;
  if (sas.kind === 'accountSas' && !sas.services.includes(letter)) {
    const reason = `The signature is for the services ${sas.services}.`;
    throw new ServiceError('AuthorizationServiceMismatch', { reason });
  }
  if (sas.addresses && !isInIpRange(sas.addresses, remoteAddress)) {
    const reason = 'The address is not one of the signature.';
    throw new ServiceError('AuthorizationSourceIPMismatch', { address: remoteAddress, reason });
  }
  // A published key has nothing that HTTPS could protect on this machine (protocol: sas#fields).
  if (sas.httpsOnly && !secure && !(isPublished && isLoopback(remoteAddress))) {
    throw new ServiceError('AuthorizationProtocolMismatch', { reason: 'The signature is for HTTPS only.' });
  }
}

/** What a signature that names a policy and the policy say together. A field may stand in one of them only. */
function withPolicy(sas: ServiceSas, identifiers: readonly SignedIdentifier[] | undefined): ServiceSas {
  const identifier = identifiers?.find(({ id }) => id === sas.identifier);
  // What is not there has no policies either; saying more would show which tables or queues there are.
  if (!identifier) throw sasFailed('SAS identifier cannot be found for specified signed identifier');
  const { start, expiry, permission } = identifier.policy ?? {};
  const isTwice =
    (start !== undefined && sas.start !== undefined) ||
    (expiry !== undefined && sas.expiry !== undefined) ||
    (permission !== undefined && sas.permission !== undefined);
  if (isTwice)
    throw sasFailed('Access policy fields can be associated with signature or SAS identifier but not both');
  return {
    ...sas,
    start: sas.start ?? start,
    expiry: sas.expiry ?? expiry,
    permission: sas.permission ?? permission,
  };
}

/** Before there was `sv`, a signature without a policy was short-lived (protocol: sas#blob-string). */
function checkWindow({ version, identifier }: ServiceSas, start: bigint, expiry: bigint): void {
  if (version < VERSION_OF_SIGNED_VERSION && identifier === undefined && expiry - start > UNVERSIONED_MAX)
    throw sasFailed('Access without signed identifier cannot have time window more than 1 hour');
}

function serviceGrant(sas: ServiceSas, caller: Caller, now: bigint): Grant {
  const { start, expiry, permission, resource, range } = sas;
  if (expiry === undefined) throw sasFailed('se is mandatory. Cannot be empty');
  if (permission === undefined) throw sasFailed('sp is mandatory. Cannot be empty');
  checkTimes(start, expiry, now, sas.identifier !== undefined);
  checkWindow(sas, start ?? now, expiry);
  checkCaller(sas, caller);
  return { kind: 'serviceSas', resource, permission, range };
}

const bearerTokenOf = (header: string): string | undefined => /^Bearer +(\S+)$/i.exec(header)?.[1];

/** Authenticates the requests of one service. */
export class Authenticator<Route extends ServiceRoute> {
  readonly #protocol: AuthenticationProtocol<Route>;
  readonly #server: AuthenticationContext;
  /** Valid shared access signatures. */
  readonly #signed: SignedTokens;

  constructor(
    protocol: AuthenticationProtocol<Route>,
    server: AuthenticationContext,
    signed = new SignedTokens(),
  ) {
    this.#protocol = protocol;
    this.#server = server;
    this.#signed = signed;
  }

  /** To be called whenever keys were changed: signatures that held with one that is gone hold no more. */
  forgetSignatures(): void {
    this.#signed.forget();
  }

  /**
   * An Authorization header takes precedence over a signature in the query. Only stored policies and bearer tokens need a promise.
   *
   * @throws ServiceError AuthenticationFailed (of a bearer token perhaps with `detail`), AuthenticationFailed:Sas (with `detail`),
   *   InvalidAuthenticationInfo, InvalidAuthenticationInfo:Challenge (with `challenge`, perhaps with `detail`), AuthorizationServiceMismatch, AuthorizationSourceIPMismatch (with `address`),
   * AuthorizationProtocolMismatch, or the service's error for requests without credentials; each with `reason`.
   */
  authenticate(request: WireRequest, route: Route, now: bigint): Grant | Promise<Grant> {
    const header = request.headers.authorization;
    if (header === undefined) return this.#withoutHeader(request, route, now);
    const credential = parseSharedKey(header);
    if (credential) return this.#bySharedKey(credential, request, route, now);
    const token = bearerTokenOf(header);
    if (token !== undefined) return this.#byBearerToken(token, request, route, now);
    throw new ServiceError('InvalidAuthenticationInfo', {
      reason: 'The Authorization header is malformed.',
    });
  }

  #withoutHeader(request: WireRequest, route: Route, now: bigint): Grant | Promise<Grant> {
    if (route.query.has('sig')) return this.#bySas(request, route, now);
    if (this.#protocol.admitsAnonymous?.(request)) return ANONYMOUS;
    throw this.#protocol.refuseAnonymous(request, this.#server.bearer.challenge);
  }

  #bySharedKey(credential: SharedKeyCredential, request: WireRequest, route: Route, now: bigint): Grant {
    const { scheme, account, signature } = credential;
    if (account !== route.account) throw failed(`Signed for ${named(account)}, sent to ${route.account}.`);
    const keys = this.#server.accounts.keys.get(account);
    // 403, as for a wrong key, so that clients cannot enumerate accounts, and none takes it for a missing table or queue.
    if (keys === undefined) throw failed(`There is no account ${account}.`);
    checkDate(signedDate(request), now);
    const bytes = Buffer.from(signature, 'base64');
    for (const text of this.#protocol.stringsToSign(scheme, request, route))
      if (isSigned(keys, text, bytes)) return OWNER;
    const [first] = this.#protocol.stringsToSign(scheme, request, route);
    throw failed(
      first === undefined
        ? 'A signed parameter is given more than once.'
        : `The signature is not of ${JSON.stringify(first)}.`,
    );
  }

  #bySas(request: WireRequest, route: Route, now: bigint): Grant | Promise<Grant> {
    const sas = this.#signedSas(route);
    const isPublished = this.#server.accounts.isPublished(route.account);
    const caller = { request, letter: this.#protocol.letter, isPublished };
    if (sas.kind === 'accountSas') {
      checkTimes(sas.start, sas.expiry, now, false);
      checkCaller(sas, caller);
      return { kind: 'accountSas', resourceTypes: sas.resourceTypes, permission: sas.permission };
    }
    if (sas.identifier === undefined) return serviceGrant(sas, caller, now);
    return this.#protocol
      .readPolicies(this.#server.store, route.account, sas.resource)
      .then(identifiers => serviceGrant(withPolicy(sas, identifiers), caller, now));
  }

  /** A token with a valid signature. That is verified once for each token; its times, policy and caller are checked each time. */
  #signedSas(route: Route): AccountSas | ServiceSas {
    const { account, query } = route;
    // A token of the account is the same for everything in it.
    const isAccounts = isAccountSas(query);
    const resource = isAccounts ? account : this.#protocol.signedResource(route);
    const known = this.#signed.find(resource, query);
    if (known) return known;
    const sas = isAccounts ? parseAccountSas(query, account) : this.#protocol.parseSas(query, route);
    const keys = this.#server.accounts.keys.get(account) ?? [];
    checkSigned(this.#protocol.sasKeys?.(query, keys) ?? keys, account, sas);
    // Without the text, which may be long and is not needed any more.
    this.#signed.remember(resource, query, { ...sas, text: '' });
    return sas;
  }

  /** Accepts tokens only over TLS, as Azure does, or from loopback: a proxy that ends TLS forwards them from there. */
  async #byBearerToken(
    token: string,
    request: WireRequest,
    { account }: ServiceRoute,
    now: bigint,
  ): Promise<Grant> {
    const { bearer } = this.#server;
    if (!request.secure && !isLoopback(request.remoteAddress))
      throw challenged(bearer.challenge, request, 'A bearer token was sent without TLS.');
    try {
      const roles = await bearer.verify(token, account, now, this.#protocol.name);
      return { kind: 'bearer', roles, version: request.headers['x-ms-version'] ?? '' };
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const reason = `The bearer token is not valid: ${why}`;
      throw challenged(bearer.challenge, request, reason, bearerDetail(error));
    }
  }
}
