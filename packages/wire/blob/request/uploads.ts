// The body of an upload: its length, its limit by version, and the digests that the client sent
// (protocol: blob-requests#digests, blob-requests#limits-by-version).
import { BlobError, type Upload } from '#blobs';
import { crc64Of, type Headers, invalidHeader, md5Of, sent } from './header-values.js';
import { isStructured, structuredLength, unwrapped } from './structured-body.js';

const MIB = 1_048_576;

/** From a version on, in bytes; the newest first. */
type Limits = readonly (readonly [version: string, bytesMax: number])[];

export const PUT_BLOB_LIMITS: Limits = [
  ['2019-12-12', 5000 * MIB],
  ['2016-05-31', 256 * MIB],
  ['', 64 * MIB],
];
export const BLOCK_LIMITS: Limits = [
  ['2019-12-12', 4000 * MIB],
  ['2016-05-31', 100 * MIB],
  ['', 4 * MIB],
];
export const APPEND_LIMITS: Limits = [
  ['2022-11-02', 100 * MIB],
  ['', 4 * MIB],
];
export const PAGES_LIMITS: Limits = [['', 4 * MIB]];

/** Up to this version answers include the MD5 of a block even if the request had none (recorded). */
const LAST_VERSION_OF_MD5 = '2019-02-02';

/** A body that came with its head is one piece. */
export interface IncomingBody {
  /** Undefined where it comes in chunks. */
  readonly length: number | undefined;
  readonly pieces: AsyncIterable<Buffer>;
}

/** @throws BlobError BothCrc64AndMd5HeaderPresent, InvalidMd5, InvalidHeaderValue. */
export function digestsSent(
  headers: Headers,
  md5Name: string,
  crc64Name: string,
): { readonly md5: Buffer | undefined; readonly crc64: Buffer | undefined } {
  const md5 = md5Of(headers, md5Name);
  const crc64 = crc64Of(headers, crc64Name);
  if (md5 !== undefined && crc64 !== undefined) throw new BlobError('BothCrc64AndMd5HeaderPresent');
  return { md5, crc64 };
}

/** Whether the answer includes the MD5 of the body. */
export const tellsMd5 = (headers: Headers, version: string): boolean =>
  version <= LAST_VERSION_OF_MD5 || sent(headers, 'content-md5') !== undefined;

export interface UploadRules {
  readonly version: string;
  readonly limits: Limits;
  readonly mayBeEmpty: boolean;
}

const withoutLength = (): BlobError =>
  new BlobError('MissingContentLengthHeader', { name: 'Content-Length' });

/** Writes of content need a Content-Length, even for an empty body (protocol: blob-requests#headers). @throws BlobError MissingContentLengthHeader. */
export function checkLengthSent(headers: Headers): void {
  if (headers['content-length'] === undefined) throw withoutLength();
}

/** @throws BlobError MissingContentLengthHeader, InvalidHeaderValue for a body where none belongs. */
export function checkNoBody(headers: Headers): void {
  checkLengthSent(headers);
  const length = headers['content-length'] ?? '';
  if (!/^0+$/.test(length)) throw invalidHeader('Content-Length', length);
}

/** @throws BlobError MissingContentLengthHeader, RequestBodyTooLarge, InvalidHeaderValue, BothCrc64AndMd5HeaderPresent, InvalidMd5. */
export function uploadOf(
  headers: Headers,
  body: IncomingBody,
  { version, limits, mayBeEmpty }: UploadRules,
): Upload {
  if (headers['content-length'] === undefined || body.length === undefined) throw withoutLength();
  const { md5, crc64 } = digestsSent(headers, 'content-md5', 'x-ms-content-crc64');
  const isWrapped = isStructured(headers);
  const length = isWrapped ? structuredLength(headers) : body.length;
  if (length === 0 && !mayBeEmpty) throw invalidHeader('Content-Length', '0');
  const limit = limits.find(([since]) => version >= since)?.[1] ?? 0;
  if (length > limit) throw new BlobError('RequestBodyTooLarge', { limit });
  return {
    length,
    pieces: isWrapped ? unwrapped(body.pieces, length) : body.pieces,
    md5,
    crc64,
    wantsMd5: tellsMd5(headers, version),
  };
}
