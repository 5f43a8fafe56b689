// Shared Key and Shared Key Lite of the Blob and Queue services: builds the strings to sign
// (protocol: authentication#shared-key-for-queues-and-blobs). Tables sign less (shared-key.ts), which also reads the header. The
// server has the keys and the clock, and compares signatures.
import type { WireRequest } from '#base';
import { repeatedOf } from '../shared/repeated-parameters.js';
import type { ServiceRoute } from '../shared/target.js';
import { compareHeaderNames } from './header-order.js';
import type { SharedKeyCredential } from './shared-key.js';

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
