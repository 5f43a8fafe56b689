// Which state of the file a scan gets: the last committed one; or none, so that the package's cursor is used, if the
// note of the last transaction cannot be trusted or the file is damaged.
import assert from 'node:assert/strict';
import { closeSync, openSync, readSync, writeSync } from 'node:fs';
import { type TestContext, test } from 'node:test';
import type { Environment } from '../environment.js';
import { ROWS_TREE } from '../layout/rows.js';
import { PAGE_BYTES } from '../lmdb/file-head.js';
import { environmentOf } from '../testing/fixture.js';
import { PageCursor, type SnapshotTrees, TreeReader } from './tree-reader.js';

const NOTE_AT = 8;
const ALL = { start: Buffer.alloc(0), end: Buffer.of(0xff) };

const open = (t: TestContext): Environment => environmentOf(t, { exclusive: true });

function readerOf({ last, map, path }: Environment): TreeReader {
  assert(map !== undefined, 'the file is mapped');
  return new TreeReader(last, map, path);
}

const put = (environment: Environment, key: string): Promise<void> =>
  environment.transaction(() => environment.rows.apply(Buffer.from(key), Buffer.alloc(10)));

function keysOf({ snapshot, roots }: SnapshotTrees): string[] {
  const cursor = new PageCursor(snapshot, roots.get(ROWS_TREE), ALL);
  const keys: string[] = [];
  while (cursor.next()) keys.push(cursor.span.copy().toString());
  cursor.close();
  return keys;
}

function overwrite(t: TestContext, path: string, at: number, bytes: Buffer): () => void {
  const file = openSync(path, 'r+');
  t.after(() => closeSync(file));
  const before = Buffer.alloc(bytes.length);
  readSync(file, before, 0, before.length, at);
  writeSync(file, bytes, 0, bytes.length, at);
  return () => writeSync(file, before, 0, before.length, at);
}

test('the newest snapshot is the last committed state, and one object for as long as it is that', async t => {
  const environment = open(t);
  const reader = readerOf(environment);
  const empty = reader.newest();
  assert(empty !== undefined);
  assert.deepEqual(keysOf(empty), []);
  assert.equal(reader.newest(), empty);
  await put(environment, 'a');
  const transaction = environment.useReadTransaction();
  const first = reader.newest();
  assert(first !== undefined);
  assert.deepEqual(keysOf(first), ['a']);
  await put(environment, 'b');
  const second = reader.newest();
  assert(second !== undefined);
  assert.equal(second.snapshot.transaction, first.snapshot.transaction + 1n);
  assert.deepEqual(keysOf(second), ['a', 'b']);
  assert.deepEqual(keysOf(first), ['a']);
  transaction.done();
});

test('a note that was set back gives neither a state older than one already given nor one that is gone', async t => {
  const environment = open(t);
  for (const key of ['a', 'b', 'c']) await put(environment, key);
  const reader = readerOf(environment);
  const newest = reader.newest();
  assert(newest !== undefined);
  const { transaction } = newest.snapshot;
  const noted = (number: bigint): SnapshotTrees | undefined => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(number);
    // The file stays open until LMDB has closed it: closing the descriptor would release its locks.
    const restore = overwrite(t, `${environment.path}-lock`, NOTE_AT, bytes);
    try {
      assert.equal(reader.newest(), number === transaction ? newest : undefined);
      return readerOf(environment).newest();
    } finally {
      restore();
    }
  };
  assert.deepEqual(keysOf(noted(transaction) ?? assert.fail()), ['a', 'b', 'c']);
  const before = noted(transaction - 1n);
  assert(before !== undefined);
  assert.deepEqual(keysOf(before), ['a', 'b']);
  assert.equal(noted(transaction - 2n), undefined);
  assert.equal(reader.newest(), newest);
});

test('a damaged meta page or page of names gives no snapshot', async t => {
  const environment = open(t);
  await put(environment, 'a');
  const transaction = readerOf(environment).newest()?.snapshot.transaction;
  assert(transaction !== undefined);
  const meta = Number(transaction % 2n) * PAGE_BYTES;
  const head = Buffer.alloc(160);
  readSync(environment.last.data, head, 0, head.length, meta);
  const root = Number(head.readBigUInt64LE(96 + 40)) * PAGE_BYTES;
  for (const at of [meta + 152, meta + 96 + 6, meta + 96 + 40, root, root + 18, root + 22]) {
    const restore = overwrite(t, environment.path, at, Buffer.of(0xee));
    assert.equal(readerOf(environment).newest(), undefined, `at ${at}`);
    restore();
  }
  assert(readerOf(environment).newest() !== undefined);
});
