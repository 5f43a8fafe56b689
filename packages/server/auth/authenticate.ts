// Finds out who sent a request and what they were granted (protocol: authentication, sas). The only place where signatures are computed.
// Whether the grant covers the operation is authorize.ts's matter. Every refusal carries a `reason` for the log,
// which never holds a key or a signature.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { ServiceError, type SignedIdentifier } from '#account';
import { formatHttpDate, parseHttpDate, type WireRequest } from '#base';
import {
  type AccountSas,
  canonicalResource,
  isInIpRange,
  otherSpellings,
  parseSas,
  parseSharedKey,
  type QueueSas,
  type Route,
  type SharedKeyCredential,
  sasStringToSign,
  sharedKeyStringToSign,
  signedDate,
  type TableSas,
} from '#wire';
import type { BearerTokens } from './bearer.js';
import type { AccountGrant, Grant } from './grant.js';
import { isLoopback } from './loopback.js';
import type { SignedTokens } from './signed-tokens.js';

export interface AuthenticationContext {
  /** The account's keys, decoded, or none if there is no such account. Each of them is good for signing. */
  keys(account: string): readonly Buffer[];
  /** The time in ticks of 100 ns. */
  readonly now: bigint;
  readonly bearer: BearerTokens;
  /** Shared access signatures that were found to hold. */
  readonly signed: SignedTokens;
  /** The stored access policies of a table, or undefined if there is no such table. */
  policies(account: string, table: string): Promise<readonly SignedIdentifier[] | undefined>;
}

/** 15 minutes either way (protocol: authentication#clock). */
const SKEW_MAX = 15n * 60n * 10_000_000n;
/** The first version that challenges a request without credentials (protocol: authentication#no-credentials). */
export const CHALLENGE_VERSION = '2020-12-06';
/** The first version recorded in which a bearer token finds access policies. */
const POLICIES_VERSION = '2025-07-05';
export const OWNER: AccountGrant = { kind: 'owner' };
export const NO_PARAMETERS: ReadonlyMap<string, string> = new Map();

/** Versions before the challenge get the plain refusal (protocol: authentication#no-credentials). */
export const challenged = (
  { challenge }: BearerTokens,
  request: WireRequest,
  reason: string,
): ServiceError =>
  (request.headers['x-ms-version'] ?? '') >= CHALLENGE_VERSION
    ? new ServiceError('InvalidAuthenticationInfo:Challenge', { challenge, reason })
    : failed(reason);

export const failed = (reason: string): ServiceError => new ServiceError('AuthenticationFailed', { reason });

/**
 * `detail` goes to the client as AuthenticationErrorDetail, with Azure's words where these are known; the log may be told less.
 */
export const sasFailed = (detail: string, reason = detail): ServiceError =>
  new ServiceError('AuthenticationFailed:Sas', { detail, reason });

/** Whether any of the keys gives the signature for the text. Takes the same time wherever the two differ. */
export function isSigned(keys: readonly Buffer[], text: string, signature: Buffer): boolean {
  for (const key of keys) {
    const expected = createHmac('sha256', key).update(text).digest();
    if (expected.length === signature.length && timingSafeEqual(expected, signature)) return true;
  }
  return false;
}

/** What a shared access signature is made of, against the account's keys. */
export function checkSigned(
  keys: readonly Buffer[],
  account: string,
  text: string,
  { signature }: Pick<AccountSas, 'signature'>,
): void {
  if (isSigned(keys, text, Buffer.from(signature, 'base64'))) return;
  const detail = `Signature did not match. String to sign used was ${text}`;
  throw sasFailed(detail, keys.length > 0 ? detail : `There is no account ${account}.`);
}

/** Where clients mix up their settings, a key stands in the place of the account's name. */
export const named = (account: string): string =>
  /^[a-z0-9-]{1,34}$/.test(account) ? account : 'what is no account';

export function checkDate(text: string | undefined, now: bigint): string {
  if (text === undefined) throw failed('There is neither x-ms-date nor Date.');
  const date = parseHttpDate(text);
  if (date === undefined) throw failed('The date of the request cannot be read.');
  const skew = date > now ? date - now : now - date;
  if (skew > SKEW_MAX) throw failed(`The date of the request, ${text}, is more than 15 minutes off.`);
  return text;
}

function authenticateSharedKey(
  credential: SharedKeyCredential,
  request: WireRequest,
  route: Route,
  context: AuthenticationContext,
): Grant {
  const { scheme, account } = credential;
  if (account !== route.account) throw failed(`Signed for ${named(account)}, sent to ${route.account}.`);
  const keys = context.keys(account);
  // 403, as for a wrong key, so that nobody learns which accounts there are, and no client takes it for a missing table.
  if (keys.length === 0) throw failed(`There is no account ${account}.`);
  const date = checkDate(signedDate(request), context.now);
  const signature = Buffer.from(credential.signature, 'base64');
  const text = sharedKeyStringToSign(scheme, request, date, canonicalResource(route));
  if (isSigned(keys, text, signature)) return OWNER;
  for (const path of otherSpellings(route)) {
    const other = sharedKeyStringToSign(scheme, request, date, canonicalResource(route, path));
    if (isSigned(keys, other, signature)) return OWNER;
  }
  throw failed(`The signature is not of ${JSON.stringify(text)}.`);
}

/** `isPolicy`: the times are a stored policy's, which is for those who own the account to read. */
export function checkTimes(start: bigint | undefined, expiry: bigint, now: bigint, isPolicy: boolean): void {
  if ((start === undefined || now >= start) && now < expiry) return;
  const what = 'Signature not valid in the specified time frame';
  const from = start === undefined ? '' : `Start [${formatHttpDate(start)}] - `;
  const times = `${from}Expiry [${formatHttpDate(expiry)}] - Current [${formatHttpDate(now)}]`;
  throw sasFailed(`${what}: ${times}`, isPolicy ? `${what} of its policy.` : undefined);
}

/** `service`: the letter of the one that is asked. Service, address, protocol: this order decides between their codes (protocol: sas#refusals). */
export function checkCaller(
  sas: AccountSas | TableSas | QueueSas,
  { secure, remoteAddress }: WireRequest,
  service: 't' | 'q',
): void {
  if (sas.kind === 'accountSas' && !sas.services.includes(service)) {
    const reason = `The signature is for the services ${sas.services}.`;
    throw new ServiceError('AuthorizationServiceMismatch', { reason });
  }
  if (sas.addresses && !isInIpRange(sas.addresses, remoteAddress)) {
    const reason = 'The address is not one of the signature.';
    throw new ServiceError('AuthorizationSourceIPMismatch', { address: remoteAddress, reason });
  }
  if (sas.httpsOnly && !secure) {
    throw new ServiceError('AuthorizationProtocolMismatch', { reason: 'The signature is for HTTPS only.' });
  }
}

/** What a signature that names a policy and the policy say together. A field may stand in one of them only. */
export function withPolicy<Sas extends TableSas | QueueSas>(
  sas: Sas,
  identifiers: readonly SignedIdentifier[] | undefined,
): Sas {
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

/** A token whose signature holds. That is computed once for each token; its times, policy and caller are checked each time. */
function signedSas({ account, query }: Route, context: AuthenticationContext): AccountSas | TableSas {
  const { signed } = context;
  const known = signed.find(account, query);
  if (known) return known;
  const sas = parseSas(query);
  checkSigned(context.keys(account), account, sasStringToSign(sas, account), sas);
  // Without the query, which may be long and is not needed any more.
  signed.remember(account, query, { ...sas, query: NO_PARAMETERS });
  return sas;
}

function tableGrant(sas: TableSas, request: WireRequest, context: AuthenticationContext): Grant {
  const { start, expiry, permission, table, range } = sas;
  if (expiry === undefined) throw sasFailed('se is mandatory. Cannot be empty');
  if (permission === undefined) throw sasFailed('sp is mandatory. Cannot be empty');
  checkTimes(start, expiry, context.now, sas.identifier !== undefined);
  checkCaller(sas, request, 't');
  return { kind: 'tableSas', table, permission, range };
}

function authenticateSas(
  request: WireRequest,
  route: Route,
  context: AuthenticationContext,
): Grant | Promise<Grant> {
  const sas = signedSas(route, context);
  if (sas.kind === 'accountSas') {
    checkTimes(sas.start, sas.expiry, context.now, false);
    checkCaller(sas, request, 't');
    return { kind: 'accountSas', resourceTypes: sas.resourceTypes, permission: sas.permission };
  }
  if (sas.identifier === undefined) return tableGrant(sas, request, context);
  return context
    .policies(route.account, sas.table)
    .then(identifiers => tableGrant(withPolicy(sas, identifiers), request, context));
}

/** Tokens travel over TLS only, as in Azure, or do not leave this machine: behind a proxy that ends TLS they arrive so. */
export async function authenticateBearer(
  token: string,
  request: WireRequest,
  account: string,
  { bearer, now }: Pick<AuthenticationContext, 'bearer' | 'now'>,
  service: 'table' | 'queue',
): Promise<AccountGrant> {
  if (!request.secure && !isLoopback(request.remoteAddress))
    throw challenged(bearer, request, 'A bearer token came without TLS.');
  try {
    const roles = await bearer.verify(token, account, now, service);
    const policies = (request.headers['x-ms-version'] ?? '') >= POLICIES_VERSION;
    return { kind: 'bearer', roles, policies };
  } catch (error) {
    throw challenged(
      bearer,
      request,
      `The bearer token does not hold: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

export const bearerTokenOf = (header: string): string | undefined => /^Bearer +(\S+)$/i.exec(header)?.[1];

/**
 * An Authorization header counts before a signature in the query. Only stored policies and bearer tokens have to be waited for.
 *
 * @throws ServiceError AuthenticationFailed, AuthenticationFailed:Sas (with `detail`), InvalidAuthenticationInfo,
 *   InvalidAuthenticationInfo:Challenge (with `challenge`), AuthorizationServiceMismatch, AuthorizationSourceIPMismatch (with `address`),
 *   AuthorizationProtocolMismatch; each with `reason`.
 */
export function authenticate(
  request: WireRequest,
  route: Route,
  context: AuthenticationContext,
): Grant | Promise<Grant> {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const credential = parseSharedKey(header);
    if (credential) return authenticateSharedKey(credential, request, route, context);
    const token = bearerTokenOf(header);
    if (token !== undefined) return authenticateBearer(token, request, route.account, context, 'table');
    throw new ServiceError('InvalidAuthenticationInfo', { reason: 'The Authorization header is malformed.' });
  }
  if (route.query.has('sig')) return authenticateSas(request, route, context);
  throw challenged(context.bearer, request, 'There are no credentials.');
}
