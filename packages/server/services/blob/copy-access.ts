// The source of a copy: a blob of this server, read on the authority of its own URL, or on that of the caller (protocol: blob-requests#copy-sources).
import { ServiceError } from '#account';
import type { WireRequest } from '#base';
import { BlobError } from '#blobs';
import {
  type BlobOperationKind,
  type CopySource,
  flagOf,
  namesTagsOfSource,
  parseSourceUrl,
  type SourceUrl,
} from '#wire/blob';
import { CHALLENGE_VERSION } from '../../auth/authenticate.js';
import type { Grant } from '../../auth/grant.js';
import { authorizeBlob, isOpen } from './admit.js';
import type { BlobAuthenticator, BlobRequest } from './blob-request.js';

const NEEDS = ['getBlob'] as const;
const NEEDS_WITH_TAGS = ['getBlob', 'getTags'] as const;

/** Refusals at the source become errors of the copy. */
function refusal(error: unknown, mayBeOnKey: boolean, version: string): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { reason = '' } = error.detail;
  const isMissing = error.code === 'ResourceNotFound' || error.code === 'NoAuthenticationInformation';
  const code =
    isMissing && !mayBeOnKey && version >= CHALLENGE_VERSION
      ? 'CannotVerifyCopySource:Unauthenticated'
      : isMissing
        ? 'CannotVerifyCopySource:Missing'
        : 'CannotVerifyCopySource:Forbidden';
  return new BlobError(code, { reason: `The source may not be read: ${error.code}. ${reason}` });
}

/** A copy that may continue after its answer: it alone reads a source of its account on the caller's key. Any does on the caller's token. */
const isDetachedCopy = (kind: BlobOperationKind, { headers }: WireRequest): boolean =>
  kind === 'copyBlob' && !flagOf(headers, 'x-ms-requires-sync');

/** The grant of the URL's signature or of the token sent for the source; otherwise the caller's own within the same account, if there is one. */
async function sourceGrant(
  source: SourceUrl,
  caller: Grant | undefined,
  {
    request,
    route,
    now,
  }: Pick<BlobRequest, 'request' | 'now'> & { readonly route: { readonly account: string } },
  authenticator: BlobAuthenticator,
): Promise<Grant> {
  const token = request.headers['x-ms-copy-source-authorization'];
  const isSigned = source.route.query.has('sig');
  if (isSigned || token !== undefined) {
    const version = request.headers['x-ms-version'];
    const headers = {
      host: source.host,
      ...(version !== undefined && { 'x-ms-version': version }),
      ...(!isSigned && token !== undefined && { authorization: token }),
    };
    const read = { ...request, method: 'GET', target: source.target, headers, stream: undefined };
    return authenticator.authenticate(read, source.route, now);
  }
  const isOwn = source.route.account === route.account;
  return isOwn && (caller?.kind === 'owner' || caller?.kind === 'bearer') ? caller : { kind: 'anonymous' };
}

/** @throws BlobError CannotVerifyCopySource and what is wrong with the URL. */
export async function readableSource(
  context: BlobRequest,
  { kind, account }: { readonly kind: BlobOperationKind; readonly account: string },
  caller: Grant,
  authenticator: BlobAuthenticator,
): Promise<CopySource> {
  const { request, server, now, version } = context;
  const isDetached = isDetachedCopy(kind, request);
  const source = parseSourceUrl(request, server.accounts.keys);
  const { route, container, blob, snapshot, shownUrl } = source;
  if (!server.accounts.keys.has(route.account))
    throw new BlobError('CannotVerifyCopySource:Missing', {
      reason: `There is no account ${route.account}.`,
    });
  try {
    const authority = isDetached || caller.kind === 'bearer' ? caller : undefined;
    const grant = await sourceGrant(source, authority, { request, now, route: { account } }, authenticator);
    // Tags always need credentials.
    const needs = namesTagsOfSource(request.headers) ? NEEDS_WITH_TAGS : NEEDS;
    for (const need of needs)
      if (grant.kind !== 'anonymous') authorizeBlob(grant, need, route);
      else if (!(await isOpen(server.store, route, need))) throw new BlobError('ResourceNotFound');
  } catch (error) {
    throw refusal(error, isDetached && route.account === account, version);
  }
  return { account: route.account, container, blob, snapshot, url: shownUrl };
}
