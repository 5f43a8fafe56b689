// Headers as versions before 2013-08-15 write them; anonymous requests use those versions by default (protocol: blob-requests#old-versions).
import type { Header } from '../shared/answer.js';

/** From it on there are leases with a state and a duration. */
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
export function headersOfVersion(headers: Header[], version: string): Header[] {
  if (version >= VERSION_OF_DISPOSITIONS) return headers;
  const known = headers.filter(([name]) => version >= (FIRST_VERSIONS.get(name) ?? ''));
  return version < VERSION_OF_QUOTES ? known.map(withoutQuotes) : known;
}
