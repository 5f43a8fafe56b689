// The bytes of records, the number of blocks that they take, and that false lengths are found.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import { bytesOf, encodeRecord, type LogBatch, logBytes } from '../testing/log-batch.js';
import { batchOfBytes, FIRST_TICK, recordOf, someBatch, withSeeds } from '../testing/log-history.js';
import {
  BLOCK_BYTES,
  decodeHead,
  decodeRecord,
  encodeHead,
  isRecord,
  type LogHead,
  lengthAt,
  RecordDraft,
  RecordMemory,
  SALT_BYTES,
} from './log-record.js';

const HEAD: LogHead = { epoch: 2n, checksum: 0x01020304 };

function encode(batch: LogBatch, sequence = 1n): Buffer {
  // Not zeros, as reused memory is not.
  const bytes = Buffer.alloc(logBytes(batch.changes), 0xee);
  encodeRecord(batch, HEAD, sequence, bytes);
  return bytes;
}

const change = (key: Uint8Array, bytes?: Buffer): LogBatch => ({
  basis: FIRST_TICK,
  tick: FIRST_TICK + 1n,
  changes: [{ key, bytes }],
});

test('a record has the bytes that the format says', () => {
  const batch: LogBatch = {
    basis: 0x003c6568f12e8000n,
    tick: 0x003c6568f12e8001n,
    changes: [
      { key: [1, 'p1', 'é'], bytes: Buffer.from('pear') },
      { key: bytesOf([1, 'p1', 'x']), bytes: undefined },
    ],
  };
  const bytes = encode(batch, 5n);
  const expected = `
    0000004d 0000000000000002 0000000000000005 003c6568f12e8000 003c6568f12e8001 00000002
    0009 00000004 00000001 7031 00 c3a9 70656172
    0008 ffffffff 00000001 7031 00 78`.replace(/\s/g, '');
  assert.equal(bytes.subarray(4, 0x4d).toString('hex'), expected);
  assert.equal(bytes.readUInt32BE(0), crc32(Buffer.from(expected, 'hex'), HEAD.checksum));
  assert(bytes.subarray(0x4d).equals(Buffer.alloc(BLOCK_BYTES - 0x4d)));
});

/** docs/storage-format.md */
test('the example of the format has its checksums', () => {
  const file = Buffer.alloc(BLOCK_BYTES);
  const head = encodeHead(3n, Buffer.alloc(SALT_BYTES, 0xab), file);
  assert.equal(file.readUInt32BE(0), 0xbaaf9ed8);
  const tick = 0x003c6568f12e8001n;
  const value = Buffer.from('003c6568f12e800170656172', 'hex');
  const changes = [
    { key: bytesOf([1, 'p1', 'é']), bytes: value },
    { key: bytesOf([1, 'p1', 'x']), bytes: undefined },
  ];
  encodeRecord({ basis: tick - 1n, tick, changes }, head, 5n, file);
  assert.equal(file.readUInt32BE(0), 0x634b0e04);
  assert.equal(lengthAt(file, 0), 85);
});

test('a head has the bytes that the format says, and none of them may change', () => {
  const bytes = Buffer.alloc(BLOCK_BYTES);
  const salt = Buffer.alloc(SALT_BYTES, 0xab);
  const head = encodeHead(3n, salt, bytes);
  assert.equal(bytes.toString('hex', 4, 32), `736c6f670000000000000003${'ab'.repeat(16)}`);
  assert.equal(head.checksum, crc32(bytes.subarray(4, 32)));
  assert.deepEqual(decodeHead(bytes), head);
  for (let bit = 0; bit < 32 * 8; bit += 1) {
    const damaged = Buffer.from(bytes);
    damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    assert.equal(decodeHead(damaged), undefined, `bit ${bit}`);
  }
  assert.equal(decodeHead(bytes.subarray(0, 31)), undefined);
  assert.equal(decodeHead(Buffer.alloc(0)), undefined);
});

test('batches are read as they were written', () =>
  withSeeds(60, random => {
    const batch = someBatch(random, FIRST_TICK);
    const bytes = encode(batch, 9n);
    assert(isRecord(bytes, 0, bytes.length, HEAD));
    assert.deepEqual(decodeRecord(bytes, 0), recordOf(batch, 9n));
    assert.equal(bytes.length, Math.ceil(lengthAt(bytes, 0) / BLOCK_BYTES) * BLOCK_BYTES);
  }));

test('drafts share their memory, and their values stay where they are', () =>
  withSeeds(20, random => {
    const memory = new RecordMemory();
    const batches = Array.from({ length: 40 }, () => someBatch(random, FIRST_TICK));
    const drafts = batches.map(() => new RecordDraft(memory));
    const values: { readonly kept: Buffer; readonly bytes: Buffer }[] = [];
    // Interleaved, and some are finished before others have all their changes.
    for (let index = 0; index < 8; index += 1)
      for (const [at, { changes }] of batches.entries()) {
        const [draft, next] = [drafts[at], changes[index]];
        if (draft === undefined || next === undefined) continue;
        const from = draft.add(next.key, next.bytes?.length);
        if (next.bytes !== undefined) {
          const kept = draft.block.subarray(from, from + next.bytes.length);
          kept.set(next.bytes);
          values.push({ kept, bytes: next.bytes });
        }
        if (index < changes.length - 1) continue;
        const record = Buffer.concat(draft.finish(batches[at] as LogBatch, HEAD, 3n));
        assert.equal(record.length, draft.length);
        assert.equal(draft.length, logBytes(changes));
        assert(isRecord(record, 0, record.length, HEAD));
        assert.deepEqual(decodeRecord(record, 0), recordOf(batches[at] as LogBatch, 3n));
      }
    for (const { kept, bytes } of values) assert(kept.equals(bytes));
  }));

test('memory is reused once all records that have a part of it are released', () =>
  withSeeds(20, random => {
    const memory = new RecordMemory();
    const blocks = new Set<Buffer>();
    let held: { readonly draft: RecordDraft; readonly kept: Buffer; readonly fill: number }[] = [];
    for (let round = 0; round < 1000; round += 1) {
      const draft = new RecordDraft(memory);
      const length = random(9000);
      const at = draft.add(Buffer.from('k'), length);
      const kept = draft.block.subarray(at, at + length).fill(round);
      blocks.add(draft.block);
      held.push({ draft, kept, fill: round % 256 });
      if (held.length < 20) continue;
      for (const each of held) assert(each.kept.equals(Buffer.alloc(each.kept.length, each.fill)));
      const isDone = held.map(() => random(10) < 8);
      for (const [index, each] of held.entries()) if (isDone[index] === true) each.draft.release();
      held = held.filter((_, index) => isDone[index] !== true);
    }
    // 4.5 MB in all, at most 90 KB held at a time.
    assert(blocks.size < 30, `${blocks.size} blocks`);
  }));

test('a record takes whole blocks', () => {
  for (const [bytes, blocks] of [
    [4095, 1],
    [4096, 1],
    [4097, 2],
    [8191, 2],
    [8192, 2],
    [8193, 3],
  ] as const) {
    const batch = batchOfBytes(bytes);
    assert.equal(logBytes(batch.changes), blocks * BLOCK_BYTES);
    const record = encode(batch);
    assert.equal(lengthAt(record, 0), bytes);
    assert.deepEqual(decodeRecord(record, 0), recordOf(batch, 1n));
    assert(isRecord(record, 0, bytes, HEAD));
    assert(!isRecord(record, 0, bytes - 1, HEAD));
  }
});

test('batches without changes, of a thousand, of empty keys and values, of a MiB', () => {
  const many = Array.from({ length: 1000 }, (_, index) => ({
    key: [1, 'p', `k${index}`] as [number, string, string],
    bytes: index % 3 === 0 ? undefined : Buffer.alloc(index),
  }));
  const changes: readonly LogBatch['changes'][] = [
    [],
    many,
    [{ key: [0, '', ''], bytes: Buffer.alloc(0) }],
    [{ key: new Uint8Array(0), bytes: undefined }],
    [{ key: [2 ** 32 - 2, 'p', 'k'], bytes: Buffer.alloc(1024 * 1024, 0xff) }],
  ];
  for (const each of changes) {
    const batch = { basis: 0n, tick: 2n ** 64n - 1n, changes: each };
    assert.deepEqual(decodeRecord(encode(batch), 0), recordOf(batch, 1n));
  }
});

test('keys have up to 65535 bytes', () => {
  for (const length of [65534, 65535]) {
    const batch = change(Buffer.alloc(length, 1), Buffer.of(1));
    assert.equal(decodeRecord(encode(batch), 0)?.changes[0]?.key.length, length);
  }
  assert.throws(() => encode(change(Buffer.alloc(65536))), RangeError);
});

test('records with false lengths are no records', () =>
  withSeeds(10, random => {
    const bytes = encode(someBatch(random, FIRST_TICK));
    const length = lengthAt(bytes, 0);
    const lies = [
      0,
      1,
      43,
      44,
      length - 1,
      length + 1,
      bytes.length,
      bytes.length + 1,
      0x7fffffff,
      0xffffffff,
    ];
    for (const lie of [...lies.filter(each => each !== length), ...lies.map(() => random(bytes.length))]) {
      if (lie === length) continue;
      bytes.writeUInt32BE(lie, 4);
      assert(!isRecord(bytes, 0, bytes.length, HEAD), `length ${lie}`);
    }
  }));

test('false lengths inside a record with a valid checksum are damage', () => {
  const lie = (write: (bytes: Buffer) => void): void => {
    const bytes = encode(change(Buffer.from('key'), Buffer.from('value')));
    write(bytes);
    bytes.writeUInt32BE(crc32(bytes.subarray(4, lengthAt(bytes, 0)), HEAD.checksum), 0);
    assert(isRecord(bytes, 0, bytes.length, HEAD));
    assert.equal(decodeRecord(bytes, 0), undefined);
  };
  for (const count of [0, 2, 0xffffffff]) lie(bytes => bytes.writeUInt32BE(count, 40));
  for (const length of [0, 2, 4, 65535]) lie(bytes => bytes.writeUInt16BE(length, 44));
  for (const length of [0, 4, 6, 0xfffffffe, 0xffffffff]) lie(bytes => bytes.writeUInt32BE(length, 46));
  lie(bytes => bytes.writeUInt32BE(44, 4));
  lie(bytes => bytes.writeUInt32BE(46, 4));
});
