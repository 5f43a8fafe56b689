// Buckets: instead of one partition of everything, several, chosen by a hash of the names in it.
import { crc32 } from 'node:zlib';

export const BUCKETS = 16;

export const bucketOf = (name: Buffer | string): number => crc32(name) % BUCKETS;
