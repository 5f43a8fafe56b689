// What a process has learned about a space's rows and partitions, and what a scan asks for then.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RowSizes } from './partition-pages.js';

const SID = 7n;

const pageOf = (bytes: number) => ({
  fence: 1n,
  rows: [{ partition: 'p', key: 'k', version: 1n, value: Buffer.alloc(bytes) }],
  next: undefined,
});

test('a page has few rows until their size is known, and then 2 MiB', () => {
  const sizes = new RowSizes();
  assert.equal(sizes.rowsOfPage(SID, 1000), 100);
  sizes.note(SID, pageOf(20_000));
  assert.equal(sizes.rowsOfPage(SID, 1000), Math.floor((2 * 1024 * 1024) / 20_001));
  assert.equal(sizes.rowsOfPage(SID, 5), 5);
  assert.equal(sizes.rowsOfPage(8n, 1000), 100);
});

test('a caller that wants few rows gets sixteen where they are small, and no more than 8 KiB', () => {
  const sizes = new RowSizes();
  assert.equal(sizes.rowsOfPage(SID, 2), 2);
  for (const [bytes, rows] of [
    [100, 16],
    [511, 16],
    [512, 15],
    [4095, 2],
    [5000, 2],
  ] as const) {
    sizes.note(BigInt(bytes), pageOf(bytes));
    assert.equal(sizes.rowsOfPage(BigInt(bytes), 2), rows, `rows of ${bytes} bytes`);
  }
  assert.equal(sizes.rowsOfPage(100n, 20), 20);
});

test('as many partitions are asked for as have the wanted rows', () => {
  const sizes = new RowSizes();
  assert.equal(sizes.partitionsOf(SID, 1001), undefined);
  sizes.notePartition(SID, 100);
  assert.equal(sizes.partitionsOf(SID, 1001), 11);
  assert.equal(sizes.partitionsOf(SID, Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
  // It adapts to small ones quickly.
  for (let count = 0; count < 20; count++) sizes.notePartition(SID, 1);
  assert.equal(sizes.partitionsOf(SID, 1001), 762);
  sizes.notePartition(8n, 0);
  assert.equal(sizes.partitionsOf(8n, 10), 10);
});

test('128 partitions are read ahead, or as many as have 64 MiB in their first pages', () => {
  const sizes = new RowSizes();
  assert.equal(sizes.aheadMax(SID), 32);
  sizes.notePartition(SID, 1);
  for (const [kibibytes, most] of [
    [1, 128],
    [511, 128],
    [512, 128],
    [513, 127],
    [2048, 32],
    [5000, 32],
  ] as const) {
    const sid = BigInt(kibibytes);
    sizes.notePartition(sid, 1);
    sizes.note(sid, pageOf(kibibytes * 1024));
    assert.equal(sizes.aheadMax(sid), most, `partitions of ${kibibytes} KiB`);
  }
});
