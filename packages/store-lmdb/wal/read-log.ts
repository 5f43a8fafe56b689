// Reads the log: which of the bytes in its file are records that count, and whether an acknowledged one is damaged.
// log-file.ts has the format, recovery.ts uses the records.
//
// Records are numbered from 1. They are written one after the other, each from where the last one ended or, after a
// segment change, from the beginning of the other segment, whose old records are obsolete by then; and each is on disk
// before the next is written. So a crash can only tear the newest record, which was never acknowledged, and what it was
// being written over.
import { readFileSync, statSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { StoreError } from '#store';
import { REMEDY } from '../lmdb/file-head.js';
import { isAbsent } from '../lmdb/system-call.js';
import {
  BLOCK_BYTES,
  CHANGE_HEADER_BYTES,
  HEAD_BYTES,
  LOG_BYTES,
  LOG_HALVES,
  type LogHalf,
  type LogHead,
  MAGIC,
  RECORD_HEADER_BYTES,
  REMOVED,
} from './log-file.js';

export interface LogRecord {
  /** 1 for the first record of an epoch. */
  readonly sequence: bigint;
  readonly basis: bigint;
  readonly tick: bigint;
  readonly changes: readonly { readonly key: Buffer; readonly bytes: Buffer | undefined }[];
}

/** The records from the beginning of a segment on, each numbered one more than the one before it. */
interface Run {
  readonly records: readonly LogRecord[];
  readonly first: bigint;
  readonly last: bigint;
  /** Where the next record would be. */
  readonly end: number;
  readonly half: LogHalf;
}

/**
 * The records of this epoch in order; none if the file belongs to another one. Fails with `corrupt`, or `busy` if the
 * system cannot read it.
 */
export function readLog(path: string, epoch: bigint): LogRecord[] {
  return parseLog(readBytes(path), path, epoch);
}

/** The same for bytes that were read from `path`; keys and values are views of them. */
export function parseLog(bytes: Buffer, path: string, epoch: bigint): LogRecord[] {
  // The file is synced at its full length before it gets its name: only damage makes it shorter, and what is cut off
  // may have been acknowledged.
  if (bytes.length !== LOG_BYTES) throw damaged(path, `has ${bytes.length} bytes and not ${LOG_BYTES}`);
  const head = decodeHead(bytes);
  if (head === undefined) throw damaged(path, 'has a damaged beginning');
  if (head.epoch !== epoch) return [];
  const runs = LOG_HALVES.map(half => readRun(bytes, half, head, path));
  const records = joinRuns(runs, path);
  const last = records.at(-1)?.sequence ?? 0n;
  for (const run of runs) assertNothingLater(bytes, run, head, last, path);
  return records;
}

function readRun(bytes: Buffer, half: LogHalf, head: LogHead, path: string): Run {
  const records: LogRecord[] = [];
  const first = sequenceAt(bytes, half.from);
  let next = first;
  let end = half.from;
  // Leftovers of an earlier use of the segment have lower numbers.
  while (end < half.until && sequenceAt(bytes, end) === next && isRecord(bytes, end, half.until, head)) {
    const record = decodeRecord(bytes, end);
    if (record === undefined) throw damaged(path, `has record ${next} in a form that no program writes`);
    records.push(record);
    end += wholeBlocks(lengthAt(bytes, end));
    next += 1n;
  }
  return { records, first, last: next - 1n, end, half };
}

/**
 * The records of both segments in order. The possible states, and why each is right:
 *
 * - None in both: nothing was written yet, or the very first record is torn.
 * - One segment has none: the other was never left; or the first record after a segment change is torn, and was being
 *   written to the segment without any. In both cases the existing records were written one after the other up to the
 *   newest.
 * - Both, and they join: no record is missing between the oldest and the newest. The older segment may be obsolete
 *   because of a segment change after which nothing was written; its records are then in the tree, and a replay skips
 *   them.
 * - Both, with a gap: only the segment with the lower numbers can have lost records, to the first record after a
 *   segment change, which is torn and was being written over some of them. They and those before the gap were obsolete,
 *   so the whole segment is left out. Damage to the older segment looks the same. It is still found: a replay compares
 *   the basis of the first record that the tree lacks with the last tick in the tree, and so notices a record missing
 *   between them. That also holds for an older segment whose first record is damaged, so that none of its records is
 *   found.
 * - Both, with numbers twice: no order of writes leaves that.
 */
function joinRuns(runs: readonly Run[], path: string): LogRecord[] {
  const found = runs.filter(run => run.records.length > 0);
  const [older, newer] = found.sort((a, b) => (a.first < b.first ? -1 : 1));
  if (older === undefined) return [];
  if (newer === undefined) return [...older.records];
  if (older.last + 1n === newer.first) return [...older.records, ...newer.records];
  if (older.last < newer.first) return [...newer.records];
  throw damaged(path, `has record ${newer.first} twice`);
}

/**
 * A torn record is the newest. If a later one is whole, the missing record before it was synced, and perhaps
 * acknowledged. Positions inside records that count are not searched.
 */
function assertNothingLater(bytes: Buffer, run: Run, head: LogHead, last: bigint, path: string): void {
  for (let at = run.end; at < run.half.until; at += BLOCK_BYTES) {
    const sequence = sequenceAt(bytes, at);
    if (sequence <= last || !isRecord(bytes, at, run.half.until, head)) continue;
    throw damaged(path, `has record ${sequence} and not record ${last + 1n} before it`);
  }
}

function readBytes(path: string): Buffer {
  try {
    // Avoids reading a file of arbitrary length.
    const { size } = statSync(path);
    if (size !== LOG_BYTES) throw damaged(path, `has ${size} bytes and not ${LOG_BYTES}`);
    return readFileSync(path);
  } catch (error) {
    if (error instanceof StoreError || !(error instanceof Error)) throw error;
    if (isAbsent(error)) throw damaged(path, 'is missing');
    throw new StoreError('busy', `${path} cannot be read: ${error.message}`, error);
  }
}

/** @param what follows the path */
function damaged(path: string, what: string): StoreError {
  return new StoreError(
    'corrupt',
    `${path} ${what}: writes that were answered may stand there and nowhere else; ${REMEDY}`,
  );
}

export function wholeBlocks(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}

/** Undefined if it is not whole. */
export function decodeHead(bytes: Buffer): LogHead | undefined {
  if (bytes.length < HEAD_BYTES || bytes.readUInt32BE(4) !== MAGIC) return undefined;
  const checksum = bytes.readUInt32BE(0);
  if (crc32(bytes.subarray(4, HEAD_BYTES)) !== checksum) return undefined;
  return { epoch: bytes.readBigUInt64BE(8), checksum };
}

/** The sequence field at this position, whether or not there is a record. */
function sequenceAt(bytes: Buffer, from: number): bigint {
  return bytes.readBigUInt64BE(from + 16);
}

/** The length field at this position. */
function lengthAt(bytes: Buffer, from: number): number {
  return bytes.readUInt32BE(from + 4);
}

/** Whether a whole record of this file begins here and ends before `until`. */
function isRecord(bytes: Buffer, from: number, until: number, head: LogHead): boolean {
  const length = lengthAt(bytes, from);
  if (length < RECORD_HEADER_BYTES || length > until - from) return false;
  if (bytes.readBigUInt64BE(from + 8) !== head.epoch) return false;
  return crc32(bytes.subarray(from + 4, from + length), head.checksum) === bytes.readUInt32BE(from);
}

/**
 * The record that begins here, which `isRecord` has found whole; undefined if lengths in it are false. Its keys and
 * values are views.
 */
function decodeRecord(bytes: Buffer, from: number): LogRecord | undefined {
  const end = from + lengthAt(bytes, from);
  const count = bytes.readUInt32BE(from + 40);
  const changes: LogRecord['changes'][number][] = [];
  let position = from + RECORD_HEADER_BYTES;
  while (changes.length < count) {
    if (position + CHANGE_HEADER_BYTES > end) return undefined;
    const keyAt = position + CHANGE_HEADER_BYTES;
    const valueAt = keyAt + bytes.readUInt16BE(position);
    const length = bytes.readUInt32BE(position + 2);
    position = length === REMOVED ? valueAt : valueAt + length;
    if (position > end) return undefined;
    const value = length === REMOVED ? undefined : bytes.subarray(valueAt, position);
    changes.push({ key: bytes.subarray(keyAt, valueAt), bytes: value });
  }
  if (position !== end) return undefined;
  const [basis, tick] = [bytes.readBigUInt64BE(from + 24), bytes.readBigUInt64BE(from + 32)];
  return { sequence: sequenceAt(bytes, from), basis, tick, changes };
}
