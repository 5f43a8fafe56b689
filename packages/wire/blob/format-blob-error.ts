// Renders a refusal of the Blob service: status, headers and document (protocol: errors#forms, errors#details, blob-requests#answers).
import type { ServiceError } from '#account';
import type { BlobErrorCode } from '#blobs';
import { type Header, RETRY } from '../shared/answer.js';
import { errorMessage, wireCode } from '../shared/error-table.js';
import { type StorageAnswer, storageAnswer } from '../shared/storage-answer.js';
import { formatStorageError } from '../shared/storage-error-xml.js';
import { XML_HEAD } from '../shared/xml.js';
import { BLOB_ERROR_ELEMENTS, BLOB_ERROR_TABLE } from './blob-error-table.js';
import type { BlobOperationKind } from './blob-operation-kind.js';

export interface BlobErrorContext {
  readonly requestId: string;
  readonly now: bigint;
  readonly method: string;
  readonly kind: BlobOperationKind | undefined;
  readonly isPart: boolean;
}

type BlobFault = ServiceError<BlobErrorCode>;

/** An invalid snapshot time is detected before the version is known (recorded). */
const isOfSnapshot = ({ code, detail }: BlobFault): boolean =>
  code === 'InvalidQueryParameterValue' && detail.name === 'snapshot' && detail.reason === undefined;

const KINDS_INSIDE: ReadonlySet<BlobOperationKind | undefined> = new Set<BlobOperationKind>([
  'appendBlockFromUrl',
  'getTags',
  'setTags',
]);

/** What comes from deeper inside of Azure has a line break after the declaration (recorded). */
const isFromInside = (error: BlobFault, { kind, isPart }: BlobErrorContext): boolean =>
  isPart || KINDS_INSIDE.has(kind) || error.code === 'HierarchicalNamespaceNotEnabled' || isOfSnapshot(error);

function headersOf({ code, detail }: BlobFault): Header[] {
  const headers: Header[] = [];
  if (code === 'ServerBusy') headers.push(RETRY);
  if (code === 'CannotVerifyCopySource:Unauthenticated')
    headers.push(
      ['x-ms-copy-source-status-code', '401'],
      ['x-ms-copy-source-error-code', 'NoAuthenticationInformation'],
    );
  if (detail.challenge !== undefined) headers.push(['WWW-Authenticate', String(detail.challenge)]);
  return headers;
}

export function formatBlobError(error: BlobFault, context: BlobErrorContext): StorageAnswer {
  const { requestId, now, method, kind } = context;
  const entry = BLOB_ERROR_TABLE[error.code];
  const code = wireCode(error.code);
  const message = errorMessage(entry, error);
  const isSilent = method === 'HEAD' || entry.status === 304;
  const elements = BLOB_ERROR_ELEMENTS[error.code] ?? [];
  const document = formatStorageError(error, { message, elements, requestId, now });
  const head = isFromInside(error, context) ? `${XML_HEAD}\n` : XML_HEAD;
  // Answers to requests without credentials hide the code too (recorded).
  const hidesCode = isOfSnapshot(error) || (code === 'ResourceNotFound' && error.detail.isAnonymous === 1);
  const { length } = error.detail;
  return storageAnswer(entry.status, {
    reason: message,
    body: isSilent ? undefined : head + document,
    length: isSilent ? 'none' : undefined,
    contentType: entry.status === 304 && kind === 'getPageRanges' ? 'application/xml' : undefined,
    content: code === 'InvalidRange' && length !== undefined ? [['Content-Range', `bytes */${length}`]] : [],
    more: headersOf(error),
    errorCode: hidesCode ? undefined : code,
    hidesVersion: code === 'InvalidAuthenticationInfo' || isOfSnapshot(error),
  });
}
