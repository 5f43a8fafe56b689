// Resume tokens: the text by which a query continues in this process or in another. It holds a position, which is keys and no other data, and a hash of
// the query. row-results.ts and fan-out.ts define their positions.
import { fromBase64Url, fromUtf8, toBase64Url, toUtf8 } from '../values/bytes.js';
import { PatternError } from '../values/pattern-error.js';
import { hmacSha256, isSameSecret, sha256 } from '../values/sha256.js';

const VERSION = 1;
const HASH_LENGTH = 16;
const SEAL_BYTES = 16;

function mismatch(reason: string): never {
  throw new PatternError('TokenMismatch', { reason });
}

/** Of everything by which two queries can differ. */
export const queryHash = (parts: readonly unknown[]): string =>
  toBase64Url(sha256(toUtf8(JSON.stringify(parts)))).slice(0, HASH_LENGTH);

const seal = (body: Uint8Array, secret: Uint8Array): Uint8Array =>
  hmacSha256(secret, body).subarray(0, SEAL_BYTES);

interface Content {
  readonly v: number;
  readonly q: string;
  readonly at: unknown;
}

/** `at` is the position, which JSON must be able to hold. With a secret nobody else can make or change the token. */
export function formatToken(hash: string, at: unknown, secret: Uint8Array | undefined): string {
  const content: Content = { v: VERSION, q: hash, at };
  const body = toUtf8(JSON.stringify(content));
  return toBase64Url(secret === undefined ? body : Uint8Array.of(...body, ...seal(body, secret)));
}

const isContent = (value: unknown): value is Content =>
  typeof value === 'object' && value !== null && 'v' in value && 'q' in value && 'at' in value;

function unsealed(bytes: Uint8Array, secret: Uint8Array | undefined): Uint8Array {
  if (secret === undefined) return bytes;
  const body = bytes.subarray(0, Math.max(0, bytes.length - SEAL_BYTES));
  const found = bytes.subarray(body.length);
  if (found.length !== SEAL_BYTES || !isSameSecret(found, seal(body, secret)))
    mismatch('its seal is not that of this program');
  return body;
}

/** The position in the token. Throws TokenMismatch for one of another query, another version or another program. */
export function parseToken(token: string, hash: string, secret: Uint8Array | undefined): unknown {
  const bytes = fromBase64Url(token) ?? mismatch('it is no token of this library');
  const body = unsealed(bytes, secret);
  let content: unknown;
  try {
    content = JSON.parse(fromUtf8(body));
  } catch {
    return mismatch('it is no token of this library');
  }
  if (!isContent(content)) return mismatch('it is no token of this library');
  if (content.v !== VERSION) mismatch(`it is of version ${String(content.v).slice(0, 20)}`);
  if (content.q !== hash) mismatch('it was made by another query');
  return content.at;
}
