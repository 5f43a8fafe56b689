// A blob as its headers and answers show it, for the tests of both.
import type { BlobProperties } from '#blobs';

export const TICKS = BigInt(Date.parse('2019-05-09T01:19:36Z')) * 10_000n;
export const STAMP = { etag: TICKS, lastModified: TICKS };
export const MD5 = Buffer.alloc(16, 1);
export const BLOB: BlobProperties = {
  type: 'BlockBlob',
  stamp: STAMP,
  created: TICKS,
  length: 10,
  properties: {
    contentType: 'text/plain',
    contentEncoding: undefined,
    contentLanguage: undefined,
    contentDisposition: undefined,
    cacheControl: 'no-cache',
    contentMd5: MD5,
  },
  metadata: [{ name: 'Kind', value: 'x' }],
  tagCount: 0,
  tags: [],
  lease: { state: 'leased', duration: 'fixed' },
  copy: undefined,
  tier: undefined,
  snapshot: undefined,
  committedBlocks: undefined,
  isSealed: false,
  sequenceNumber: undefined,
};
