// Shared Key and Shared Key Lite for tables: reading the header and building what it signs (protocol: authentication#shared-key-for-tables).
// Keys, signatures and the clock are the server's matter.

import type { WireRequest } from '#base';
import type { ServiceRoute } from '../shared/target.js';

export interface SharedKeyCredential {
  readonly scheme: 'SharedKey' | 'SharedKeyLite';
  readonly account: string;
  /** In base64, as it was sent. */
  readonly signature: string;
}

const SHARED_KEY = /^SharedKey(Lite)? ([^:\s]+):([^:\s]+)$/;

/** Undefined for a header of another form. */
export function parseSharedKey(header: string): SharedKeyCredential | undefined {
  const [, lite, account, signature] = SHARED_KEY.exec(header) ?? [];
  if (account === undefined || signature === undefined) return undefined;
  return { scheme: lite ? 'SharedKeyLite' : 'SharedKey', account, signature };
}

/** The date that the signature covers: x-ms-date wins, also over a Date that is newer (protocol: authentication#shared-key-for-tables). */
export function signedDate({ headers }: WireRequest): string | undefined {
  return headers['x-ms-date'] ?? headers.date;
}

/**
 * The account, the path as it was sent and the query's `comp`, nothing else of the query. In path style the account
 * stands there twice. `path` is given where another spelling of it is to be tried.
 */
export function canonicalResource(route: ServiceRoute, path: string = route.path): string {
  const comp = route.query.get('comp');
  return `/${route.account}${path}${comp === undefined ? '' : `?comp=${comp}`}`;
}

/**
 * What else a client may have signed for this path: the account in it without `-secondary`, as some clients do, and
 * quotes encoded or not, as a proxy may have changed them on the way (protocol: authentication#canonical-resource-of-tables).
 */
export function otherSpellings({ account, path, secondary }: ServiceRoute): readonly string[] {
  const spellings = new Set<string>();
  const prefix = `/${account}-secondary`;
  const primary = secondary && path.startsWith(prefix) ? `/${account}${path.slice(prefix.length)}` : path;
  for (const spelling of [path, primary]) {
    spellings.add(spelling).add(spelling.replaceAll("'", '%27')).add(spelling.replaceAll('%27', "'"));
  }
  spellings.delete(path);
  return [...spellings];
}

/** `date` and `resource` as the functions above give them. */
export function sharedKeyStringToSign(
  scheme: SharedKeyCredential['scheme'],
  { method, headers }: WireRequest,
  date: string,
  resource: string,
): string {
  if (scheme === 'SharedKeyLite') return `${date}\n${resource}`;
  return `${method}\n${headers['content-md5'] ?? ''}\n${headers['content-type'] ?? ''}\n${date}\n${resource}`;
}

/** What a client may have signed, the path as it was sent first; each is made only if it is asked for. */
export function* tableStringsToSign(
  scheme: SharedKeyCredential['scheme'],
  request: WireRequest,
  route: ServiceRoute,
): Generator<string, void> {
  const date = signedDate(request) ?? '';
  yield sharedKeyStringToSign(scheme, request, date, canonicalResource(route));
  for (const path of otherSpellings(route))
    yield sharedKeyStringToSign(scheme, request, date, canonicalResource(route, path));
}
