// Reads what recorder.c wrote, record by record.
import { closeSync, openSync, readFileSync } from 'node:fs';

const MAGIC = 0x44434552;
const HEAD_BYTES = 48;

// In the order of recorder.c, from 1.
const KINDS = [
  'created',
  'write',
  'written',
  'sync',
  'synced',
  'truncated',
  'renamed',
  'linked',
  'unlinked',
  'made directory',
  'removed directory',
  'unseen',
] as const;

export interface Record {
  readonly kind: (typeof KINDS)[number];
  readonly inode: bigint;
  /** An offset, or a length. */
  readonly a: number;
  /** Of `written`: whether it is on the disk. */
  readonly b: number;
  /** The same of a write and its end, of a sync and its end. */
  readonly token: bigint;
  /** A path below the recorded directory. */
  readonly text: string;
  /** Bytes, or a second path. */
  readonly data: Buffer;
  /** The length of the recording with it. */
  readonly end: number;
}

export function readRecording(path: string): Record[] {
  const bytes = readFileSync(path);
  const records: Record[] = [];
  for (let at = 0; at < bytes.length; ) {
    const record = readRecord(bytes, at);
    records.push(record);
    at = record.end;
  }
  return records;
}

function readRecord(bytes: Buffer, at: number): Record {
  const number = (offset: number): number => Number(bytes.readBigUInt64LE(at + offset));
  const kind = KINDS[bytes.readUInt32LE(at + 4) - 1];
  if (bytes.readUInt32LE(at) !== MAGIC || kind === undefined) throw new Error(`No record begins at ${at}.`);
  const textAt = at + HEAD_BYTES;
  const dataAt = textAt + bytes.readUInt32LE(at + 40);
  const end = dataAt + bytes.readUInt32LE(at + 44);
  return {
    kind,
    inode: bytes.readBigUInt64LE(at + 8),
    a: number(16),
    b: number(24),
    token: bytes.readBigUInt64LE(at + 32),
    text: bytes.toString('utf8', textAt, dataAt),
    data: bytes.subarray(dataAt, end),
    end,
  };
}

/** An empty recording, whose length is a position from the beginning on. */
export function beginRecording(path: string): void {
  closeSync(openSync(path, 'wx'));
}
