// Receives a body: a small one stays in memory and goes into a row, a larger one becomes a content before any row names
// it. Its digests are computed as it arrives, and compared with those that the client sent
// (protocol: blob-requests#digests); the CRC-64 of a content is stored with it.

import { createHash, hash } from 'node:crypto';
import { Crc64 } from '#base';
import { type ContentWriter, type Space, StoreError } from '#store';
import type { BlobContext, OffThreadMd5, OpenMd5 } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import type { Digests } from '../outcome.js';

const NOTHING = Buffer.alloc(0);

/** The MD5 of a body, computed only on request. */
class Md5Sum {
  readonly #isWanted: boolean;
  readonly #length: number | undefined;
  readonly #offThread: OffThreadMd5 | undefined;
  #md5: ReturnType<typeof createHash> | undefined;
  /** That of a body that came as one piece, like most small ones: one call costs half as much as three. */
  #ofWhole: Buffer | undefined;

  /**
   * @param length of the body, where it is known.
   * @param openMd5 for a body that is long enough.
   */
  constructor(isWanted: boolean, length: number | undefined, openMd5: OpenMd5 | undefined) {
    this.#isWanted = isWanted;
    this.#length = length;
    this.#offThread = isWanted ? openMd5?.() : undefined;
  }

  /** The piece may change once this has returned, or the promise, where it has to be waited for, is fulfilled. */
  update(piece: Buffer): Promise<void> | undefined {
    if (!this.#isWanted || piece.length === 0) return undefined;
    if (this.#offThread !== undefined) return this.#offThread.update(piece);
    if (piece.length === this.#length) {
      this.#ofWhole = hash('md5', piece, 'buffer');
      return undefined;
    }
    this.#md5 ??= createHash('md5');
    this.#md5.update(piece);
    return undefined;
  }

  /** To be called once. */
  end(): Buffer | undefined | Promise<Buffer> {
    if (this.#offThread !== undefined) return this.#offThread.end();
    if (!this.#isWanted) return undefined;
    return this.#ofWhole ?? this.#md5?.digest() ?? hash('md5', NOTHING, 'buffer');
  }

  /** Abandons the sum; after the end nothing is left to drop. */
  drop(): void {
    this.#offThread?.drop();
  }
}

/** The digests that a client sent with a body. */
interface SentDigests {
  readonly md5: Buffer | undefined;
  readonly crc64: Buffer | undefined;
}

/** The error for a body that does not match the digests sent with it. */
export function mismatchOf(sent: SentDigests, digests: Digests): BlobError | undefined {
  if (sent.md5 !== undefined && digests.md5 !== undefined && !sent.md5.equals(digests.md5))
    return new BlobError('Md5Mismatch', {
      userMd5: sent.md5.toString('base64'),
      serverMd5: digests.md5.toString('base64'),
    });
  if (sent.crc64 !== undefined && !sent.crc64.equals(digests.crc64))
    return new BlobError('Crc64Mismatch', {
      userCrc64: sent.crc64.toString('base64'),
      serverCrc64: digests.crc64.toString('base64'),
    });
  return undefined;
}

/** Up to this length a content is part of its row: one commit, one read. */
export const INLINE_BYTES_MAX = 16_384;
/** From this length on the MD5 of a body is computed off the event loop, where it would take 1.3 ms a MB. */
const BESIDE_BYTES_MIN = 1_048_576;

/** A body as it arrives. An Upload is one, and so is the source of a copy. */
export interface Incoming extends SentDigests {
  readonly length: number | undefined;
  /** Each piece may change once the next one is read. */
  readonly pieces: AsyncIterable<Buffer>;
}

export interface Received {
  readonly length: number;
  readonly digests: Digests;
  /** The digest error, thrown after all other checks pass (protocol: conditions#order-of-checks). */
  readonly mismatch: BlobError | undefined;
  /** Where it is small. */
  readonly inline: Buffer | undefined;
  /** Where it is large: finished, and to be settled by `keep` or `giveUp`. */
  readonly writer: ContentWriter | undefined;
}

interface Receiving {
  readonly withMd5: boolean;
  /** Called before a large body is stored, so that a request which would be refused anyway stores nothing. */
  readonly precheck: () => Promise<void>;
  readonly bytesMax: number;
}

/** A content that `write` fills: durable, and to be settled; dropped if anything fails on the way. */
export async function writeContent(
  { content }: Pick<BlobContext, 'content'>,
  space: Space,
  write: (writer: ContentWriter) => Promise<void>,
): Promise<ContentWriter> {
  const writer = await content.create(space);
  try {
    await write(writer);
    await writer.finish();
    return writer;
  } catch (error) {
    await writer.discard();
    throw error;
  }
}

/** Rejects with BlobError RequestBodyTooLarge, and with the body's own errors. */
export async function receive(
  { content, openMd5 }: BlobContext,
  space: Space,
  incoming: Incoming,
  { withMd5, precheck, bytesMax }: Receiving,
): Promise<Received> {
  const isLong = incoming.length !== undefined && incoming.length >= BESIDE_BYTES_MIN;
  const early: Buffer[] = [];
  let length = 0;
  let writer: ContentWriter | undefined;
  let crc64: Buffer | undefined;
  let md5: Buffer | undefined;
  if (incoming.length !== undefined && incoming.length > bytesMax) throw tooLarge(bytesMax);
  const sum = new Md5Sum(
    withMd5 || incoming.md5 !== undefined,
    incoming.length,
    isLong ? openMd5 : undefined,
  );
  try {
    for await (const piece of incoming.pieces) {
      length += piece.length;
      if (length > bytesMax) throw tooLarge(bytesMax);
      if (writer === undefined && length <= INLINE_BYTES_MAX) {
        const summing = sum.update(piece);
        if (summing !== undefined) await summing;
        early.push(Buffer.from(piece));
        continue;
      }
      if (writer === undefined) {
        await precheck();
        writer = await content.create(space);
        for (const each of early) await writer.write(each);
      }
      // Computed while it is written.
      const writing = writer.write(piece);
      await Promise.all([writing, sum.update(piece)]);
    }
    crc64 = await writer?.finish();
    const ended = sum.end();
    md5 = ended instanceof Promise ? await ended : ended;
  } catch (error) {
    sum.drop();
    await writer?.discard();
    throw error;
  }
  const inline = writer === undefined ? joined(early) : undefined;
  const digests = { md5, crc64: crc64 ?? new Crc64().update(inline ?? NOTHING).digest() };
  const mismatch = mismatchOf(incoming, digests);
  return { length, digests, mismatch, inline, writer };
}

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);

const tooLarge = (limit: number): BlobError => new BlobError('RequestBodyTooLarge', { limit });

/** Runs the commit whose rows name contents; removes these if it is refused. */
export async function settling<T>(
  writers: readonly (ContentWriter | undefined)[],
  commit: () => Promise<T>,
): Promise<T> {
  try {
    const result = await commit();
    for (const writer of writers) writer?.release();
    return result;
  } catch (error) {
    for (const writer of writers) {
      // After an engine failure the commit may still have been made: the sweep finds out whether rows name the contents.
      if (error instanceof StoreError) writer?.release();
      else await writer?.discard();
    }
    throw error;
  }
}
