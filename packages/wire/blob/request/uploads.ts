// The body of an upload: its length, its limit by version, the digests that the client sent (protocol: blob-requests#digests,
// blob-requests#limits-by-version), and structured messages, the form in which newer clients wrap it
// (protocol: blob-requests#structured-bodies).
import { Crc64 } from '#base';
import { BlobError, type OperationKind, type Upload } from '#blobs';
import { crc64Of, type Headers, invalidHeader, md5Of, required, sent, wholeHeader } from './header-values.js';

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

/** Operations whose content is elsewhere or none. */
export const WITHOUT_BODY: ReadonlySet<OperationKind> = new Set<OperationKind>([
  'putAppendBlob',
  'putPageBlob',
  'putBlobFromUrl',
  'putBlockFromUrl',
  'appendBlockFromUrl',
  'clearPages',
  'putPagesFromUrl',
]);

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

const HEADER = 'x-ms-structured-body';
const LENGTH_HEADER = 'x-ms-structured-content-length';
export const STRUCTURED_FORM = 'XSM/1.0; properties=crc64';
const HEAD_BYTES = 13;
const SEGMENT_HEAD_BYTES = 10;
const CRC_BYTES = 8;
const VERSION = 1;
const FLAG_CRC64 = 1;
const SEGMENT_BYTES_MAX = 4 * 1_048_576;

/** Whether the request uses structured messages. @throws BlobError InvalidHeaderValue for another form of them. */
export function isStructured(headers: Headers): boolean {
  const text = sent(headers, HEADER);
  if (text === undefined) return false;
  if (text.replaceAll(' ', '').toLowerCase() !== STRUCTURED_FORM.replaceAll(' ', '').toLowerCase())
    throw invalidHeader(HEADER, text);
  return true;
}

/** Of the content alone. @throws BlobError MissingRequiredHeader, InvalidHeaderValue. */
export function structuredLength(headers: Headers): number {
  required(headers, LENGTH_HEADER);
  return wholeHeader(headers, LENGTH_HEADER) ?? 0;
}

const malformed = (): BlobError => new BlobError('InvalidInput');

/** Takes exact numbers of bytes from pieces of any length. */
class Source {
  readonly #pieces: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Buffer>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  async #fill(): Promise<boolean> {
    while (this.#rest.length === 0) {
      const next = await this.#pieces.next();
      if (next.done) return false;
      this.#rest = next.value;
    }
    return true;
  }

  /** At least one byte and at most this many. @throws BlobError InvalidInput at the end. */
  async some(bytesMax: number): Promise<Buffer> {
    if (!(await this.#fill())) throw malformed();
    const piece = this.#rest.subarray(0, bytesMax);
    this.#rest = this.#rest.subarray(piece.length);
    return piece;
  }

  async exactly(bytes: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    for (let left = bytes; left > 0; ) {
      const part = await this.some(left);
      // A piece may change once the next one is read.
      parts.push(Buffer.from(part));
      left -= part.length;
    }
    return Buffer.concat(parts);
  }

  async isAtEnd(): Promise<boolean> {
    return !(await this.#fill());
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

function checkSum(user: Buffer, server: Buffer): void {
  if (user.equals(server)) return;
  throw new BlobError('Crc64Mismatch', {
    userCrc64: user.toString('base64'),
    serverCrc64: server.toString('base64'),
  });
}

async function* segment(source: Source, length: number, all: Crc64): AsyncGenerator<Buffer, void, undefined> {
  const sum = new Crc64();
  for (let left = length; left > 0; ) {
    const piece = await source.some(left);
    left -= piece.length;
    sum.update(piece);
    all.update(piece);
    yield piece;
  }
  checkSum(await source.exactly(CRC_BYTES), sum.digest());
}

/**
 * The content of a message, of as many bytes as the request says: what was checked of that number holds of the bytes too.
 *
 * @throws BlobError InvalidInput, Crc64Mismatch.
 */
export async function* unwrapped(
  pieces: AsyncIterable<Buffer>,
  contentLength: number,
): AsyncGenerator<Buffer, void, undefined> {
  const source = new Source(pieces);
  try {
    const head = await source.exactly(HEAD_BYTES);
    if (head.readUInt8(0) !== VERSION || head.readUInt16LE(9) !== FLAG_CRC64) throw malformed();
    const segments = head.readUInt16LE(11);
    const all = new Crc64();
    let left = contentLength;
    for (let number = 1; number <= segments; number++) {
      const start = await source.exactly(SEGMENT_HEAD_BYTES);
      const length = start.readBigUInt64LE(2);
      if (start.readUInt16LE(0) !== number || length > BigInt(left)) throw malformed();
      left -= Number(length);
      yield* segment(source, Number(length), all);
    }
    if (left > 0) throw malformed();
    checkSum(await source.exactly(CRC_BYTES), all.digest());
    if (!(await source.isAtEnd())) throw malformed();
  } finally {
    await source.close();
  }
}

const segmentsOf = (length: number): number => Math.max(1, Math.ceil(length / SEGMENT_BYTES_MAX));

/** How many bytes a content takes as a message. */
export const wrappedLength = (length: number): number =>
  HEAD_BYTES + segmentsOf(length) * (SEGMENT_HEAD_BYTES + CRC_BYTES) + length + CRC_BYTES;

function headOf(length: number): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(VERSION, 0);
  head.writeBigUInt64LE(BigInt(wrappedLength(length)), 1);
  head.writeUInt16LE(FLAG_CRC64, 9);
  head.writeUInt16LE(segmentsOf(length), 11);
  return head;
}

function segmentHead(number: number, length: number): Buffer {
  const head = Buffer.alloc(SEGMENT_HEAD_BYTES);
  head.writeUInt16LE(number, 0);
  head.writeBigUInt64LE(BigInt(length), 2);
  return head;
}

/** A content of this many bytes as a message. */
export async function* wrapped(
  pieces: AsyncIterable<Buffer>,
  length: number,
): AsyncGenerator<Buffer, void, undefined> {
  const source = new Source(pieces);
  const all = new Crc64();
  try {
    yield headOf(length);
    for (let number = 1, left = length; number <= segmentsOf(length); number++) {
      const bytes = Math.min(left, SEGMENT_BYTES_MAX);
      left -= bytes;
      yield segmentHead(number, bytes);
      const sum = new Crc64();
      for (let rest = bytes; rest > 0; ) {
        const piece = await source.some(rest);
        rest -= piece.length;
        sum.update(piece);
        all.update(piece);
        yield piece;
      }
      yield sum.digest();
    }
    yield all.digest();
  } finally {
    await source.close();
  }
}
