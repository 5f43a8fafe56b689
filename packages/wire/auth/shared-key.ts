// Shared Key and Shared Key Lite for tables: parses the header and builds the string to sign (protocol: authentication#shared-key-for-tables).
// The server has the keys and the clock, and compares signatures.

import type { WireRequest } from '#base';
import { RepeatedParameters } from '../shared/repeated-parameters.js';
import type { ServiceRoute } from '../shared/target.js';
import { SIGNATURE_PATTERN } from './signature.js';

export interface SharedKeyCredential {
  readonly scheme: 'SharedKey' | 'SharedKeyLite';
  readonly account: string;
  /** In Base64, as sent. Empty for a malformed text, which no signature equals. */
  readonly signature: string;
}

const MALFORMED = '';

const SHARED_KEY = new RegExp(`^SharedKey(Lite)? ([^:\\s]+):(?:(${SIGNATURE_PATTERN})|.+)$`, 's');

/** Undefined for a header of another form. */
export function parseSharedKey(header: string): SharedKeyCredential | undefined {
  const [, lite, account, signature = MALFORMED] = SHARED_KEY.exec(header) ?? [];
  if (account === undefined) return undefined;
  return { scheme: lite ? 'SharedKeyLite' : 'SharedKey', account, signature };
}

/** The date that the signature covers: x-ms-date wins, also over a Date that is newer (protocol: authentication#shared-key-for-tables). */
export function signedDate({ headers }: WireRequest): string | undefined {
  return headers['x-ms-date'] ?? headers.date;
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

const methodAndContent = ({ method, headers }: WireRequest): string =>
  `${method}\n${headers['content-md5'] ?? ''}\n${headers['content-type'] ?? ''}`;

/**
 * The possible strings to sign, the path as it was sent first; each is built only on demand. The canonical resource is the account, the
 * path and of the query only `comp`: in path style it has the account twice. None where a parameter that is signed comes more than once.
 */
export function* tableStringsToSign(
  scheme: SharedKeyCredential['scheme'],
  request: WireRequest,
  route: ServiceRoute,
): Generator<string, void> {
  if (route.query instanceof RepeatedParameters && route.query.names.has('comp')) return;
  const date = signedDate(request) ?? '';
  const opening = scheme === 'SharedKeyLite' ? date : `${methodAndContent(request)}\n${date}`;
  const comp = route.query.get('comp');
  const query = comp === undefined ? '' : `?comp=${comp}`;
  yield `${opening}\n/${route.account}${route.path}${query}`;
  for (const path of otherSpellings(route)) yield `${opening}\n/${route.account}${path}${query}`;
}
