// The bucket of a text: part of the storage format, because a row stays in the bucket that it was written to. FNV-1a over UTF-8, finished as MurmurHash3
// does, so that texts which differ in one digit spread; other languages can do the same in ten lines.

const BUCKETS_MAX = 10_000;

/** 32 bits. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export const isBucketCount = (count: number): boolean =>
  Number.isInteger(count) && count >= 2 && count <= BUCKETS_MAX;

/** The bucket's number with as many digits as the last one has. */
export const bucketText = (bucket: number, count: number): string =>
  String(bucket).padStart(String(count - 1).length, '0');

export const bucketOf = (text: string, count: number): string => bucketText(hashText(text) % count, count);
