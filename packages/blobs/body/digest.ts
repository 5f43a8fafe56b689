// Computes the digests of a body as it arrives, and compares them with those that the client sent (protocol: blob-requests#digests). The CRC-64 of a body that
// becomes a content is stored with it.
import { createHash, hash } from 'node:crypto';
import type { OffThreadMd5, OpenMd5 } from '../blob-context.js';
import { BlobError } from '../blob-error.js';
import type { Digests } from '../outcome.js';

const NOTHING = Buffer.alloc(0);

/** The MD5 of a body, computed only on request. */
export class Md5Sum {
  readonly #isWanted: boolean;
  readonly #length: number | undefined;
  readonly #offThread: OffThreadMd5 | undefined;
  #md5: ReturnType<typeof createHash> | undefined;
  /** The body as one piece. */
  #whole: Buffer | undefined;

  /**
   * @param length of the body, where it is known.
   * @param openMd5 for a body that is long enough.
   */
  constructor(isWanted: boolean, length: number | undefined, openMd5: OpenMd5 | undefined) {
    this.#isWanted = isWanted;
    this.#length = length;
    this.#offThread = isWanted ? openMd5?.() : undefined;
  }

  /** A piece that is the whole body must not change before the end. A promise where it has to be waited for. */
  update(piece: Buffer): Promise<void> | undefined {
    if (!this.#isWanted || piece.length === 0) return undefined;
    if (this.#offThread !== undefined) return this.#offThread.update(piece);
    if (piece.length === this.#length) {
      this.#whole = piece;
      return undefined;
    }
    this.#md5 ??= createHash('md5');
    this.#md5.update(piece);
    return undefined;
  }

  /** To be called once. */
  end(): Buffer | undefined | Promise<Buffer> {
    if (this.#offThread !== undefined) return this.#offThread.end();
    return this.#isWanted ? this.#endMd5() : undefined;
  }

  /** Abandons the sum; after the end nothing is left to drop. */
  drop(): void {
    this.#offThread?.drop();
  }

  /** Most small bodies are one piece, for which one call costs half as much as three. */
  #endMd5(): Buffer {
    return this.#md5 === undefined ? hash('md5', this.#whole ?? NOTHING, 'buffer') : this.#md5.digest();
  }
}

/** The digests that a client sent with a body. */
export interface SentDigests {
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
