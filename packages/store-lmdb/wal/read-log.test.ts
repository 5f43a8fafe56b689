// Everything acknowledged is read again from a log, whatever a crash has left of the record after it; damage is found
// or leaves only true records.
import assert from 'node:assert/strict';
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { StoreError } from '#store';
import { newDirectory } from '../testing/fixture.js';
import {
  batchOfBytes,
  createLog,
  EPOCH,
  encodeRecord,
  FIRST_TICK,
  type History,
  logBytes,
  type Placed,
  type Random,
  withRandom,
  writeHistory,
} from '../testing/log-batch.js';
import { BLOCK_BYTES, encodeHead, LOG_BYTES, LOG_HALVES, LOG_NAME, SALT_BYTES } from './log-file.js';
import { decodeHead, type LogRecord, parseLog, readLog } from './read-log.js';

const SECTOR_BYTES = 512;
const HEAD_BYTES = 32;
const PATH = '/store/data.log';

/** The records, or undefined if damage was found. Any other failure fails the test. */
function parse(bytes: Buffer): readonly LogRecord[] | undefined {
  try {
    return parseLog(bytes, PATH, EPOCH);
  } catch (error) {
    if (!(error instanceof StoreError) || error.code !== 'corrupt') throw error;
    assert.match(error.message, /\/store\/data\.log has .+ restore a backup/);
    return undefined;
  }
}

/** Records of the last segment that has any, and of the one before. */
function visible({ placed }: History): readonly Placed[] {
  const last = placed.at(-1)?.turn ?? 0;
  return placed.filter(({ turn }) => turn >= last - 1);
}

const recordsOf = (placed: readonly Placed[]): readonly LogRecord[] => placed.map(({ record }) => record);

test('what was written is read, in the order in which it was written', async t => {
  const directory = newDirectory(t);
  await withRandom(8, async random => {
    const history = await writeHistory(directory, random);
    assert.deepEqual(parse(history.bytes), recordsOf(visible(history)));
    assert.deepEqual(parse(history.bytes)?.at(-1), history.placed.at(-1)?.record);
    assert.deepEqual(parse(history.bytesAfter)?.at(-1), history.next.record);
  });
});

/** While `check` runs, the disk has only some sectors of the next record. */
function torn(history: History, isWritten: (sector: number) => boolean, check: () => void): void {
  const { bytes, bytesAfter, next } = history;
  const before = Buffer.from(bytes.subarray(next.from, next.until));
  for (let at = next.from; at < next.until; at += SECTOR_BYTES)
    if (isWritten((at - next.from) / SECTOR_BYTES))
      bytesAfter.copy(bytes, at, at, Math.min(at + SECTOR_BYTES, next.until));
  check();
  before.copy(bytes, next.from);
}

function assertUntilNext({ bytes, bytesAfter, placed, next, turns }: History): void {
  const found = parse(bytes);
  assert(found !== undefined, 'no answered record is damaged');
  // Zeros behind the record do not matter.
  const isWhole = bytes.compare(bytesAfter, next.from, next.until, next.from, next.until) === 0;
  const all = recordsOf(isWhole ? [...placed, next] : placed);
  assert.deepEqual(found, found.length === 0 ? [] : all.slice(-found.length));
  // Only records that a segment change made obsolete may be missing.
  assert(found.length >= all.length - placed.filter(({ turn }) => turn < turns - 1).length);
}

test('whatever sectors of a record a crash leaves, all before it are read', async t => {
  const directory = newDirectory(t);
  await withRandom(8, async random => {
    const history = await writeHistory(directory, random);
    const check = (): void => assertUntilNext(history);
    for (let round = 0; round < 15; round += 1) {
      const share = random(5);
      torn(history, () => random(4) < share, check);
    }
    torn(history, sector => sector > 0, check);
  });
});

/** What one damaged byte may leave; undefined if the damage must be found. */
function afterDamage(history: History, at: number): readonly LogRecord[] | undefined {
  if (at < HEAD_BYTES) return undefined;
  const shown = visible(history);
  const last = shown.at(-1);
  const damaged = shown.find(({ from, until }) => at >= from && at < until);
  if (damaged === undefined || last === undefined) return recordsOf(shown);
  // Looks like a torn record.
  if (damaged === last) return recordsOf(shown.slice(0, -1));
  // Looks like a record that the next one is overwriting; a replay sees that records are missing.
  if (damaged.turn < last.turn) return recordsOf(shown.filter(({ turn }) => turn === last.turn));
  return undefined;
}

function someByte(history: History, random: Random): number {
  const shown = visible(history);
  const chosen = shown[random(Math.max(1, shown.length))];
  const kind = random(10);
  if (kind === 0 || chosen === undefined) return random(BLOCK_BYTES);
  if (kind === 1) return random(LOG_BYTES);
  if (kind < 6) return chosen.from + random(44);
  return chosen.from + random(chosen.until - chosen.from);
}

test('with a bit of the log flipped, true records are read, or the damage is found', async t => {
  const directory = newDirectory(t);
  await withRandom(8, async random => {
    const history = await writeHistory(directory, random);
    for (let round = 0; round < 100; round += 1) {
      const at = someByte(history, random);
      const bit = 1 << random(8);
      history.bytes[at] = (history.bytes[at] ?? 0) ^ bit;
      assert.deepEqual(parse(history.bytes), afterDamage(history, at), `bit ${bit} of byte ${at}`);
      history.bytes[at] = (history.bytes[at] ?? 0) ^ bit;
    }
  });
});

test('a file that is missing, cut off or not a log is damage, reported with its name', async t => {
  const directory = newDirectory(t);
  const path = join(directory, LOG_NAME);
  const corrupt = (what: string) => (error: unknown) =>
    error instanceof StoreError && error.code === 'corrupt' && error.message.startsWith(`${path} ${what}`);
  assert.throws(() => readLog(path, EPOCH), corrupt('is missing: writes that were answered'));
  (await createLog(directory, EPOCH)).close();
  assert.deepEqual(readLog(path, EPOCH), []);
  truncateSync(path, LOG_BYTES - 1);
  assert.throws(() => readLog(path, EPOCH), corrupt(`has ${LOG_BYTES - 1} bytes and not ${LOG_BYTES}:`));
  writeFileSync(path, Buffer.alloc(LOG_BYTES));
  assert.throws(() => readLog(path, EPOCH), corrupt('has a damaged beginning:'));
});

test('a path that cannot be read is reported as a store error', async t => {
  const directory = newDirectory(t);
  const path = join(directory, 'file', LOG_NAME);
  writeFileSync(join(directory, 'file'), 'x');
  assert.throws(
    () => readLog(path, EPOCH),
    (error: unknown) => error instanceof StoreError && error.code === 'busy' && error.message.includes(path),
  );
});

interface Made {
  readonly bytes: Buffer;
  put(at: number, sequence: bigint, length?: number): void;
}

/** A log in memory, for states that no writer leaves. */
function makeLog(epoch = EPOCH, salt = 1): Made {
  const bytes = Buffer.alloc(LOG_BYTES);
  const head = encodeHead(epoch, Buffer.alloc(SALT_BYTES, salt), bytes);
  const put = (at: number, sequence: bigint, length = 200): void => {
    const batch = batchOfBytes(length, FIRST_TICK + sequence);
    encodeRecord(batch, head, sequence, bytes.subarray(at, at + logBytes(batch.changes)));
  };
  return { bytes, put };
}

const [FIRST, SECOND] = [LOG_HALVES[0].from, LOG_HALVES[1].from];
const sequences = (bytes: Buffer): readonly bigint[] | undefined =>
  parse(bytes)?.map(({ sequence }) => sequence);

test('a head of which any bit has changed is damage', () => {
  const { bytes, put } = makeLog();
  put(FIRST, 1n);
  for (let bit = 0; bit < 8 * HEAD_BYTES; bit += 1) {
    const at = bit >> 3;
    const before = bytes[at] ?? 0;
    bytes[at] = before ^ (1 << (bit & 7));
    assert.equal(parse(bytes), undefined, `bit ${bit}`);
    bytes[at] = before;
  }
  assert.deepEqual(sequences(bytes), [1n]);
});

test('segments are joined in the order of their numbers, and only as writes can have left them', () => {
  const log = (...places: readonly [at: number, sequence: bigint][]): readonly bigint[] | undefined => {
    const made = makeLog();
    for (const [at, sequence] of places) made.put(at, sequence);
    return sequences(made.bytes);
  };
  assert.deepEqual(log(), []);
  assert.deepEqual(log([FIRST, 1n], [SECOND, 2n]), [1n, 2n]);
  assert.deepEqual(log([FIRST, 3n], [SECOND, 2n]), [2n, 3n]);
  assert.deepEqual(log([FIRST, 3n], [FIRST + BLOCK_BYTES, 2n]), [3n]);
  assert.deepEqual(log([FIRST, 1n], [SECOND, 3n]), [3n]);
  assert.deepEqual(log([SECOND, 3n]), [3n]);
  // The same number twice, or the segments in the wrong order.
  assert.equal(log([FIRST, 3n], [SECOND, 3n]), undefined);
  assert.equal(log([FIRST, 3n], [FIRST + BLOCK_BYTES, 4n], [SECOND, 4n]), undefined);
  // A whole record after one that is missing.
  assert.equal(log([FIRST + BLOCK_BYTES, 1n]), undefined);
  assert.equal(log([FIRST, 1n], [FIRST + 2 * BLOCK_BYTES, 3n]), undefined);
  assert.equal(log([FIRST, 1n], [SECOND + BLOCK_BYTES, 3n]), undefined);
  assert.equal(log([FIRST, 1n], [LOG_BYTES - BLOCK_BYTES, 3n]), undefined);
  assert.equal(log([FIRST, 3n], [SECOND, 2n], [SECOND + BLOCK_BYTES, 4n]), undefined);
});

test('a record counts only within its segment', () => {
  for (const [over, expected] of [
    [0, [1n]],
    [1, []],
  ] as const) {
    const made = makeLog();
    made.put(FIRST, 1n, SECOND - FIRST + over);
    assert.deepEqual(sequences(made.bytes), expected);
  }
});

test("another file's records are none, nor are bytes in a row that look like a record", () => {
  const [mine, other] = [makeLog(), makeLog(EPOCH, 2)];
  mine.put(FIRST, 1n);
  other.put(FIRST + BLOCK_BYTES, 2n);
  other.put(SECOND + BLOCK_BYTES, 9n);
  for (const at of [FIRST + BLOCK_BYTES, SECOND + BLOCK_BYTES])
    other.bytes.copy(mine.bytes, at, at, at + BLOCK_BYTES);
  assert.deepEqual(sequences(mine.bytes), [1n]);
});

test('a record of this file under the number of another epoch does not count, nor a log of another epoch', () => {
  const made = makeLog();
  made.put(FIRST, 1n);
  for (const epoch of [EPOCH - 1n, EPOCH + 1n]) assert.deepEqual(parseLog(made.bytes, PATH, epoch), []);
  const head = decodeHead(made.bytes);
  assert(head !== undefined);
  const stale = { ...head, epoch: EPOCH - 1n };
  encodeRecord(batchOfBytes(200), stale, 1n, made.bytes.subarray(FIRST, FIRST + BLOCK_BYTES));
  assert.deepEqual(sequences(made.bytes), []);
});

test('a whole record in another form is damage with its number', () => {
  const lie = (write: (record: Buffer) => void, isFound = true): void => {
    const made = makeLog();
    made.put(FIRST, 1n);
    const record = made.bytes.subarray(FIRST, FIRST + BLOCK_BYTES);
    write(record);
    const length = Math.min(record.readUInt32BE(4), 200);
    record.writeUInt32BE(crc32(record.subarray(4, length), decodeHead(made.bytes)?.checksum), 0);
    const parsing = () => parseLog(made.bytes, PATH, EPOCH);
    if (isFound) assert.throws(parsing, /data\.log has record 1 in a form/);
    else assert.deepEqual(parsing(), []);
  };
  for (const count of [0, 2, 0xffffffff]) lie(record => record.writeUInt32BE(count, 40));
  for (const length of [0, 1, 9, 65535]) lie(record => record.writeUInt16BE(length, 44));
  for (const length of [0, 142, 144, 0xfffffffe, 0xffffffff]) lie(record => record.writeUInt32BE(length, 46));
  for (const length of [44, 46]) lie(record => record.writeUInt32BE(length, 4));
  for (const length of [0, 1, 43, 0x7fffffff, 0xffffffff])
    lie(record => record.writeUInt32BE(length, 4), false);
});
