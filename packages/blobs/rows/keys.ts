// The keys of a blob's rows. A blob is one partition, named like the blob, so that one commit changes all of it. The order of the letters
// is that of the lists: snapshots before the blob, and after it the rows that lists skip.
//
//   A<tick>          a snapshot, by the time when it was taken    head.ts
//   B                the blob                                      head.ts
//   C                what its uncommitted blocks have in common    staged-block.ts
//   D<block id>      an uncommitted block                          staged-block.ts
//   E<layer><start>  an extent of an append or a page blob         extent.ts
//
// <tick> has 16 hexadecimal digits, <layer> 16 and <start> 12. Example: the extent at byte 4,096 of a layer:
//   E80000000000000010000000001000
import type { Row } from '#store';

export const BLOB_KEY = 'B';
export const STAGING_KEY = 'C';
const SNAPSHOT = 'A';
const BLOCK = 'D';
const EXTENT = 'E';
/** Behind the last key of a blob. */
export const KEYS_END = 'F';

const TICK_DIGITS = 16;
const LAYER_DIGITS = 16;
const START_DIGITS = 12;
/** Behind all that a layer has. */
export const LAYER_END = 16 ** START_DIGITS - 1;

const digits = (value: bigint | number, count: number): string => value.toString(16).padStart(count, '0');

export const snapshotKey = (tick: bigint): string => SNAPSHOT + digits(tick, TICK_DIGITS);
export const headKey = (snapshot: bigint | undefined): string =>
  snapshot === undefined ? BLOB_KEY : snapshotKey(snapshot);
export const blockKey = (id: string): string => BLOCK + id;
export const extentKey = (layer: string, start: number): string =>
  EXTENT + layer + digits(start, START_DIGITS);

export const snapshotOfKey = (key: string): bigint => BigInt(`0x${key.slice(1)}`);
export const blockIdOfKey = (key: string): string => key.slice(1);
export const layerOfKey = (key: string): string => key.slice(1, 1 + LAYER_DIGITS);
export const startOfKey = (key: string): number => Number.parseInt(key.slice(1 + LAYER_DIGITS), 16);

export const allSnapshots = { from: SNAPSHOT, until: BLOB_KEY } as const;
export const allBlocks = { from: BLOCK, until: EXTENT } as const;

type RowKind = 'snapshot' | 'blob' | 'staging' | 'block' | 'extent';

/** By its first letter alone: lists ask it for every row. */
export function kindOfKey(key: string): RowKind | undefined {
  switch (key.charCodeAt(0)) {
    case 0x41:
      return 'snapshot';
    case 0x42:
      return 'blob';
    case 0x43:
      return 'staging';
    case 0x44:
      return 'block';
    case 0x45:
      return 'extent';
    default:
      return undefined;
  }
}

const FORMS: Readonly<Record<RowKind, RegExp>> = {
  snapshot: /^A[0-9a-f]{16}$/,
  blob: /^B$/,
  staging: /^C$/,
  block: /^D[A-Za-z0-9+/]+={0,2}$/,
  extent: /^E[0-9a-f]{28}$/,
};

/** The kind of a row whose key has the form of that kind. */
export function checkedKind({ key }: Row): RowKind | undefined {
  const kind = kindOfKey(key);
  return kind !== undefined && FORMS[kind].test(key) ? kind : undefined;
}

/** A name for a layer or for what blocks are staged for: from a GUID whose last digits are unlike those of all others. */
export const newLayer = (guid: string): string => guid.replaceAll('-', '').slice(-LAYER_DIGITS);

/** No GUID has it where a layer's name begins. */
const WRITTEN = 'c';

/**
 * A layer to which pages are written and nothing is copied: what names a content there is within PAGE_EXTENT_BYTES_MAX of where the content was
 * written, so that it can be found without a look at the whole layer.
 */
export const newWrittenLayer = (guid: string): string => WRITTEN + newLayer(guid).slice(1);
export const isWrittenLayer = (layer: string): boolean => layer.startsWith(WRITTEN);

/** By their first digits: what was written since a snapshot, and what was merged once, twice, or more often. */
const SIZES = [WRITTEN, 'd', 'e', 'f'] as const;
const LARGEST = SIZES.length - 1;

/** A copy has all of a blob. */
export function sizeOfLayer(layer: string): number {
  const size = SIZES.findIndex(digit => layer.startsWith(digit));
  return size === -1 ? LARGEST : size;
}

/** A layer into which others are merged, so it is never a written one. */
export const newMergedLayer = (guid: string, size: number): string =>
  SIZES[Math.max(1, Math.min(size, LARGEST))] + newLayer(guid).slice(1);
