// Writes an answer of the Queue service as a response (protocol: responses#queue-service).

import type { WireResponse } from '#base';
import type { Header } from '../shared/answer.js';
import { ECHO_SINCE, type Exchange } from '../shared/answer.js';
import type { QueueAnswer } from './queue-answer.js';

/** Names the program, as Azure's does; clients do not read it. */
const SERVER: Header = ['Server', 'Shelfmark-Queue/1.0'];
const NO_CACHE: Header = ['Cache-Control', 'no-cache'];
const XML: Header = ['Content-Type', 'application/xml'];

export function formatQueueResponse(answer: QueueAnswer, exchange: Exchange): WireResponse {
  const { status, reason, body } = answer;
  const headers: Header[] = [];
  if (answer.isRead) headers.push(NO_CACHE);
  headers.push(['Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body))]);
  if (body !== undefined) headers.push(XML);
  headers.push(SERVER, ['x-ms-request-id', exchange.requestId]);
  if (!answer.isAnonymous) headers.push(['x-ms-version', exchange.version]);
  if (!answer.isAnonymous && exchange.clientRequestId !== undefined && exchange.version >= ECHO_SINCE)
    headers.push(['x-ms-client-request-id', exchange.clientRequestId]);
  headers.push(...answer.more);
  if (answer.errorCode !== undefined) headers.push(['x-ms-error-code', answer.errorCode]);
  return { status, reason, headers, body };
}
