// ETags of containers and blobs: a tick, as Azure writes it (protocol: blob-requests#etags).
import { BlobError, type EtagCondition, NO_ETAG } from '#blobs';

/** 100 ns from year one to 1970, where our ticks begin. */
const TICKS_BEFORE = 621_355_968_000_000_000n;
const HEX = /^0x[0-9A-F]{1,16}$/i;

/** Without quotes, as in lists of blobs. */
export const etagText = (tick: bigint): string => `0x${(tick + TICKS_BEFORE).toString(16).toUpperCase()}`;

export const quotedEtag = (tick: bigint): string => `"${etagText(tick)}"`;

/** Quotes may be missing: lists of blobs give ETags without. */
function tickOf(text: string): bigint {
  const bare = text.startsWith('"') && text.endsWith('"') && text.length > 1 ? text.slice(1, -1) : text;
  return HEX.test(bare) ? BigInt(bare) - TICKS_BEFORE : NO_ETAG;
}

export function parseEtags(text: string): EtagCondition {
  const items = text.split(',').map(item => item.trim());
  if (items.includes('*')) return 'any';
  return items.map(tickOf);
}

/** Of the year 1601, where times of Windows begin. */
const FIRST_OF_APPENDS = -116_444_736_000_000_000n;

/** @throws BlobError OutOfRangeInput: Append Block reads an ETag as a time of Windows (recorded). */
export function checkAppendEtags(condition: EtagCondition | undefined): void {
  if (condition === undefined || condition === 'any') return;
  if (condition.some(tick => tick < FIRST_OF_APPENDS && tick !== NO_ETAG))
    throw new BlobError('OutOfRangeInput');
}
