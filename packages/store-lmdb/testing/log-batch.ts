// Batches of changes in the form that tests use, and the bytes of their records.
import { ROW_HEADER_BYTES, type RowKey, writeRowKey, writeRowValue } from '../layout/rows.js';
import {
  CHANGE_HEADER_BYTES,
  LogFile,
  type LogHead,
  RECORD_HEADER_BYTES,
  RecordDraft,
  RecordMemory,
  type TickRange,
} from '../wal/log-file.js';
import { wholeBlocks } from '../wal/read-log.js';

/** What one commit batch did to one row: its key and its bytes as in the tree of rows; undefined removes the row. */
export interface LogChange {
  readonly key: RowKey;
  readonly bytes: Buffer | undefined;
}

export interface LogBatch extends TickRange {
  readonly changes: readonly LogChange[];
}

export function bytesOf(key: RowKey): Buffer {
  const bytes = Buffer.alloc(10_000);
  return Buffer.from(bytes.subarray(0, writeRowKey(key, bytes, 0)));
}

/** A row's bytes in the tree and in a record. */
export function rowBytes(version: bigint, value: Buffer): Buffer {
  const bytes = Buffer.alloc(ROW_HEADER_BYTES + value.length);
  writeRowValue(version, value, bytes, 0);
  return bytes;
}

/** Bytes of a record, without the zeros that fill its last block. */
export function recordBytes(changes: readonly LogChange[]): number {
  const sizes = changes.map(
    ({ key, bytes }) => CHANGE_HEADER_BYTES + bytesOf(key).length + (bytes?.length ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, RECORD_HEADER_BYTES);
}

/** Bytes that a batch takes in the log: whole blocks. */
export const logBytes = (changes: readonly LogChange[]): number => wholeBlocks(recordBytes(changes));

export function draftOf({ changes }: LogBatch, memory = new RecordMemory()): RecordDraft {
  const record = new RecordDraft(memory);
  for (const { key, bytes } of changes)
    record.add(key, bytes?.readBigUInt64BE() ?? 0n, bytes?.subarray(ROW_HEADER_BYTES));
  return record;
}

/** Fills the beginning of `target`. */
export function encodeRecord(batch: LogBatch, head: LogHead, sequence: bigint, target: Buffer): void {
  target.set(Buffer.concat(draftOf(batch).finish(batch, head, sequence)));
}

/** A log in its place, where no other process can have one. */
export async function createLog(directory: string, epoch: bigint): Promise<LogFile> {
  const log = await LogFile.prepare(directory, epoch);
  log.place();
  return log;
}

export async function appendBatch(log: LogFile, batch: LogBatch): Promise<void> {
  await log.append(draftOf(batch), batch);
}
