// Shared Key and Shared Key Lite for tables: parses the header and builds the string to sign (protocol: authentication#shared-key-for-tables).
// The server has the keys and the clock, and compares signatures.

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
 * The canonical resource: the account, the path as it was sent, and of the query only `comp`. In path style it has the account
 * twice. `path` is another spelling to try.
 */
function canonicalResource(route: ServiceRoute, path: string = route.path): string {
  const comp = route.query.get('comp');
  return `/${route.account}${path}${comp === undefined ? '' : `?comp=${comp}`}`;
}

/**
 * Other spellings of the path that a client may have signed: the account without `-secondary`, as some clients do, and
 * quotes encoded or not, because a proxy may have changed them (protocol: authentication#canonical-resource-of-tables).
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

/** `date` as `signedDate` gives it, and a canonical resource. */
export function sharedKeyStringToSign(
  scheme: SharedKeyCredential['scheme'],
  { method, headers }: WireRequest,
  date: string,
  resource: string,
): string {
  if (scheme === 'SharedKeyLite') return `${date}\n${resource}`;
  return `${method}\n${headers['content-md5'] ?? ''}\n${headers['content-type'] ?? ''}\n${date}\n${resource}`;
}

/** The possible strings to sign, the path as it was sent first; each is built only on demand. */
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
