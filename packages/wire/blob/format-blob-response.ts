// Writes an answer of the Blob service as a response (protocol: blob-requests#answers).
import type { StreamedResponse, WireResponse } from '#base';
import { ECHO_SINCE, type Exchange, type Header } from '../shared/answer.js';
import type { BlobAnswer } from './blob-answer.js';

/** Names the program, as Azure's does; clients do not read it. */
const SERVER: Header = ['Server', 'Shelfmark-Blob/1.0'];
const XML_TYPE = 'application/xml';

function lengthOf({ body, length }: BlobAnswer): number | 'none' {
  if (length !== undefined) return length;
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  return Buffer.isBuffer(body) ? body.length : 'none';
}

export function formatBlobResponse(answer: BlobAnswer, exchange: Exchange): WireResponse | StreamedResponse {
  const { status, reason, body } = answer;
  const headers: Header[] = [];
  const length = lengthOf(answer);
  if (length !== 'none') headers.push(['Content-Length', String(length)]);
  const type = answer.contentType ?? (typeof body === 'string' ? XML_TYPE : undefined);
  if (type !== undefined) headers.push(['Content-Type', type]);
  for (const header of answer.content) headers.push(header);
  headers.push(SERVER, ['x-ms-request-id', exchange.requestId]);
  if (!answer.hidesVersion) headers.push(['x-ms-version', exchange.version]);
  if (!answer.hidesVersion && exchange.clientRequestId !== undefined && exchange.version >= ECHO_SINCE)
    headers.push(['x-ms-client-request-id', exchange.clientRequestId]);
  for (const header of answer.more) headers.push(header);
  if (answer.errorCode !== undefined) headers.push(['x-ms-error-code', answer.errorCode]);
  // What is read while it is sent and what is there are two kinds of responses, written out alike: a spread costs a hidden class each time.
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    ? { status, reason, headers, body }
    : { status, reason, headers, body };
}
