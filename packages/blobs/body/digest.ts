// Sums up a body as it comes, and compares the sums with what the client says of it (protocol: blob-requests#digests).
import { createHash } from 'node:crypto';
import { Crc64 } from '#base';
import { BlobError } from '../blob-error.js';
import type { Digests } from '../outcome.js';

export class DigestSum {
  readonly #md5: ReturnType<typeof createHash> | undefined;
  readonly #crc64 = new Crc64();

  constructor(withMd5: boolean) {
    this.#md5 = withMd5 ? createHash('md5') : undefined;
  }

  update(piece: Buffer): void {
    this.#md5?.update(piece);
    this.#crc64.update(piece);
  }

  /** To be called once. */
  end(): Digests {
    return { md5: this.#md5?.digest(), crc64: this.#crc64.digest() };
  }
}

/** What a client says of a body. */
export interface Said {
  readonly md5: Buffer | undefined;
  readonly crc64: Buffer | undefined;
}

/** The refusal of a body that is not what the client says. */
export function mismatchOf(said: Said, digests: Digests): BlobError | undefined {
  if (said.md5 !== undefined && digests.md5 !== undefined && !said.md5.equals(digests.md5))
    return new BlobError('Md5Mismatch', {
      userMd5: said.md5.toString('base64'),
      serverMd5: digests.md5.toString('base64'),
    });
  if (said.crc64 !== undefined && !said.crc64.equals(digests.crc64))
    return new BlobError('Crc64Mismatch', {
      userCrc64: said.crc64.toString('base64'),
      serverCrc64: digests.crc64.toString('base64'),
    });
  return undefined;
}
