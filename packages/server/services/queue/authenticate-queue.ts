// Finds out who sent a request to the Queue service and what they were granted (protocol: authentication, sas). What is the same as for
// tables is authenticate.ts's; whether the grant covers the operation is authorize-queue.ts's matter.

import { ServiceError, type SignedIdentifier } from '#account';
import type { WireRequest } from '#base';
import { QueueError } from '#queues';
import {
  type AccountSas,
  accountSasStringToSign,
  parseQueueSas,
  parseSharedKey,
  type QueueRoute,
  type QueueSas,
  queueOf,
  queueSasStringToSign,
  type SharedKeyCredential,
  signedDate,
  storageStringsToSign,
} from '#wire';
import {
  type AuthenticationContext,
  authenticateBearer,
  bearerTokenOf,
  CHALLENGE_VERSION,
  checkCaller,
  checkDate,
  checkSigned,
  checkTimes,
  failed,
  isSigned,
  NO_PARAMETERS,
  named,
  OWNER,
  sasFailed,
  withPolicy,
} from '../../auth/authenticate.js';
import type { QueueGrant } from '../../auth/grant.js';
import type { SignedTokens } from '../../auth/signed-tokens.js';

export interface QueueAuthentication extends Pick<AuthenticationContext, 'keys' | 'now' | 'bearer'> {
  /** Shared access signatures that were found to hold. */
  readonly signedForQueues: SignedTokens<AccountSas | QueueSas>;
  /** The stored access policies of a queue, or undefined if there is no such queue. */
  policies(account: string, queue: string): Promise<readonly SignedIdentifier[] | undefined>;
}

function authenticateKey(
  { scheme, account, signature }: SharedKeyCredential,
  request: WireRequest,
  route: QueueRoute,
  context: QueueAuthentication,
): QueueGrant {
  if (account !== route.account) throw failed(`Signed for ${named(account)}, sent to ${route.account}.`);
  const keys = context.keys(account);
  // 403, as for a wrong key, so that nobody learns which accounts there are, and no client takes it for a missing queue.
  if (keys.length === 0) throw failed(`There is no account ${account}.`);
  checkDate(signedDate(request), context.now);
  const bytes = Buffer.from(signature, 'base64');
  let first: string | undefined;
  for (const text of storageStringsToSign(scheme, request, route)) {
    if (isSigned(keys, text, bytes)) return OWNER;
    first ??= text;
  }
  throw failed(`The signature is not of ${JSON.stringify(first)}.`);
}

function queueGrant(sas: QueueSas, request: WireRequest, context: QueueAuthentication): QueueGrant {
  const { start, expiry, permission, queue, identifier } = sas;
  if (expiry === undefined) throw sasFailed('se is mandatory. Cannot be empty');
  if (permission === undefined) throw sasFailed('sp is mandatory. Cannot be empty');
  checkTimes(start, expiry, context.now, identifier !== undefined);
  checkCaller(sas, request, 'q');
  return { kind: 'queueSas', queue, permission };
}

/**
 * A token whose signature holds. That is computed once for each token and queue, since the queue stands in the path and is signed too;
 * its times, policy and caller are checked each time.
 */
function signedSas(route: QueueRoute, context: QueueAuthentication): AccountSas | QueueSas {
  const { account, query } = route;
  const { signedForQueues: signed } = context;
  const queue = queueOf(route);
  const resource = `${account}/${queue}`;
  const known = signed.find(resource, query);
  if (known) return known;
  const sas = parseQueueSas(query, queue);
  const text =
    sas.kind === 'accountSas' ? accountSasStringToSign(sas, account) : queueSasStringToSign(sas, account);
  checkSigned(context.keys(account), account, text, sas);
  // Without the query, which may be long and is not needed any more.
  signed.remember(resource, query, { ...sas, query: NO_PARAMETERS });
  return sas;
}

async function authenticateSas(
  request: WireRequest,
  route: QueueRoute,
  context: QueueAuthentication,
): Promise<QueueGrant> {
  const { account } = route;
  const sas = signedSas(route, context);
  if (sas.kind === 'accountSas') {
    checkTimes(sas.start, sas.expiry, context.now, false);
    checkCaller(sas, request, 'q');
    return { kind: 'accountSas', resourceTypes: sas.resourceTypes, permission: sas.permission };
  }
  if (sas.identifier === undefined) return queueGrant(sas, request, context);
  const identifiers = await context.policies(account, sas.queue);
  return queueGrant(withPolicy(sas, identifiers), request, context);
}

/** Newer versions are asked for credentials, to older ones there is nothing here (protocol: authentication#no-credentials). */
function anonymousRefusal({ headers }: WireRequest, { bearer }: QueueAuthentication): QueueError {
  const reason = 'There are no credentials.';
  return (headers['x-ms-version'] ?? '') >= CHALLENGE_VERSION
    ? new QueueError('NoAuthenticationInformation', { challenge: bearer.challenge, reason })
    : new QueueError('ResourceNotFound', { reason });
}

/**
 * An Authorization header counts before a signature in the query.
 *
 * @throws ServiceError as `authenticate` does; QueueError NoAuthenticationInformation or ResourceNotFound for who says nothing of themselves.
 */
export function authenticateQueue(
  request: WireRequest,
  route: QueueRoute,
  context: QueueAuthentication,
): QueueGrant | Promise<QueueGrant> {
  const header = request.headers.authorization;
  if (header !== undefined) {
    const credential = parseSharedKey(header);
    if (credential) return authenticateKey(credential, request, route, context);
    const token = bearerTokenOf(header);
    if (token !== undefined) return authenticateBearer(token, request, route.account, context, 'queue');
    throw new ServiceError('InvalidAuthenticationInfo', { reason: 'The Authorization header is malformed.' });
  }
  if (route.query.has('sig')) return authenticateSas(request, route, context);
  throw anonymousRefusal(request, context);
}
