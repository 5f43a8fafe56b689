// Batches of changes in the form that tests use, the bytes of their records, and logs as a writer leaves them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { ROW_HEADER_BYTES, type RowKey, writeRowKey, writeRowValue } from '../layout/rows.js';
import {
  CHANGE_HEADER_BYTES,
  LOG_HALVES,
  LOG_NAME,
  LogFile,
  type LogHead,
  RECORD_HEADER_BYTES,
  RecordDraft,
  RecordMemory,
  type TickRange,
} from '../wal/log-file.js';
import { type LogRecord, wholeBlocks } from '../wal/read-log.js';

export const EPOCH = 7n;
export const FIRST_TICK = 17_000_000_000_000_000n;

/** What one commit batch did to one row: its key and its bytes as in the tree of rows; undefined removes the row. */
interface LogChange {
  readonly key: RowKey;
  readonly bytes: Buffer | undefined;
}

export interface LogBatch extends TickRange {
  readonly changes: readonly LogChange[];
}

function bytesOf(key: RowKey): Buffer {
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
function recordBytes(changes: readonly LogChange[]): number {
  const sizes = changes.map(
    ({ key, bytes }) => CHANGE_HEADER_BYTES + bytesOf(key).length + (bytes?.length ?? 0),
  );
  return sizes.reduce((sum, size) => sum + size, RECORD_HEADER_BYTES);
}

/** Bytes that a batch takes in the log: whole blocks. */
export const logBytes = (changes: readonly LogChange[]): number => wholeBlocks(recordBytes(changes));

function draftOf({ changes }: LogBatch): RecordDraft {
  const record = new RecordDraft(new RecordMemory());
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

/** The records that a reader should return for batches. */
export const recordsOf = (batches: readonly LogBatch[], first = 1n): LogRecord[] =>
  batches.map(({ basis, tick, changes }, index) => {
    const read = changes.map(({ key, bytes }) => ({ key: bytesOf(key), bytes }));
    return { sequence: first + BigInt(index), basis, tick, changes: read };
  });

/** A batch whose record has this many bytes before the zeros that fill its last block. */
export function batchOfBytes(bytes: number, tick = FIRST_TICK): LogBatch {
  const key: RowKey = [1, 'p', 'k'];
  const value = bytes - RECORD_HEADER_BYTES - CHANGE_HEADER_BYTES - bytesOf(key).length;
  return { basis: tick - 1n, tick, changes: [{ key, bytes: Buffer.alloc(value, 0xa5) }] };
}

/** A number from 0 up to but not including the bound. */
export type Random = (below: number) => number;

/** Runs `check` with so many series of numbers, which fast-check draws. */
export const withRandom = (runs: number, check: (random: Random) => void | Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.gen(), async draw => check(below => draw(fc.nat, { max: below - 1 }))),
    { numRuns: runs, endOnFailure: true },
  );

const TEXTS = ['', 'p', 'key', 'é€', '\u0000\u0001', '\ud83d\ude00', '\ud800', 'x'.repeat(900)];

function someBatch(random: Random, basis: bigint): LogBatch {
  const text = (): string => TEXTS[random(TEXTS.length)] ?? '';
  const changes = Array.from({ length: random(8) + 1 }, (): LogChange => {
    const key: RowKey = [random(2 ** 31), text(), text()];
    if (random(5) === 0) return { key, bytes: undefined };
    const length = 8 + (random(12) === 0 ? random(20_000) : random(1_500));
    return { key, bytes: Buffer.alloc(length, Buffer.from([1 + random(255), random(256), random(256)])) };
  });
  return { basis, tick: basis + BigInt(random(1000) + 1), changes };
}

/** A record and its position. */
export interface Placed {
  readonly record: LogRecord;
  /** How many segment changes came before it. */
  readonly turn: number;
  readonly from: number;
  /** The first byte that its checksum does not cover. */
  readonly until: number;
}

export interface History {
  readonly placed: readonly Placed[];
  /** Segment changes so far; the last one may have no record. */
  readonly turns: number;
  readonly bytes: Buffer;
  /** One more record, which is in `bytesAfter` and not in `bytes`. */
  readonly next: Placed;
  readonly bytesAfter: Buffer;
}

/** Random batches and segment changes through the real file. */
export async function writeHistory(directory: string, random: Random): Promise<History> {
  const log = await createLog(directory, EPOCH);
  const path = join(directory, LOG_NAME);
  const placed: Placed[] = [];
  let turns = 0;
  let position = LOG_HALVES[0].from;
  let tick = FIRST_TICK;
  const append = async (): Promise<Placed> => {
    const batch = someBatch(random, tick);
    const [record] = recordsOf([batch], BigInt(placed.length + 1)) as [LogRecord];
    await appendBatch(log, batch);
    const from = position;
    position += logBytes(batch.changes);
    tick = batch.tick;
    return { record, turn: turns, from, until: from + recordBytes(batch.changes) };
  };
  for (let left = random(25); left > 0; left -= 1) {
    placed.push(await append());
    if (random(6) > 0) continue;
    log.turn();
    turns += 1;
    position = LOG_HALVES[turns % 2 === 0 ? 0 : 1].from;
  }
  const bytes = readFileSync(path);
  const next = await append();
  log.close();
  return { placed, turns, bytes, next, bytesAfter: readFileSync(path) };
}
