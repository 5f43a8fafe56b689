// Shared Key and Shared Key Lite: parses the header and builds the strings to sign, for tables (protocol:
// authentication#shared-key-for-tables), and for blobs and queues (protocol: authentication#shared-key-for-queues-and-blobs).
// The server has the keys and the clock, and compares signatures.
import type { WireRequest } from '#base';
import { RepeatedParameters, repeatedOf, type ServiceRoute } from '../shared/target.js';
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

/** From the lightest to the heaviest; `'` and `-` are ignored at first and only break ties. */
const WEIGHTS = '!#$%&*.^_`|~+0123456789abcdefghijklmnopqrstuvwxyz';
const TIE_BREAKERS = "'-";

const weightOf = (char: string | undefined): number => (char === undefined ? -1 : WEIGHTS.indexOf(char));
const isTieBreaker = (char: string | undefined): boolean => char !== undefined && TIE_BREAKERS.includes(char);

function compareWeights(one: string, other: string): number {
  for (let i = 0, j = 0; ; i++, j++) {
    while (isTieBreaker(one[i])) i++;
    while (isTieBreaker(other[j])) j++;
    const difference = weightOf(one[i]) - weightOf(other[j]);
    if (difference !== 0 || one[i] === undefined) return difference;
  }
}

/** Of names that differ only in tie breakers, the one with the earlier tie breaker is the greater; `-` is greater than `'`. */
function compareTieBreakers(one: string, other: string): number {
  for (let i = 0; i < Math.max(one.length, other.length); i++) {
    const difference = TIE_BREAKERS.indexOf(one[i] ?? ' ') - TIE_BREAKERS.indexOf(other[i] ?? ' ');
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Compares names in lower case as the Blob and Queue services sort the headers that are signed (protocol: authentication#order-of-signed-headers):
 * their front end compares as an English dictionary does, and the official clients follow it. Old clients sort by code.
 */
export const compareHeaderNames = (one: string, other: string): number =>
  compareWeights(one, other) || compareTieBreakers(one, other);

/** The part of a route that a signature covers. */
export type SignedTarget = Pick<ServiceRoute, 'account' | 'secondary' | 'path' | 'alsoSigned' | 'query'>;

type Order = (one: string, other: string) => number;

const SIGNED_BEFORE_DATE = [
  'content-encoding',
  'content-language',
  'content-length',
  'content-md5',
  'content-type',
];
const SIGNED_AFTER_DATE = ['if-modified-since', 'if-match', 'if-none-match', 'if-unmodified-since', 'range'];
const PREFIX = 'x-ms-';
/** Of the query; the other scheme signs all of it. */
const LITE_PARAMETERS = ['comp'];
/** Earlier versions sign a length of 0 as `0`, later ones as an empty text. */
const VERSION_OF_EMPTY_LENGTH = '2015-02-21';
/** Earlier versions leave headers out that are empty. */
const VERSION_OF_EMPTY_HEADERS = '2016-05-31';

const byCode: Order = (one, other) => (one < other ? -1 : one > other ? 1 : 0);

function canonicalHeaders(headers: WireRequest['headers'], order: Order): string {
  const withEmpty = (headers['x-ms-version'] ?? '') >= VERSION_OF_EMPTY_HEADERS;
  const names = Object.keys(headers).filter(name => name.startsWith(PREFIX));
  return names
    .sort(order)
    .map(name => {
      const value = headers[name]?.trim() ?? '';
      return value === '' && !withEmpty ? '' : `${name}:${value}\n`;
    })
    .join('');
}

/** The query's parameters by name, each on a line; Lite has `comp` alone, as in a URL. */
function canonicalQuery(scheme: SharedKeyCredential['scheme'], query: SignedTarget['query']): string {
  if (scheme === 'SharedKeyLite') {
    const comp = query.get('comp');
    return comp === undefined ? '' : `?comp=${comp}`;
  }
  const names = [...query.keys()].sort(byCode);
  return names.map(name => `\n${name}:${query.get(name)}`).join('');
}

function headerLines({ headers }: WireRequest, scheme: SharedKeyCredential['scheme']): string {
  // x-ms-date is signed among the x-ms headers where it is sent.
  const date = headers['x-ms-date'] === undefined ? (headers.date ?? '') : '';
  if (scheme === 'SharedKeyLite')
    return `${headers['content-md5'] ?? ''}\n${headers['content-type'] ?? ''}\n${date}\n`;
  const lineOf = (name: string): string => {
    const value = headers[name] ?? '';
    const isNothing =
      name === 'content-length' &&
      value === '0' &&
      (headers['x-ms-version'] ?? '') >= VERSION_OF_EMPTY_LENGTH;
    return `${isNothing ? '' : value}\n`;
  };
  return `${SIGNED_BEFORE_DATE.map(lineOf).join('')}${date}\n${SIGNED_AFTER_DATE.map(lineOf).join('')}`;
}

/** The path as it was sent, and the one of clients that leave out `-secondary` or the other one of a part of a batch. */
function spellings({ account, secondary, path, alsoSigned }: SignedTarget): readonly string[] {
  if (alsoSigned !== undefined) return [path, alsoSigned];
  const prefix = `/${account}-secondary`;
  return secondary && path.startsWith(prefix) ? [path, `/${account}${path.slice(prefix.length)}`] : [path];
}

/** The headers as Latin-1, and as UTF-8, which clients that send it sign. Invalid UTF-8 would stand for several texts. */
function* readings(request: WireRequest): Generator<WireRequest, void> {
  yield request;
  const values = Object.entries(request.headers);
  if (!values.some(([, value]) => /[\x80-\xff]/.test(value ?? ''))) return;
  const decoded = values.map(
    ([name, value = '']) => [name, Buffer.from(value, 'latin1').toString()] as const,
  );
  if (decoded.every(([, value]) => !value.includes('\ufffd')))
    yield { ...request, headers: Object.fromEntries(decoded) };
}

/**
 * The possible strings to sign of a request, the likeliest first, each built only on demand: official clients sort headers in dictionary
 * order, older ones by code; the orders differ for few names. None where a parameter that is signed comes more than once.
 */
export function* storageStringsToSign(
  scheme: SharedKeyCredential['scheme'],
  request: WireRequest,
  target: SignedTarget,
): Generator<string, void> {
  const signed = scheme === 'SharedKeyLite' ? LITE_PARAMETERS : [...target.query.keys()];
  if (repeatedOf(target.query, signed) !== undefined) return;
  const query = canonicalQuery(scheme, target.query);
  for (const read of readings(request)) {
    const lines = `${read.method}\n${headerLines(read, scheme)}`;
    let before: string | undefined;
    for (const order of [compareHeaderNames, byCode]) {
      const headers = canonicalHeaders(read.headers, order);
      if (headers === before) break;
      before = headers;
      for (const path of spellings(target)) yield `${lines}${headers}/${target.account}${path}${query}`;
    }
  }
}
