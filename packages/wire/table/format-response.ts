// Writes an answer as a response of its own, with its headers in Azure's order (protocol: responses#order-of-headers). format-part.ts formats
// parts of a batch.

import type { WireResponse } from '#base';
import { ECHO_SINCE, type Exchange, type Header } from '../shared/answer.js';
import type { Answer } from './answer.js';

/** Names the program, as Azure's does; clients do not read it. */
const SERVER = 'Shelfmark-Table/1.0';

const NO_CACHE: Header = ['Cache-Control', 'no-cache'];
const SERVER_HEADER: Header = ['Server', SERVER];
const NO_SNIFF: Header = ['X-Content-Type-Options', 'nosniff'];

function bodyLength({ body, isAscii }: Answer): number {
  if (body === undefined) return 0;
  return typeof body === 'string' && !isAscii ? Buffer.byteLength(body) : body.length;
}

export function formatResponse(answer: Answer, exchange: Exchange): WireResponse {
  const headers: Header[] = [];
  if (answer.cacheControl) headers.push(NO_CACHE);
  headers.push(['Content-Length', String(bodyLength(answer))]);
  if (answer.contentType !== undefined) headers.push(['Content-Type', answer.contentType]);
  if (answer.etag !== undefined) headers.push(['ETag', answer.etag]);
  if (answer.location !== undefined) headers.push(['Location', answer.location]);
  headers.push(SERVER_HEADER, ['x-ms-request-id', exchange.requestId]);
  if (answer.more) headers.push(...answer.more);
  if (!answer.anonymous) {
    headers.push(['x-ms-version', exchange.version]);
    if (exchange.clientRequestId !== undefined && exchange.version >= ECHO_SINCE) {
      headers.push(['x-ms-client-request-id', exchange.clientRequestId]);
    }
  }
  if (answer.noSniff) headers.push(NO_SNIFF);
  if (answer.preferenceApplied !== undefined) headers.push(['Preference-Applied', answer.preferenceApplied]);
  if (answer.status === 204 && answer.location !== undefined)
    headers.push(['DataServiceId', answer.location]);
  if (answer.errorCode !== undefined) headers.push(['x-ms-error-code', answer.errorCode]);
  if (answer.challenge !== undefined) headers.push(['WWW-Authenticate', answer.challenge]);
  return { status: answer.status, reason: answer.reason, headers, body: answer.body };
}
