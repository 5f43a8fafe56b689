// A whole request to the Table service: an operation, mutated in some of its parts before it is signed, so that
// mutations get past authentication.
import fc from 'fast-check';
import { below, chance, from, maybe, seldom, weighted } from '../../random/arbitrary.js';
import { ACCOUNT, credentials } from '../credentials.js';
import { batch } from '../texts/batch-text.js';
import { mutations } from '../texts/mutate.js';
import { operation, type PlainRequest } from '../texts/operation-text.js';
import { percentEncode } from '../texts/percent-encode.js';

export interface FuzzRequest {
  /** Default tables. */
  readonly service?: 'blob';
  readonly method: string;
  readonly target: string;
  /** Names in lower case, as the server hands them on. */
  readonly headers: Readonly<Record<string, string>>;
  /** A character for each byte. */
  readonly body: string;
}

export const HOST = '127.0.0.1:10002';

const METHOD = from(['GET', 'POST', 'PUT', 'MERGE', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE']);
const HEADER_NAMES =
  `accept content-type if-match if-none-match prefer x-http-method origin x-ms-version x-ms-client-request-id
  content-md5 host date x-ms-date dataserviceversion __proto__ constructor`.split(/\s+/);
const VERSION = from(['2019-02-02', '2019-02-02', '2020-12-06', '2017-04-17', '2026-10-06']);
const OTHER_HOSTS = [`${ACCOUNT}.table.localhost`, 'localhost', 'other.example', '[::1]:10002', ''];
const LONG_BYTES = 32_768;

/** Percent-encodes what a request line cannot contain, since no connection would accept it. */
export const inTarget = (text: string): string =>
  text.replace(/[^!-~]/gu, character => percentEncode(character));

/** Drops what a header cannot contain. */
export const inHeader = (text: string): string => text.replace(/[^\t -~\u0080-\u00ff]/g, '').trim();

/** UTF-8. */
export const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

const TARGET_LENGTH_MAX = 60_000;
const HEADER_LENGTH_MAX = 8_000;

/** Adds a header of any name, or mutates or drops one of the request. */
const headerChange: fc.Arbitrary<(headers: PlainRequest['headers']) => PlainRequest['headers']> = fc
  .tuple(from(HEADER_NAMES), chance(50), below(HEADER_NAMES.length), mutations(95), chance(10))
  .map(([other, isOther, at, change, isDropped]) => headers => {
    const own = [...Object.keys(headers), 'accept'];
    const name = isOther ? other : (own[at % own.length] ?? other);
    // A map, because `__proto__` can be a header's name too.
    const left = new Map(Object.entries(headers));
    if (isDropped) left.delete(name);
    else left.set(name, inHeader(change(left.get(name) ?? '*')).slice(0, HEADER_LENGTH_MAX));
    return Object.fromEntries(left);
  });
const headerChanges = seldom(
  7,
  headerChange,
  fc.constant((headers: PlainRequest['headers']) => headers),
);

const account = seldom(
  3,
  from([`${ACCOUNT}-secondary`, `${ACCOUNT}-secondary`, 'nobody', '__proto__', 'constructor', '']),
  fc.constant(ACCOUNT),
);
const sound = seldom(15, batch(account), operation).map(sent => ({ ...sent, body: bytesOf(sent.body) }));
const plain = fc
  .tuple(sound, maybe(2, METHOD), mutations(7), mutations(7), headerChanges, mutations(15))
  .map(([{ method, path, query, headers, body }, other, inPath, inQuery, inHeaders, inBody]) => ({
    method: other ?? method,
    path: inPath(path),
    query: inQuery(query),
    headers: inHeaders(headers),
    body: inBody(body),
  }));
const host = seldom(2, from(OTHER_HOSTS), fc.constant(HOST));
const long = weighted([999, ''], [1, `x=${'x'.repeat(LONG_BYTES)}`]);

/** `bearer` is a token of the local issuer. */
export const tableRequests = (bearer: string): fc.Arbitrary<FuzzRequest> =>
  fc
    .tuple(plain, account, host, long, chance(1), VERSION, credentials)
    .map(([{ method, path, query, headers, body }, account, host, long, isAbsolute, version, sign]) => {
      const isHostStyle = host.startsWith(`${ACCOUNT}.`);
      const options = [query, long].filter(each => each !== '').join('&');
      const below = `${isHostStyle ? '' : `/${account}`}/${path}${options === '' ? '' : `?${options}`}`;
      const target = inTarget(below).slice(0, TARGET_LENGTH_MAX);
      const signed = sign({ method, target, headers: { host, 'x-ms-version': version, ...headers } }, bearer);
      return { ...signed, target: isAbsolute ? `http://${HOST}${signed.target}` : signed.target, body };
    });
