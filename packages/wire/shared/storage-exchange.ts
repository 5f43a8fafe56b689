// What the Blob and Queue services share of a request and of its answer: parameters of the query (protocol: requests#query-strings), headers of
// metadata (protocol: queues#metadata), the facts that the answer's headers are made of, and these headers (protocol: blob-requests#answers,
// responses#queue-service), of old versions too (protocol: blob-requests#old-versions). The limits of metadata are the domains' to check.
import { type Metadata, type MetadataPair, ServiceError } from '#account';
import { ECHO_SINCE, type Exchange, type Header } from './answer.js';

type Query = ReadonlyMap<string, string>;

/** A 32 bit number. */
const WHOLE = /^-?\d{1,10}$/;
const WHOLE_MAX = 0x7fffffff;
const METADATA_PREFIX = 'x-ms-meta-';

/** An empty value counts as missing. */
export const given = (query: Query, name: string): string | undefined => query.get(name) || undefined;

/** @throws ServiceError InvalidQueryParameterValue. */
export function wholeOf(query: Query, name: string): number | undefined {
  const text = given(query, name);
  if (text === undefined) return undefined;
  const value = WHOLE.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(value) <= WHOLE_MAX) return value;
  throw new ServiceError('InvalidQueryParameterValue', {
    name,
    value: text,
    reason: 'It is not a whole number.',
  });
}

/**
 * The client's timeout in seconds: an invalid one is refused, a valid one has no effect, because no operation takes that long.
 *
 * @throws ServiceError InvalidQueryParameterValue.
 */
export function checkTimeout(query: Query): void {
  const seconds = wholeOf(query, 'timeout');
  if (seconds !== undefined && seconds < 0)
    throw new ServiceError('InvalidQueryParameterValue', { name: 'timeout', value: seconds });
}

/** The name with which a page of a list begins: `/account/name`, as in the previous answer, or a bare name. */
export function markedName(query: Query, account: string, malformed: () => Error): string | undefined {
  const marker = given(query, 'marker');
  if (marker === undefined) return undefined;
  const prefix = `/${account}/`;
  const name = marker.startsWith(prefix) ? marker.slice(prefix.length) : marker;
  if (name === '' || name.includes('/')) throw malformed();
  return name;
}

/** Whether a list was asked to include it. */
export const includes = (query: Query, item: string): boolean =>
  (query.get('include') ?? '')
    .toLowerCase()
    .split(',')
    .some(each => each.trim() === item);

/** The member `:` and a name in lower case has the spelling of a header's name, where it differs (WireRequest). */
export function parseMetadata(headers: Readonly<Record<string, string | undefined>>): Metadata {
  const pairs: MetadataPair[] = [];
  for (const name of Object.keys(headers)) {
    if (!name.startsWith(METADATA_PREFIX)) continue;
    const spelled = headers[`:${name}`] ?? name;
    pairs.push({ name: spelled.slice(METADATA_PREFIX.length), value: headers[name] ?? '' });
  }
  return pairs;
}

export const formatMetadata = (metadata: Metadata): readonly Header[] =>
  metadata.map(({ name, value }): Header => [`${METADATA_PREFIX}${name}`, value]);

type Content = string | Buffer | AsyncIterable<Buffer> | undefined;

export interface StorageAnswer<Body extends Content = Content> {
  readonly status: number;
  /** The phrase of the status line where it is not the standard one. */
  readonly reason: string | undefined;
  /** A document in XML, a small content, or a content that is read while it is sent. */
  readonly body: Body | undefined;
  /** Of the body that a GET would have. Undefined where the body determines it, or where the answer has no Content-Length. */
  readonly length: number | 'none' | undefined;
  /** `application/xml` for a document unless it says another. */
  readonly contentType: string | undefined;
  /** Not cacheable: the answers of a queue's reads. */
  readonly isRead: boolean;
  /** Before the server's name: what describes the content. */
  readonly content: readonly Header[];
  /** After the version. */
  readonly more: readonly Header[];
  readonly errorCode: string | undefined;
  /** Some refusals omit the version header (recorded; protocol: blob-requests#answers, responses#queue-service). */
  readonly hidesVersion: boolean;
}

const NOTHING: readonly Header[] = [];

export const storageAnswer = <Body extends Content>(
  status: number,
  facts: Partial<StorageAnswer<Body>> = {},
): StorageAnswer<Body> => ({
  status,
  reason: facts.reason,
  body: facts.body,
  length: facts.length,
  contentType: facts.contentType,
  isRead: facts.isRead ?? false,
  content: facts.content ?? NOTHING,
  more: facts.more ?? NOTHING,
  errorCode: facts.errorCode,
  hidesVersion: facts.hidesVersion ?? false,
});

/** Versions before 2013-08-15 have fewer headers; anonymous requests use those by default. From this one on there are leases with a state and a duration. */
export const VERSION_OF_LEASE_STATES = '2012-02-12';
const VERSION_OF_QUOTES = '2011-08-18';
const VERSION_OF_DISPOSITIONS = '2013-08-15';

/** Headers that came with a later version than the oldest. */
const FIRST_VERSIONS: ReadonlyMap<string, string> = new Map([
  ['Accept-Ranges', VERSION_OF_QUOTES],
  ['x-ms-lease-state', VERSION_OF_LEASE_STATES],
  ['x-ms-lease-duration', VERSION_OF_LEASE_STATES],
  ['Content-Disposition', VERSION_OF_DISPOSITIONS],
]);

const withoutQuotes = ([name, value]: Header): Header =>
  name === 'ETag' ? [name, value.replaceAll('"', '')] : [name, value];

/** The headers that the version has, in its form. */
function headersOfVersion(headers: Header[], version: string): Header[] {
  if (version >= VERSION_OF_DISPOSITIONS) return headers;
  const known = headers.filter(([name]) => version >= (FIRST_VERSIONS.get(name) ?? ''));
  return version < VERSION_OF_QUOTES ? known.map(withoutQuotes) : known;
}

const NO_CACHE: Header = ['Cache-Control', 'no-cache'];
const XML_TYPE = 'application/xml';

function lengthOf({ body, length }: StorageAnswer): number | 'none' {
  if (length !== undefined) return length;
  if (body === undefined) return 0;
  if (typeof body === 'string') return Buffer.byteLength(body);
  return Buffer.isBuffer(body) ? body.length : 'none';
}

/** `server` names the program, as Azure's does; clients do not read it. */
export function storageHeaders(answer: StorageAnswer, exchange: Exchange, server: string): readonly Header[] {
  const { body, errorCode, hidesVersion } = answer;
  const { version, clientRequestId } = exchange;
  const all: Header[] = [];
  if (answer.isRead) all.push(NO_CACHE);
  const length = lengthOf(answer);
  if (length !== 'none') all.push(['Content-Length', String(length)]);
  const type = answer.contentType ?? (typeof body === 'string' ? XML_TYPE : undefined);
  if (type !== undefined) all.push(['Content-Type', type]);
  for (const header of answer.content) all.push(header);
  all.push(['Server', server], ['x-ms-request-id', exchange.requestId]);
  if (!hidesVersion) all.push(['x-ms-version', version]);
  if (!hidesVersion && clientRequestId !== undefined && version >= ECHO_SINCE)
    all.push(['x-ms-client-request-id', clientRequestId]);
  for (const header of answer.more) all.push(header);
  if (errorCode !== undefined) all.push(['x-ms-error-code', errorCode]);
  return headersOfVersion(all, version);
}
