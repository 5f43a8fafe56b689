// Resume tokens: the text by which a query continues in this process or in another. It holds a position, which is keys and no other data, and a hash of
// the query. table-query.ts and fan-out.ts define their positions.
import { hashText } from '../../model/keys/hash-bucket.js';
import { fromBase64Url, fromUtf8, joinBytes, toBase64Url, toUtf8 } from '../../values/bytes.js';
import { isObject } from '../../values/is-object.js';
import { PatternError } from '../../values/pattern-error.js';

const VERSION = 2;
/** Of HMAC with SHA-256. */
const SEAL_BYTES = 32;
const NO_TOKEN = 'it is not a token of this library';

function mismatch(reason: string): never {
  throw new PatternError('TokenMismatch', { reason });
}

/** Detects tokens of other queries that a program mixes up by mistake; the seal, which covers all of the query, is against deliberate changes. */
const queryHash = (query: string): string =>
  [query, `:${query}`].map(text => hashText(text).toString(36)).join('.');

/** By Web Crypto, which browsers have where pages are secure. */
const keyOf = (secret: Uint8Array) =>
  crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

/** What is sealed: the token, and the query that it is of. */
const sealed = (query: string, body: Uint8Array): Uint8Array => joinBytes([body, toUtf8(query)]);

/**
 * `query` is a text of everything by which two queries can differ, `at` the position, which must be valid JSON. With a secret, no other party can make or change the
 * token.
 */
export async function formatToken(
  query: string,
  at: unknown,
  secret: Uint8Array | undefined,
): Promise<string> {
  const body = toUtf8(JSON.stringify({ v: VERSION, q: queryHash(query), at }));
  if (secret === undefined) return toBase64Url(body);
  const seal = await crypto.subtle.sign('HMAC', await keyOf(secret), sealed(query, body));
  return toBase64Url(joinBytes([new Uint8Array(seal), body]));
}

function contentOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const content: unknown = JSON.parse(fromUtf8(body));
    if (isObject(content) && 'v' in content && 'at' in content) return content;
  } catch {
    // It is refused below, like every other text.
  }
  return mismatch(NO_TOKEN);
}

async function unsealed(query: string, bytes: Uint8Array, secret: Uint8Array): Promise<Uint8Array> {
  const body = bytes.subarray(SEAL_BYTES);
  const seal = bytes.subarray(0, SEAL_BYTES);
  if (!(await crypto.subtle.verify('HMAC', await keyOf(secret), seal, sealed(query, body))))
    mismatch('its seal is of another program or query');
  return body;
}

/** The position in the token. Throws TokenMismatch for one of another query, another version or another program. */
export async function parseToken(
  token: string,
  query: string,
  secret: Uint8Array | undefined,
): Promise<unknown> {
  const bytes = fromBase64Url(token) ?? mismatch(NO_TOKEN);
  const { v, q, at } = contentOf(secret === undefined ? bytes : await unsealed(query, bytes, secret));
  if (v !== VERSION) mismatch(`it is of version ${String(v).slice(0, 20)}`);
  if (q !== queryHash(query)) mismatch('it was made by another query');
  return at;
}
