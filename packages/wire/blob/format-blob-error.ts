// Renders a refusal of the Blob service: status, headers and document (protocol: errors#forms, errors#details, blob-requests#answers).
import type { ServiceError } from '#account';
import type { BlobErrorCode } from '#blobs';
import type { Header } from '../shared/answer.js';
import { storageErrorAnswer } from '../shared/storage-error-xml.js';
import type { StorageAnswer } from '../shared/storage-exchange.js';
import { XML_HEAD } from '../shared/xml.js';
import { BLOB_ERROR_ELEMENTS, BLOB_ERROR_TABLE } from './blob-error-table.js';
import type { BlobOperationKind } from './blob-route.js';

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

/** What the source of a copy answered. */
const OF_SOURCE: readonly Header[] = [
  ['x-ms-copy-source-status-code', '401'],
  ['x-ms-copy-source-error-code', 'NoAuthenticationInformation'],
];

export function formatBlobError(error: BlobFault, context: BlobErrorContext): StorageAnswer {
  const { requestId, now, method, kind } = context;
  const given = { table: BLOB_ERROR_TABLE, elements: BLOB_ERROR_ELEMENTS, requestId, now };
  const answer = storageErrorAnswer(error, given);
  const isSilent = method === 'HEAD' || answer.status === 304;
  const body = isFromInside(error, context) ? answer.body?.replace(XML_HEAD, `${XML_HEAD}\n`) : answer.body;
  // Answers to requests without credentials hide the code too (recorded).
  const hidesCode =
    isOfSnapshot(error) || (error.code === 'ResourceNotFound' && error.detail.isAnonymous === 1);
  const { length } = error.detail;
  const isOutside = error.code === 'InvalidRange' && length !== undefined;
  const isOfSource = error.code === 'CannotVerifyCopySource:Unauthenticated';
  return {
    ...answer,
    body: isSilent ? undefined : body,
    length: isSilent ? 'none' : undefined,
    contentType: answer.status === 304 && kind === 'getPageRanges' ? 'application/xml' : undefined,
    content: isOutside ? [['Content-Range', `bytes */${length}`]] : [],
    more: isOfSource ? [...OF_SOURCE, ...answer.more] : answer.more,
    errorCode: hidesCode ? undefined : answer.errorCode,
    hidesVersion: answer.hidesVersion || isOfSnapshot(error),
  };
}
