// The Blob service as a value: what the request frame has to know of it, and the way of an operation from the known caller to its answer.
// The order of the steps is the order in which Azure reports what is wrong (protocol: conditions#order-of-checks).

import { readStoredProperties, ServiceError } from '#account';
import type { StreamedResponse, WireRequest, WireResponse } from '#base';
import {
  type BlobContext,
  BlobError,
  type BlobErrorCode,
  checkBlobName,
  checkContainerName,
  type Digests,
  execute,
  type Operation,
  type OperationKind,
  type Outcome,
  openContainer,
  readContainerAccess,
} from '#blobs';
import {
  type Header,
  parseBlobSas,
  type StorageAnswer,
  signsOverrides,
  storageAnswer,
  storageStringsToSign,
} from '#wire';
import {
  type Asked,
  BLOB_GRAMMAR,
  type BlobAddress,
  type BlobErrorContext,
  type BlobOperationKind,
  type BlobResource,
  type BlobRoute,
  blobAddressOf,
  blobOperationKind,
  COPIES,
  formatBlobError,
  formatBlobList,
  formatBlobOutcome,
  formatBlobResponse,
  type IncomingBody,
  isListOfBlobs,
  isStructured,
  type Overrides,
  parseBlobOperation,
  signedNameOf,
  UPLOADS,
} from '#wire/blob';
import type { Grant } from '../../auth/grant.js';
import { bufferedBody, checkBody, streamedBody } from '../../frame/handle-request.js';
import type { ServiceProtocol } from '../../frame/service-protocol.js';
import {
  anonymousRefusal,
  authorizeBlob,
  authorizeTags,
  BLOB_AUTHORIZATION,
  checkStaging,
  ifMissing,
  isOpen,
  mayOnlyCreate,
  notReplaced,
} from './admit.js';
import { submitBlobBatch } from './batch.js';
import { authenticatorOf, type BlobRequest, blobContextOf } from './blob-request.js';
import { readableSource } from './copy-access.js';
import { documentDigests, inForm, wantedDigests, withDigests } from './digests.js';
import { delegationKeys, userDelegationKey, withinRoles } from './user-delegation.js';

/** Of a list of 50,000 blocks with the longest names (protocol: blob-requests#block-lists). */
const BLOCK_LIST_BYTES_MAX = 8 * 1_048_576;
/** The version of anonymous requests that name none, unless the service's properties say another (protocol: blob-requests#public-access). */
const VERSION_OF_ANONYMOUS = '2009-09-19';
/** Bodies that may be longer than what the frame holds: contents, and lists of blocks. */
const LONG_BODY = /[?&]comp=(?:block|blocklist|appendblock|page)(?:&|$)/i;
const ANY_COMP = /[?&]comp=/i;

/** Errors of the body: a missing container takes precedence over them. */
const isOfBody = (error: unknown): boolean =>
  error instanceof ServiceError &&
  (error.code === 'RequestBodyTooLarge' ||
    error.code.startsWith('InvalidXml') ||
    error.code === 'InvalidBlockList');

const ACCOUNT_INFORMATION: StorageAnswer = storageAnswer(200, {
  more: [
    ['x-ms-sku-name', 'Standard_RAGRS'],
    ['x-ms-account-kind', 'StorageV2'],
    ['x-ms-is-hns-enabled', 'false'],
  ],
});

/** A request without a version, and without credentials or with a signature older than `sv`, gets the account's default version. */
async function speakDefaultVersion({ account }: BlobRoute, context: BlobRequest): Promise<void> {
  const { server, request } = context;
  if (request.headers['x-ms-version'] !== undefined) return;
  const { defaultVersion } = server.accounts.keys.has(account)
    ? await readStoredProperties({ store: server.store, account, service: 'blob' })
    : { defaultVersion: undefined };
  context.version = defaultVersion ?? VERSION_OF_ANONYMOUS;
}

async function admitAnonymous(
  kind: BlobOperationKind,
  route: BlobRoute,
  context: BlobRequest,
): Promise<void> {
  await speakDefaultVersion(route, context);
  const { server, version } = context;
  if (server.accounts.keys.has(route.account) && (await isOpen(server.store, route, kind))) return;
  throw anonymousRefusal(version, server.bearer.challenge);
}

/** What a header may hold: no control characters but tabs, and nothing beyond Latin-1. */
const HEADER_TEXT = /^[\t\x20-\x7e\x80-\xff]*$/;

/** An empty one is signed like a missing one, so it overrides nothing. */
function overrideOf({ query }: BlobRoute, name: string): string | undefined {
  const value = query.get(name) || undefined;
  if (value === undefined || HEADER_TEXT.test(value)) return value;
  throw new BlobError('InvalidQueryParameterValue', { name, value });
}

/** @throws BlobError InvalidQueryParameterValue for what cannot stand in a header. */
function overridesOf(route: BlobRoute, grant: Grant): Overrides | undefined {
  if (grant.kind !== 'serviceSas' || !signsOverrides(route.query)) return undefined;
  return {
    contentType: overrideOf(route, 'rsct'),
    contentEncoding: overrideOf(route, 'rsce'),
    contentLanguage: overrideOf(route, 'rscl'),
    contentDisposition: overrideOf(route, 'rscd'),
    cacheControl: overrideOf(route, 'rscc'),
  };
}

function checkNames(route: BlobRoute, kind: BlobOperationKind): void {
  const { container, blob } = blobAddressOf(route);
  if (container !== '' && kind !== 'getAccountInformation') checkContainerName(container);
  if (blob !== '') checkBlobName(blob);
}

function uploadOf(request: WireRequest): IncomingBody {
  const length = request.stream === undefined ? request.body.length : request.stream.length;
  return { length, pieces: streamedBody(request) };
}

/** The parts of the request that are available without waiting. */
function askedOf(kind: OperationKind, route: BlobRoute, { request, version }: BlobRequest): Asked {
  const isUpload = UPLOADS.has(kind);
  if (!isUpload) checkBody(request);
  return {
    headers: request.headers,
    route,
    version,
    upload: isUpload ? uploadOf(request) : undefined,
    body: request.body,
    source: undefined,
  };
}

/** The source of a copy, and a document that comes as a stream. */
async function waitedFor(
  kind: OperationKind,
  route: BlobRoute,
  grant: Grant,
  context: BlobRequest,
): Promise<Asked> {
  const source = COPIES.has(kind)
    ? await readableSource(
        context,
        { kind, account: route.account },
        grant,
        authenticatorOf(BLOB_SERVICE, context.server),
      )
    : undefined;
  const asked = askedOf(kind, route, context);
  return { ...asked, source, body: await bufferedBody(context.request, BLOCK_LIST_BYTES_MAX) };
}

/** What a secondary endpoint answers, and what may be open to all. */
const isRead = ({ method }: WireRequest): boolean => method === 'GET' || method === 'HEAD';

const isWaitedFor = (kind: OperationKind, { stream }: WireRequest): boolean =>
  COPIES.has(kind) || (stream !== undefined && !UPLOADS.has(kind));

const NO_HEADERS: readonly Header[] = [];

async function createOnly(operation: Operation, blobs: BlobContext): Promise<Outcome> {
  await checkStaging(operation, blobs);
  return execute(ifMissing(operation), blobs).catch((error: unknown) => {
    throw notReplaced(error, operation);
  });
}

async function carryOut(
  operation: Operation,
  route: BlobRoute,
  grant: Grant,
  context: BlobRequest,
  digests: Digests | undefined,
): Promise<StorageAnswer> {
  const { request, server, version } = context;
  const { headers } = request;
  const blobs = blobContextOf(server, route.account);
  const overrides = overridesOf(route, grant);
  const wanted = operation.kind === 'getBlob' ? wantedDigests(headers, operation) : undefined;
  const isLimited = grant.kind !== 'owner' && mayOnlyCreate(grant, operation.kind);
  const found = await (isLimited ? createOnly(operation, blobs) : execute(operation, blobs));
  // Those of a list are of its document, which the domain does not see.
  const made = digests !== undefined && found.kind === 'blobPut' ? { ...found, digests } : found;
  const { outcome, headers: rangeDigests } =
    wanted === undefined ? { outcome: made, headers: NO_HEADERS } : await withDigests(made, wanted);
  const shown = { route, version, overrides, rangeDigests };
  const answer = isListOfBlobs(outcome)
    ? await formatBlobList(outcome, route, version)
    : formatBlobOutcome(outcome, shown);
  return isStructured(headers) ? inForm(answer, outcome) : answer;
}

async function run(
  kind: BlobOperationKind,
  route: BlobRoute,
  grant: Grant,
  context: BlobRequest,
): Promise<StorageAnswer> {
  if (grant.kind === 'anonymous') await admitAnonymous(kind, route, context);
  else if (grant.kind !== 'owner') {
    authorizeBlob(grant, kind, route);
    authorizeTags(grant, kind, route, context.request.headers);
    if (grant.kind === 'serviceSas' && !route.query.get('sv')) await speakDefaultVersion(route, context);
  }
  if (route.secondary && !isRead(context.request)) throw new BlobError('InsufficientAccountPermissions');
  checkNames(route, kind);
  const { request, server, version, now } = context;
  switch (kind) {
    case 'getAccountInformation':
      return ACCOUNT_INFORMATION;
    case 'getUserDelegationKey':
      return userDelegationKey(server.accounts, grant, {
        account: route.account,
        body: await bufferedBody(request),
        version,
        now,
      });
    case 'submitBatch':
      return submitBlobBatch(await bufferedBody(request), route, context, {
        authenticator: authenticatorOf(BLOB_SERVICE, server),
        run,
      });
    default:
  }
  try {
    const asked = isWaitedFor(kind, request)
      ? await waitedFor(kind, route, grant, context)
      : askedOf(kind, route, context);
    const operation = parseBlobOperation(kind, asked);
    const digests =
      kind === 'putBlockList' ? documentDigests(request.headers, asked.body, version) : undefined;
    return await carryOut(operation, route, grant, context, digests);
  } catch (error) {
    const { container } = blobAddressOf(route);
    if (isOfBody(error) && container !== '')
      await openContainer({ store: server.store, account: route.account }, container);
    throw error;
  }
}

const errorContextOf = ({ requestId, now, request, kind }: BlobRequest): BlobErrorContext => ({
  requestId,
  now,
  method: request.method,
  kind,
  isPart: false,
});

export const BLOB_SERVICE: ServiceProtocol<
  BlobResource,
  BlobOperationKind,
  BlobErrorCode,
  StorageAnswer,
  WireResponse | StreamedResponse
> = {
  ...BLOB_AUTHORIZATION,
  name: 'blob',
  letter: 'b',
  mayStream: ({ method, target }) => method === 'PUT' && (LONG_BODY.test(target) || !ANY_COMP.test(target)),
  refusesBodyFirst: false,
  grammar: BLOB_GRAMMAR,
  since: '',
  kindOf: blobOperationKind,

  stringsToSign: storageStringsToSign,
  signedResource: route => `${route.account}/${signedNameOf(signedAddressOf(route))}`,
  parseSas: (query, route) => withinRoles(parseBlobSas(query, route.account, signedAddressOf(route)), query),
  sasKeys: delegationKeys,
  readPolicies: async (store, account, resource) => {
    const container = resource.split('/', 1)[0] ?? '';
    return (await readContainerAccess({ store, account }, container))?.identifiers;
  },
  admitsAnonymous: isRead,
  refuseAnonymous: ({ headers }, challenge) => anonymousRefusal(headers['x-ms-version'], challenge),

  run,
  formatPreflight: more => storageAnswer(200, { more }),
  formatError: (error, context) => formatBlobError(error, errorContextOf(context)),
  formatResponse: formatBlobResponse,
};

/** What a signature is of: that of a container is the same for all its blobs. */
function signedAddressOf(route: BlobRoute): BlobAddress {
  const address = blobAddressOf(route);
  return route.query.get('sr') === 'c' ? { container: address.container, blob: '' } : address;
}
