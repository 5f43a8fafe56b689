// Parameters of a query and headers of metadata as the Blob and Queue services read them (protocol: requests#query-strings, queues#metadata).
// The limits of metadata are the domains' to check.
import { type Metadata, type MetadataPair, ServiceError } from '#account';
import type { Header } from './answer.js';

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
