// Digests of the part of a blob that is read, and contents wrapped as structured messages, for clients that request them
// (protocol: blob-requests#ranges, blob-requests#structured-bodies); digests of a document.
import { createHash } from 'node:crypto';
import { Crc64 } from '#base';
import { BlobError, type Digests, mismatchOf, type Operation, type Outcome } from '#blobs';
import type { Header, StorageAnswer } from '#wire';
import {
  digestsSent,
  flagOf,
  type Headers,
  STRUCTURED_FORM,
  tellsMd5,
  wrapped,
  wrappedLength,
} from '#wire/blob';
import { single } from '../../frame/handle-request.js';

/** Azure's maximum. */
const BYTES_MAX = 4 * 1_048_576;
const MD5 = 'x-ms-range-get-content-md5';
const CRC64 = 'x-ms-range-get-content-crc64';

type GetBlob = Extract<Operation, { kind: 'getBlob' }>;
type Content = Extract<Outcome, { kind: 'blobContent' }>;

interface WantedDigests {
  readonly md5: boolean;
  readonly crc64: boolean;
}

/** @throws BlobError InvalidHeaderValue for a request without a range, or for both digests. */
export function wantedDigests(headers: Headers, { range }: GetBlob): WantedDigests | undefined {
  const wanted = { md5: flagOf(headers, MD5), crc64: flagOf(headers, CRC64) };
  if (!wanted.md5 && !wanted.crc64) return undefined;
  const name = wanted.md5 ? MD5 : CRC64;
  if (range === undefined || (wanted.md5 && wanted.crc64))
    throw new BlobError('InvalidHeaderValue', { name, value: headers[name] ?? '' });
  return wanted;
}

async function letGo(content: Content['content']): Promise<void> {
  if (!Buffer.isBuffer(content)) await content[Symbol.asyncIterator]().return?.();
}

async function collected(content: Content['content']): Promise<Buffer> {
  if (Buffer.isBuffer(content)) return content;
  const pieces: Buffer[] = [];
  for await (const piece of content) pieces.push(piece);
  return Buffer.concat(pieces);
}

interface Digested {
  readonly outcome: Outcome;
  readonly headers: readonly Header[];
}

/** A part with a digest is buffered as a whole. @throws BlobError OutOfRangeInput for one that is too large. */
export async function withDigests(outcome: Outcome, wanted: WantedDigests): Promise<Digested> {
  if (outcome.kind !== 'blobContent' || outcome.range === undefined) return { outcome, headers: [] };
  const { from, until } = outcome.range;
  if (until - from > BYTES_MAX) {
    await letGo(outcome.content);
    throw new BlobError('OutOfRangeInput');
  }
  const content = await collected(outcome.content);
  const header: Header = wanted.md5
    ? ['Content-MD5', createHash('md5').update(content).digest('base64')]
    : ['x-ms-content-crc64', new Crc64().update(content).digest().toString('base64')];
  return { outcome: { ...outcome, content }, headers: [header] };
}

/** The answer to a request that wants, or sends, its content as a structured message. */
export function inForm(answer: StorageAnswer, outcome: Outcome): StorageAnswer {
  const form: Header = ['x-ms-structured-body', STRUCTURED_FORM];
  // Of an upload, that its digests were looked at.
  if (outcome.kind !== 'blobContent') return { ...answer, more: [...answer.more, form] };
  const { content } = outcome;
  const length = typeof answer.length === 'number' ? answer.length : 0;
  return {
    ...answer,
    body: wrapped(Buffer.isBuffer(content) ? single(content) : content, length),
    length: wrappedLength(length),
    more: [...answer.more, form, ['x-ms-structured-content-length', String(length)]],
  };
}

/**
 * Put Block List returns and compares them as other operations do those of a content (protocol: blob-requests#digests).
 *
 * @throws BlobError Md5Mismatch, Crc64Mismatch, BothCrc64AndMd5HeaderPresent, InvalidMd5, InvalidHeaderValue.
 */
export function documentDigests(headers: Headers, body: Buffer, version: string): Digests {
  const { md5, crc64 } = digestsSent(headers, 'content-md5', 'x-ms-content-crc64');
  const own = { md5: createHash('md5').update(body).digest(), crc64: new Crc64().update(body).digest() };
  const mismatch = mismatchOf({ md5, crc64 }, own);
  if (mismatch) throw mismatch;
  return { md5: tellsMd5(headers, version) ? own.md5 : undefined, crc64: own.crc64 };
}
