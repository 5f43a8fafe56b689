// Reads the output of recorder.c, record by record.
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
  'unlink',
] as const;

export interface Record {
  readonly kind: (typeof KINDS)[number];
  readonly inode: bigint;
  /** An offset, or a length. */
  readonly a: number;
  /** For `written`: whether it is on the disk. */
  readonly b: number;
  /** Equal for a write and its end, and for a sync and its end. */
  readonly token: bigint;
  /** A path below the recorded directory. */
  readonly text: string;
  /** Bytes, or a second path. */
  readonly data: Buffer;
  /** The length of the recording including it. */
  readonly end: number;
}

export function readRecording(path: string): Record[] {
  const bytes = readFileSync(path);
  const records: Record[] = [];
  for (let at = 0; at < bytes.length; ) {
    const record = readRecord(bytes, at);
    if (isFollowed(bytes, record.end)) {
      records.push(record);
      at = record.end;
    } else at = nextRecord(bytes, at);
  }
  return records;
}

/** Another record begins there, or the recording ends. */
const isFollowed = (bytes: Buffer, at: number): boolean =>
  at === bytes.length || (at + HEAD_BYTES <= bytes.length && bytes.readUInt32LE(at) === MAGIC);

/**
 * A process that is killed while it writes a record leaves a part of it. The announced operation was not begun then: a
 * write is recorded before it is made, and records made afterwards are shorter than a page, which is written whole.
 */
function nextRecord(bytes: Buffer, at: number): number {
  const magic = Buffer.alloc(4);
  magic.writeUInt32LE(MAGIC);
  for (let next = bytes.indexOf(magic, at + 4); next >= 0; next = bytes.indexOf(magic, next + 1)) {
    const isKind = next + HEAD_BYTES <= bytes.length && KINDS[bytes.readUInt32LE(next + 4) - 1] !== undefined;
    if (isKind && isFollowed(bytes, readRecord(bytes, next).end)) return next;
  }
  return bytes.length;
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

/** An empty recording, whose length is a position from the start. */
export function beginRecording(path: string): void {
  closeSync(openSync(path, 'wx'));
}
