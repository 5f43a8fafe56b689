// LMDB's page format, for code that reads pages from the data file without LMDB: the check of a whole file, and scans. They decide what follows from
// a damaged page.
//
// LMDB's data format 2 on a 64 bit machine, little-endian:
//   page      0 number, 8 bytes | 8 transaction, 8 | 18 flags, 2 | 20 lower, 2 | 22 upper, 2 | 24 offsets of nodes, 2 each
//             offsets, lower and upper count from 24; nodes stand without gaps between upper and the end of the page
//   run       (a long value) 0 number, 8 | 8 transaction, 8 | 18 flags, 2 | 20 pages, 4 | 24 the value
//   node      0 length of the value, 4 | 4 flags, 2 | 6 length of the key, 2 | 8 key | value
//             of a branch: 0 number of the page below, 6 | 6 length of the key, 2 | 8 key
//             of a long value: number of its first page, 8 | transaction, 8 | pages, 8
//   record    0 four bytes that are 0 but in the record of free pages | 4 flags, 2 | 6 depth, 2 | 8 branches, 8 | 16 leaves, 8 | 24 pages of long values, 8 | 32 entries, 8 | 40 root, 8

export const PAGE_HEADER_BYTES = 24;
export const NODE_HEADER_BYTES = 8;

/** Flags of a page. */
export const BRANCH = 0x01;
export const LEAF = 0x02;
export const LONG_VALUE = 0x04;

/** Flags of a node. */
export const NODE_LONG_VALUE = 0x01;
/** Its value is a tree's record. */
export const NODE_TREE = 0x02;

/** Length of a long value's entry in its node. */
export const LONG_VALUE_BYTES = 24;
export const TREE_RECORD_BYTES = 48;
/** Where the records of the two trees are in a meta page (file-head.ts). */
export const FREE_RECORD_AT = 48;
export const NAMES_RECORD_AT = 96;
/** The root of a tree without entries. */
export const NO_PAGE = 0xffffffffffffffffn;
/** The deepest tree that LMDB itself can walk. */
export const DEPTH_MAX = 32;

export interface TreeRecord {
  readonly flags: number;
  readonly depth: number;
  readonly branches: bigint;
  readonly leaves: bigint;
  readonly longValuePages: bigint;
  readonly entries: bigint;
  readonly root: bigint;
}

export function readTreeRecord(bytes: Buffer, at: number): TreeRecord {
  return {
    flags: bytes.readUInt16LE(at + 4),
    depth: bytes.readUInt16LE(at + 6),
    branches: bytes.readBigUInt64LE(at + 8),
    leaves: bytes.readBigUInt64LE(at + 16),
    longValuePages: bytes.readBigUInt64LE(at + 24),
    entries: bytes.readBigUInt64LE(at + 32),
    root: bytes.readBigUInt64LE(at + 40),
  };
}
