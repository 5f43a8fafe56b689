// The digests of a document. Put Block List returns and compares them as other operations do those of a content (protocol: blob-requests#digests).
import { createHash } from 'node:crypto';
import { Crc64 } from '#base';
import { BlobError, type Digests } from '#blobs';
import { digestsSent, type Headers, tellsMd5 } from '#wire/blob';

/** @throws BlobError Md5Mismatch, Crc64Mismatch, BothCrc64AndMd5HeaderPresent, InvalidMd5, InvalidHeaderValue. */
export function documentDigests(headers: Headers, body: Buffer, version: string): Digests {
  const { md5, crc64 } = digestsSent(headers, 'content-md5', 'x-ms-content-crc64');
  const own = { md5: createHash('md5').update(body).digest(), crc64: new Crc64().update(body).digest() };
  if (md5 !== undefined && !md5.equals(own.md5))
    throw new BlobError('Md5Mismatch', {
      userMd5: md5.toString('base64'),
      serverMd5: own.md5.toString('base64'),
    });
  if (crc64 !== undefined && !crc64.equals(own.crc64))
    throw new BlobError('Crc64Mismatch', {
      userCrc64: crc64.toString('base64'),
      serverCrc64: own.crc64.toString('base64'),
    });
  return { md5: tellsMd5(headers, version) ? own.md5 : undefined, crc64: own.crc64 };
}
