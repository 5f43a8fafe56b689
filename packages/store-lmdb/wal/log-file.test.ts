// The log's file has the bytes that its format says, takes what fits and no more, changes segments, and stops at the
// first failure.
import assert from 'node:assert/strict';
import fs, { readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { StoreError, type StoreErrorCode } from '#store';
import { newDirectory } from '../testing/fixture.js';
import {
  appendBatch,
  batchOfBytes,
  createLog,
  EPOCH,
  encodeRecord,
  FIRST_TICK,
  type LogBatch,
  logBytes,
  recordsOf,
} from '../testing/log-batch.js';
import { NEEDS_PROC, numbersOf, replaceFile, untilClosed } from '../testing/open-files.js';
import { importAnew, replaceCalls } from '../testing/system-calls.js';
import { BLOCK_BYTES, encodeHead, LOG_BYTES, LOG_HALVES, LOG_NAME, LogFile, SALT_BYTES } from './log-file.js';
import { readLog } from './read-log.js';

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

/** docs/storage-format.md */
test('head and records have the bytes that the format says', () => {
  const file = Buffer.alloc(BLOCK_BYTES);
  const head = encodeHead(3n, Buffer.alloc(SALT_BYTES, 0xab), file);
  assert.equal(file.toString('hex', 0, 32), `baaf9ed8736c6f670000000000000003${'ab'.repeat(16)}`);
  const tick = 0x003c6568f12e8001n;
  const value = Buffer.from('003c6568f12e800170656172', 'hex');
  const changes: LogBatch['changes'] = [
    { key: [1, 'p1', 'é'], bytes: value },
    { key: [1, 'p1', 'x'], bytes: undefined },
  ];
  encodeRecord({ basis: tick - 1n, tick, changes }, head, 5n, file);
  const expected = `
    634b0e04 00000055 0000000000000003 0000000000000005 003c6568f12e8000 003c6568f12e8001 00000002
    0009 0000000c 00000001 7031 00 c3a9 003c6568f12e8001 70656172
    0008 ffffffff 00000001 7031 00 78`.replace(/\s/g, '');
  assert.equal(file.toString('hex', 0, 0x55), expected);
  assert(file.subarray(0x55).equals(Buffer.alloc(BLOCK_BYTES - 0x55)));
});

const ODD_CHANGES: readonly LogBatch['changes'][] = [
  [],
  Array.from({ length: 1000 }, (_, index) => ({
    key: [1, 'p', `k${index}`] as [number, string, string],
    bytes: index % 3 === 0 ? undefined : Buffer.alloc(8 + index),
  })),
  [{ key: [0, '', ''], bytes: Buffer.alloc(8) }],
  [{ key: [2 ** 32 - 2, 'p', 'k'], bytes: Buffer.alloc(1024 * 1024, 0xff) }],
];

test('batches without changes, with many, with long ones and at the bounds of a block are read as written', async t => {
  const { path, log } = await create(t);
  const odd = ODD_CHANGES.map(changes => ({ basis: 0n, tick: 2n ** 64n - 1n, changes }));
  const bounds = [4095, 4096, 4097, 8191, 8192, 8193, 65].map((bytes, index) =>
    batchOf(BigInt(index), bytes),
  );
  const batches = [...odd, ...bounds];
  for (const batch of batches) await appendBatch(log, batch);
  assert.deepEqual(readLog(path, EPOCH), recordsOf(batches));
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
      if (!isIn) continue;
      await appendBatch(log, batch);
      assert.equal(sequences().length, before + 1);
      assert(!log.hasRoom(1));
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
  assert.deepEqual(readLog(path, EPOCH + 1n), recordsOf([batchOf(1n)]));
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
    await assert.rejects(appendBatch(log, batchOf(3n)), failsWith('closed', /is closed/));
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
  assert.deepEqual(readLog(path, EPOCH), recordsOf(batches));
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
