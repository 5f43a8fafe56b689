// POST ?comp=batch: each part is a request of its own, with its own credentials, handled like any other; a failed part
// gets its error in its own answer (protocol: blob-requests#batches).

import { ServiceError } from '#account';
import type { WireRequest } from '#base';
import { BlobError, type BlobErrorCode } from '#blobs';
import { parseTargetOfPart, type StorageAnswer, storageAnswer, wireCode } from '#wire';
import {
  BLOB_GRAMMAR,
  type BlobBatchPart,
  type BlobOperationKind,
  type BlobRoute,
  blobAddressOf,
  blobOperationKind,
  checkBatchType,
  formatBlobBatch,
  formatBlobError,
  formatBlobPart,
  parseBlobBatch,
} from '#wire/blob';
import type { Grant } from '../../auth/grant.js';
import { faultCode } from '../../frame/fault-code.js';
import { requestEntry } from '../../observe/log.js';
import type { BlobAuthenticator, BlobRequest } from './blob-request.js';

const ALLOWED: ReadonlySet<BlobOperationKind> = new Set<BlobOperationKind>(['deleteBlob', 'setTier']);

/** What a batch needs of its service: to authenticate a part and to run it. */
interface BatchDoor {
  readonly authenticator: BlobAuthenticator;
  run(kind: BlobOperationKind, route: BlobRoute, grant: Grant, context: BlobRequest): Promise<StorageAnswer>;
}

/** Runs the part like a request of its own: its version is the batch's unless it names another. Its Host never routes. */
function requestOf(part: BlobBatchPart, { request }: BlobRequest): WireRequest {
  const headers: Record<string, string | undefined> = { ...part.headers, host: request.headers.host };
  // Signed as nothing, which a request without a version of its own does not show.
  if (headers['content-length'] === '0') delete headers['content-length'];
  return {
    ...request,
    method: part.method.toUpperCase(),
    target: part.target,
    headers,
    body: part.body,
    stream: undefined,
  };
}

/** For a part in a missing container the error is BlobNotFound (recorded). */
function refusalOf(error: unknown): ServiceError<BlobErrorCode> {
  if (!(error instanceof ServiceError)) return new ServiceError(faultCode(error));
  return error.code === 'ContainerNotFound' ? new BlobError('BlobNotFound') : error;
}

async function answerPart(
  part: BlobBatchPart,
  batch: BlobRoute,
  outer: BlobRequest,
  door: BatchDoor,
): Promise<string> {
  const request = requestOf(part, outer);
  const clientRequestId = part.headers['x-ms-client-request-id'];
  const version = part.headers['x-ms-version'] ?? outer.version;
  const context: BlobRequest = {
    ...outer,
    request,
    requestId: outer.server.newId(),
    clientRequestId,
    version,
  };
  let answer: StorageAnswer;
  try {
    const route = parseTargetOfPart(request, batch, outer.server.accounts.keys, BLOB_GRAMMAR);
    context.route = route;
    const grant = await door.authenticator.authenticate(request, route, outer.now);
    const kind = blobOperationKind(request, route);
    context.kind = kind;
    const { container } = blobAddressOf(batch);
    const isInside = container === '' || blobAddressOf(route).container === container;
    if (!ALLOWED.has(kind) || !isInside) throw new BlobError('InvalidInput');
    answer = await door.run(kind, route, grant, context);
  } catch (error) {
    const refusal = refusalOf(error);
    outer.refused = refusal;
    const { requestId, now, kind } = context;
    answer = formatBlobError(refusal, { requestId, now, method: request.method, kind, isPart: true });
    if (!(error instanceof ServiceError))
      outer.server.log.failure(
        requestEntry('blob', context, answer.status, { code: wireCode(refusal.code) }),
        error,
      );
  }
  return formatBlobPart(answer, context, part.partId);
}

/** A body that is not a batch gets a batch of one part without an id, and with the request id of the answer (protocol: blob-requests#batches). */
function refusedBatch(refusal: ServiceError<BlobErrorCode>, context: BlobRequest): string {
  context.refused = refusal;
  const { requestId, now, request, kind } = context;
  const answer = formatBlobError(refusal, { requestId, now, method: request.method, kind, isPart: true });
  return formatBlobPart(answer, context, undefined);
}

/** One after the other, the last first: of two parts that delete one blob Azure refuses the first (recorded). */
async function answersOf(
  body: Buffer,
  route: BlobRoute,
  context: BlobRequest,
  door: BatchDoor,
): Promise<readonly string[]> {
  const type = context.request.headers['content-type'];
  checkBatchType(type);
  let parts: readonly BlobBatchPart[];
  try {
    parts = parseBlobBatch(type, body);
  } catch (error) {
    if (error instanceof ServiceError) return [refusedBatch(error, context)];
    throw error;
  }
  const answers: string[] = [];
  for (const part of [...parts].reverse()) answers.unshift(await answerPart(part, route, context, door));
  return answers;
}

export async function submitBlobBatch(
  body: Buffer,
  route: BlobRoute,
  context: BlobRequest,
  door: BatchDoor,
): Promise<StorageAnswer> {
  const answers = await answersOf(body, route, context, door);
  return storageAnswer(202, formatBlobBatch(answers, context.server.newId()));
}
