// An answer: the facts that headers are made of, the texts of ETag and Location, and the response that they become, its headers in Azure's order
// (protocol: responses#order-of-headers). A part of a batch writes the same answer with other headers (batch/format-part.ts).
import { formatDateTime, type WireResponse } from '#base';
import type { Row } from '#store';
import { ECHO_SINCE, type Exchange, type Header } from '../shared/answer.js';

export interface Answer {
  readonly status: number;
  readonly reason?: string | undefined;
  readonly contentType?: string | undefined;
  readonly body?: Buffer | string | undefined;
  /** The body is ASCII, so that its length in characters is its length in bytes. */
  readonly isAscii?: boolean | undefined;
  readonly etag?: string | undefined;
  /** With 204 it is repeated as DataServiceId. */
  readonly location?: string | undefined;
  readonly preferenceApplied?: string | undefined;
  /** Continuation tokens, or the headers of a preflight. */
  readonly more?: readonly Header[] | undefined;
  /** JSON operations have Cache-Control, except on early refusals (protocol: responses#headers-by-answer). */
  readonly cacheControl: boolean;
  /** X-Content-Type-Options: JSON operations always have it, XML ones never. */
  readonly noSniff: boolean;
  /** In parts of a batch only. */
  readonly dataServiceVersion?: '1.0;' | '3.0;' | undefined;
  /** The code, in a header on XML errors. */
  readonly errorCode?: string | undefined;
  readonly challenge?: string | undefined;
  /** Answers of failed authentication have neither the version nor the client's request id (protocol: responses#table-service). */
  readonly anonymous?: boolean | undefined;
}

const UNRESERVED = /^[\w.!~*()-]*$/;

/** `PartitionKey='a',RowKey='b'` as in the URLs of answers: quotes doubled, the rest percent-encoded (protocol: entities#keys-in-urls). */
export const encodeKey = (key: string): string =>
  UNRESERVED.test(key) ? key : encodeURIComponent(key.replaceAll("'", "''"));

export const pathOpening = (table: string, partition: string): string =>
  `${table}(PartitionKey='${encodeKey(partition)}',RowKey='`;

export const entityPath = (table: string, { partition, key }: Pick<Row, 'partition' | 'key'>): string =>
  `${pathOpening(table, partition)}${encodeKey(key)}')`;

/** A time in the form of an ETag: only the colons, whose positions are fixed, are percent-encoded. */
export const etagTime = (time: string): string =>
  `${time.slice(0, 13)}%3A${time.slice(14, 16)}%3A${time.slice(17)}`;

/** The ETag of a row's version (protocol: entities#etags). */
export const formatEtag = (version: bigint): string => `W/"datetime'${etagTime(formatDateTime(version))}'"`;

/** Names the program, as Azure's does; clients do not read it. */
const SERVER = 'Shelfmark-Table/1.0';

const NO_CACHE: Header = ['Cache-Control', 'no-cache'];
const SERVER_HEADER: Header = ['Server', SERVER];
const NO_SNIFF: Header = ['X-Content-Type-Options', 'nosniff'];

export function formatResponse(answer: Answer, exchange: Exchange): WireResponse {
  const { body = '', isAscii } = answer;
  const length = typeof body === 'string' && !isAscii ? Buffer.byteLength(body) : body.length;
  const headers: Header[] = [];
  if (answer.cacheControl) headers.push(NO_CACHE);
  headers.push(['Content-Length', String(length)]);
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
