// The log's file takes what fits and no more, changes segments, survives callers' mistakes, and stops at the first
// failure.
import assert from 'node:assert/strict';
import fs, { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { StoreError, type StoreErrorCode } from '#store';
import { newDirectory } from '../testing/fixture.js';
import { appendBatch, createLog, type LogBatch, logBytes } from '../testing/log-batch.js';
import { batchOfBytes, EPOCH, FIRST_TICK, recordOf, someBatch, withSeeds } from '../testing/log-history.js';
import { NEEDS_PROC, numbersOf, replaceFile, untilClosed } from '../testing/open-files.js';
import { importAnew, replaceCalls } from '../testing/system-calls.js';
import { LOG_NAME, LogFile } from './log-file.js';
import { BLOCK_BYTES } from './log-record.js';
import { LOG_BYTES, LOG_HALVES, readLog } from './read-log.js';

const [FIRST_BYTES, SECOND_BYTES] = LOG_HALVES.map(({ from, until }) => until - from) as [number, number];

interface Opened {
  readonly directory: string;
  readonly path: string;
  readonly log: LogFile;
  sequences(): readonly bigint[];
}

async function create(t: TestContext): Promise<Opened> {
  const directory = newDirectory(t);
  const log = await createLog(directory, EPOCH);
  t.after(() => log.close());
  const path = join(directory, LOG_NAME);
  return { directory, path, log, sequences: () => readLog(path, EPOCH).map(({ sequence }) => sequence) };
}

const failsWith = (code: StoreErrorCode, message: RegExp) => (error: unknown) =>
  error instanceof StoreError && error.code === code && message.test(error.message);

const batchOf = (sequence: bigint, bytes = 200): LogBatch => batchOfBytes(bytes, FIRST_TICK + sequence);

test('the file exists at its full length, without records and without another file', async t => {
  const { directory, path, log } = await create(t);
  assert.deepEqual(readdirSync(directory), [LOG_NAME]);
  assert.equal(statSync(path).size, LOG_BYTES);
  // No holes: 512 bytes each.
  assert(statSync(path).blocks * 512 >= LOG_BYTES);
  assert.deepEqual(readLog(path, EPOCH), []);
  await log.discard();
  assert.equal(statSync(path).size, 0);
});

test('batches are read as they were written, across segments too', async t => {
  await withSeeds(2, async random => {
    const { path, log } = await create(t);
    const batches: LogBatch[] = [];
    let tick = FIRST_TICK;
    for (let count = 0; count < 12; count += 1) {
      if (count === 5) log.turn();
      const batch = someBatch(random, tick);
      tick = batch.tick;
      batches.push(batch);
      await appendBatch(log, batch);
    }
    const expected = batches.map((batch, index) => recordOf(batch, BigInt(index + 1)));
    assert.deepEqual(readLog(path, EPOCH), expected);
    log.turn();
    await appendBatch(log, batchOf(1n));
    assert.deepEqual(readLog(path, EPOCH), [...expected.slice(5), recordOf(batchOf(1n), 13n)]);
  });
});

test('records at the bounds of a block', async t => {
  const { path, log } = await create(t);
  const batches = [4095, 4096, 4097, 8191, 8192, 8193, 60].map((bytes, index) =>
    batchOf(BigInt(index), bytes),
  );
  for (const batch of batches) await appendBatch(log, batch);
  assert.deepEqual(
    readLog(path, EPOCH),
    batches.map((batch, index) => recordOf(batch, BigInt(index + 1))),
  );
  const used = batches.reduce((sum, { changes }) => sum + logBytes(changes), 0);
  assert(log.hasRoom(FIRST_BYTES - used));
  assert(!log.hasRoom(FIRST_BYTES - used + 1));
});

// The second segment is longer by the head.
for (const [segment, bytes, before] of [
  ['the first', FIRST_BYTES, 0],
  ['the first, with three records,', FIRST_BYTES, 3],
  ['the second', SECOND_BYTES, 0],
] as const)
  test(`${segment} segment takes what it has room for and no byte more`, async t => {
    for (const over of [-1, 0, 1]) {
      const { log, sequences } = await create(t);
      if (bytes === SECOND_BYTES) log.turn();
      for (let count = 0; count < before; count += 1) await appendBatch(log, batchOf(1n));
      const batch = batchOf(2n, bytes - before * BLOCK_BYTES + over);
      const isIn = over <= 0;
      assert.equal(log.hasRoom(logBytes(batch.changes)), isIn);
      if (isIn) await appendBatch(log, batch);
      else await assert.rejects(appendBatch(log, batch), RangeError);
      assert.equal(sequences().length, isIn ? before + 1 : before);
      assert.equal(log.hasRoom(1), !isIn);
      // One that does not fit does the file no harm.
      log.turn();
      await appendBatch(log, batchOf(3n));
      assert.equal(sequences().length, isIn ? before + 2 : before + 1);
    }
  });

test("after a segment change the other one's records count until they are overwritten", async t => {
  const { log, sequences } = await create(t);
  for (let sequence = 1n; sequence <= 3n; sequence += 1n) await appendBatch(log, batchOf(sequence));
  log.turn();
  assert.deepEqual(sequences(), [1n, 2n, 3n]);
  for (let sequence = 4n; sequence <= 5n; sequence += 1n) await appendBatch(log, batchOf(sequence));
  assert.deepEqual(sequences(), [1n, 2n, 3n, 4n, 5n]);
  log.turn();
  assert.deepEqual(sequences(), [1n, 2n, 3n, 4n, 5n]);
  await appendBatch(log, batchOf(6n));
  // 2 and 3 are still in the file.
  assert.deepEqual(sequences(), [4n, 5n, 6n]);
  log.turn();
  await appendBatch(log, batchOf(7n));
  assert.deepEqual(sequences(), [6n, 7n]);
});

test('a new file replaces an existing one, whatever it is', async t => {
  const { directory, path, log } = await create(t);
  await appendBatch(log, batchOf(1n));
  const later = await createLog(directory, EPOCH + 1n);
  assert.deepEqual([readLog(path, EPOCH), readLog(path, EPOCH + 1n)], [[], []]);
  // The old one's user writes to a file that no process reads any more.
  await appendBatch(log, batchOf(2n));
  await appendBatch(later, batchOf(1n));
  assert.deepEqual(readLog(path, EPOCH + 1n), [recordOf(batchOf(1n), 1n)]);
  later.close();
  writeFileSync(path, 'no log');
  (await createLog(directory, EPOCH)).close();
  assert.deepEqual(readLog(path, EPOCH), []);
});

test('a directory in which no file can be created is reported as a store error', async t => {
  const { directory } = await create(t);
  const missing = join(directory, 'missing');
  await assert.rejects(createLog(missing, EPOCH), failsWith('busy', /data\.log cannot be written: ENOENT/));
});

test('one record at a time, and no segment change while it is written', async t => {
  const { log, sequences } = await create(t);
  const first = appendBatch(log, batchOf(1n));
  assert.throws(() => log.turn(), /being written/);
  await assert.rejects(appendBatch(log, batchOf(2n)), /being written/);
  await first;
  await appendBatch(log, batchOf(2n));
  assert.deepEqual(sequences(), [1n, 2n]);
});

test('a record that is being written when the file is closed is written, and none after it', async t => {
  const { log, sequences } = await create(t);
  const last = appendBatch(log, batchOf(1n));
  log.close();
  log.close();
  await assert.rejects(appendBatch(log, batchOf(2n)), failsWith('closed', /is closed/));
  await last;
  await assert.rejects(appendBatch(log, batchOf(2n)), failsWith('closed', /is closed/));
  assert.deepEqual(sequences(), [1n]);
});

test('a batch that cannot be written as a record does the file no harm', async t => {
  const { log, sequences } = await create(t);
  const tooLong = { basis: 0n, tick: 1n, changes: [{ key: Buffer.alloc(65536), bytes: undefined }] };
  await assert.rejects(appendBatch(log, tooLong), RangeError);
  await appendBatch(log, batchOf(1n));
  assert.deepEqual(sequences(), [1n]);
});

const CASES = [
  ['a write that finds no space', '/dev/full', 'r+', 'full', /ENOSPC/],
  ['a write that the system refuses', '/dev/null', 'r', 'busy', /EBADF/],
] as const;

for (const [name, device, flags, code, reason] of CASES)
  test(`${name} fails the record and all that follow`, NEEDS_PROC, async t => {
    const { path, log, sequences } = await create(t);
    await appendBatch(log, batchOf(1n));
    replaceFile(path, device, flags);
    await assert.rejects(appendBatch(log, batchOf(2n)), failsWith(code, reason));
    await assert.rejects(
      appendBatch(log, batchOf(3n)),
      failsWith('closed', /could not be written to before/),
    );
    assert.deepEqual(sequences(), [1n]);
  });

type Write = (file: number, pieces: readonly Buffer[], position: number) => Promise<{ bytesWritten: number }>;

/** With the signature that `promisify` expects. */
function writevOf(write: Write): typeof fs.writev {
  const writev: unknown = Object.assign(() => assert.fail(), { [promisify.custom]: write });
  return writev as typeof fs.writev;
}

/** The log's module, using this for writing. */
function importWith(t: TestContext, write: Write): Promise<typeof import('./log-file.js')> {
  replaceCalls(t, { writev: writevOf(write) });
  return importAnew(new URL('./log-file.js', import.meta.url));
}

const writeBytes = promisify(fs.write);

test('a short write is continued where it ended', async t => {
  const { directory, path } = await create(t);
  let most = 3_000_001;
  // At most this many bytes at a time, as the system may do.
  const module = await importWith(t, (file, pieces, position) => {
    const piece = Buffer.concat(pieces).subarray(0, most);
    return writeBytes(file, piece, 0, piece.length, position);
  });
  const log = await module.LogFile.prepare(directory, EPOCH);
  t.after(() => log.close());
  log.place();
  assert.equal(statSync(path).size, LOG_BYTES);
  const batches: LogBatch[] = [];
  for (most of [1000, 4095, 4096, 4097, 1_000_000]) {
    const batch = batchOfBytes(20_000, FIRST_TICK + BigInt(batches.length));
    batches.push(batch);
    await appendBatch(log, batch);
  }
  const expected = batches.map((batch, index) => recordOf(batch, BigInt(index + 1)));
  assert.deepEqual(readLog(path, EPOCH), expected);
});

test(
  'a file that is discarded or withdrawn, or could not be created, is no longer open',
  NEEDS_PROC,
  async t => {
    const { directory, path, log } = await create(t);
    await log.discard();
    const own = `${path}.${process.pid}`;
    const withdrawn = await LogFile.prepare(directory, EPOCH);
    assert.equal(numbersOf(own).length, 1);
    await withdrawn.withdraw();
    const failing = Object.assign(new Error('EIO'), { code: 'EIO' });
    const module = await importWith(t, () => Promise.reject(failing));
    await assert.rejects(
      module.LogFile.prepare(directory, EPOCH),
      failsWith('busy', /cannot be written: EIO/),
    );
    assert.deepEqual(readdirSync(directory), [LOG_NAME]);
    await untilClosed(path, own, `${own} (deleted)`);
  },
);
