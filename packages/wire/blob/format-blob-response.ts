// Writes an answer of the Blob service as a response (protocol: blob-requests#answers).
import type { StreamedResponse, WireResponse } from '#base';
import { ECHO_SINCE, type Exchange, type Header } from '../shared/answer.js';
import type { BlobAnswer } from './blob-answer.js';
import { headersOfVersion } from './old-headers.js';

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
  const all: Header[] = [];
  const length = lengthOf(answer);
  if (length !== 'none') all.push(['Content-Length', String(length)]);
  const type = answer.contentType ?? (typeof body === 'string' ? XML_TYPE : undefined);
  if (type !== undefined) all.push(['Content-Type', type]);
  for (const header of answer.content) all.push(header);
  all.push(SERVER, ['x-ms-request-id', exchange.requestId]);
  if (!answer.hidesVersion) all.push(['x-ms-version', exchange.version]);
  if (!answer.hidesVersion && exchange.clientRequestId !== undefined && exchange.version >= ECHO_SINCE)
    all.push(['x-ms-client-request-id', exchange.clientRequestId]);
  for (const header of answer.more) all.push(header);
  if (answer.errorCode !== undefined) all.push(['x-ms-error-code', answer.errorCode]);
  const headers = headersOfVersion(all, exchange.version);
  // What is read while it is sent and what is there are two kinds of responses, written out alike: a spread costs a hidden class each time.
  return body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
    ? { status, reason, headers, body }
    : { status, reason, headers, body };
}
