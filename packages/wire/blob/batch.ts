// The envelope of a blob batch: requests in, answers out, each with the Content-ID of its part (recorded; protocol: blob-requests#batches).
import { BlobError } from '#blobs';
import type { Exchange } from '../shared/answer.js';
import { boundaryOf, mediaTypeOf } from '../shared/multipart.js';
import { type BatchPart, PartReader } from '../shared/part-reader.js';
import type { StorageAnswer } from '../shared/storage-exchange.js';

/** Of parts that were carried out. */
const REASONS: ReadonlyMap<number, string> = new Map([
  [200, 'OK'],
  [202, 'Accepted'],
]);
/** Azure's maximum. */
const PARTS_MAX = 256;

export interface BlobBatchPart extends BatchPart {
  /** Of the MIME part. */
  readonly partId: string | undefined;
}

const badType = (value: string): BlobError =>
  new BlobError('InvalidHeaderValue', { name: 'Content-Type', value });

/** @throws BlobError InvalidHeaderValue: the refusal of the request itself. */
export function checkBatchType(contentType = ''): void {
  if (mediaTypeOf(contentType) !== 'multipart/mixed') throw badType(contentType);
}

/** The value in the refusal ends with a semicolon (recorded; protocol: blob-requests#batches). */
function requiredBoundary(contentType: string): string {
  const boundary = boundaryOf(contentType);
  if (!boundary) throw badType(contentType.includes(';') ? contentType : `${contentType};`);
  return boundary;
}

/** @throws BlobError InvalidHeaderValue, InvalidInput, ServiceError InvalidInput. */
export function parseBlobBatch(contentType: string | undefined, body: Buffer): readonly BlobBatchPart[] {
  checkBatchType(contentType);
  const reader = new PartReader(body, 'strict');
  const spans = reader.split(reader.whole, requiredBoundary(contentType ?? ''), PARTS_MAX + 1);
  if (spans.length === 0 || spans.length > PARTS_MAX) throw new BlobError('InvalidInput');
  return spans.map(span => ({
    ...reader.part(span),
    partId: reader.mimeHead(span).headers['content-id'],
  }));
}

const line = (name: string, value: string | undefined): string =>
  value === undefined ? '' : `${name}: ${value}\r\n`;

/** The bytes between two delimiters, without the line break before the second. */
export function formatBlobPart(
  answer: StorageAnswer,
  exchange: Exchange,
  partId: string | undefined,
): string {
  const { status, reason, body, errorCode } = answer;
  const text = typeof body === 'string' ? body : '';
  let head = `Content-Type: application/http\r\n${line('Content-ID', partId)}\r\n`;
  head += `HTTP/1.1 ${status} ${reason ?? REASONS.get(status) ?? 'Unknown'}\r\n${line('x-ms-error-code', errorCode)}`;
  for (const [name, value] of answer.more) head += line(name, value);
  head += line('x-ms-request-id', exchange.requestId) + line('x-ms-version', exchange.version);
  head += line('x-ms-client-request-id', exchange.clientRequestId);
  if (text !== '')
    head += line('Content-Length', String(Buffer.byteLength(text))) + line('Content-Type', 'application/xml');
  return `${head}${line('Server', 'Shelfmark-Blob/1.0')}\r\n${text}`;
}

interface BlobEnvelope {
  readonly contentType: string;
  readonly body: string;
}

/** A document ends with a line break before its delimiter; a part without one ends with the blank line of its head. */
export function formatBlobBatch(parts: readonly string[], id: string): BlobEnvelope {
  const boundary = `batchresponse_${id}`;
  let body = '';
  for (const part of parts) body += `--${boundary}\r\n${part}${part.endsWith('\r\n\r\n') ? '' : '\r\n'}`;
  return { contentType: `multipart/mixed; boundary=${boundary}`, body: `${body}--${boundary}--` };
}
