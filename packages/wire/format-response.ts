// Writes an answer with its headers in Azure's order: as a response of its own or as a part of a batch (table-rest.md 3.2, 10.5).
import type { Answer, Header } from './answer.js';
import type { PartResponse } from './format-batch.js';
import type { WireResponse } from './wire-request.js';

/** What every answer says of the request that it answers. */
export interface Exchange {
  readonly requestId: string;
  /** x-ms-version as it is echoed. */
  readonly version: string;
  readonly clientRequestId: string | undefined;
}

/** Names the program, as Azure's does; clients do not read it. */
const SERVER = 'Shelfmark-Table/1.0';
/** Versions before do not get their request id back (table-rest.md 3.1). */
const ECHO_SINCE = '2019-02-02';

const bodyLength = (body: Buffer | string | undefined): number =>
  body === undefined ? 0 : typeof body === 'string' ? Buffer.byteLength(body) : body.length;

export function formatResponse(answer: Answer, exchange: Exchange): WireResponse {
  const headers: Header[] = [];
  if (answer.cacheControl) headers.push(['Cache-Control', 'no-cache']);
  headers.push(['Content-Length', String(bodyLength(answer.body))]);
  if (answer.contentType !== undefined) headers.push(['Content-Type', answer.contentType]);
  if (answer.etag !== undefined) headers.push(['ETag', answer.etag]);
  if (answer.location !== undefined) headers.push(['Location', answer.location]);
  headers.push(['Server', SERVER], ['x-ms-request-id', exchange.requestId]);
  if (answer.more) headers.push(...answer.more);
  if (!answer.anonymous) {
    headers.push(['x-ms-version', exchange.version]);
    if (exchange.clientRequestId !== undefined && exchange.version >= ECHO_SINCE) {
      headers.push(['x-ms-client-request-id', exchange.clientRequestId]);
    }
  }
  if (answer.noSniff) headers.push(['X-Content-Type-Options', 'nosniff']);
  if (answer.preferenceApplied !== undefined) headers.push(['Preference-Applied', answer.preferenceApplied]);
  if (answer.dataServiceId && answer.location !== undefined) headers.push(['DataServiceId', answer.location]);
  if (answer.errorCode !== undefined) headers.push(['x-ms-error-code', answer.errorCode]);
  if (answer.challenge !== undefined) headers.push(['WWW-Authenticate', answer.challenge]);
  return { status: answer.status, reason: answer.reason, headers, body: answer.body };
}

/** Parts with content begin with version and type, parts without end with the version; errors stand in between. */
export function formatPart(answer: Answer, contentId: string | undefined): PartResponse {
  const id: Header[] = contentId === undefined ? [] : [['Content-ID', contentId]];
  const sniff: Header[] = answer.noSniff ? [['X-Content-Type-Options', 'nosniff']] : [];
  const cache: Header[] = answer.cacheControl ? [['Cache-Control', 'no-cache']] : [];
  const preference: Header[] =
    answer.preferenceApplied === undefined ? [] : [['Preference-Applied', answer.preferenceApplied]];
  const version: Header[] =
    answer.dataServiceVersion === undefined ? [] : [['DataServiceVersion', answer.dataServiceVersion]];
  const type: Header[] = answer.contentType === undefined ? [] : [['Content-Type', answer.contentType]];
  const etag: Header[] = answer.etag === undefined ? [] : [['ETag', answer.etag]];
  const location: Header[] = answer.location === undefined ? [] : [['Location', answer.location]];
  const service: Header[] =
    answer.dataServiceId && answer.location !== undefined ? [['DataServiceId', answer.location]] : [];
  const withContent = answer.status < 300 && answer.body !== undefined;
  const headers = withContent
    ? [...version, ...type, ...id, ...sniff, ...cache, ...preference, ...location, ...etag]
    : [...id, ...sniff, ...cache, ...preference, ...version, ...type, ...location, ...service, ...etag];
  const body = answer.body === undefined ? undefined : answer.body.toString('utf8');
  return { status: answer.status, headers, body };
}
