// Every row that the operations write is sound, and none of it with a byte less, more or another form is.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { copyRow, type Row } from '#store';
import { contentsNamedBy, inspectBlobRow, inspectBlobSpace, isOfBlobService } from './inspect.js';
import { decodeHead } from './rows/head.js';
import { CONTAINER, contentsIn, openContainer, putBlob, takeSnapshot } from './testing/account.js';
import { append, makeAppendBlob, makePageBlob, putBlock, putList, putPages } from './testing/parts.js';

async function written() {
  const account = await openContainer();
  await putBlob(account, 'small', 'x', {
    metadata: [{ name: 'a', value: 'e' }],
    tags: [['k', 'v']],
    tier: 'Hot',
  });
  await putBlob(account, 'large', Buffer.alloc(20_000));
  await takeSnapshot(account, 'small');
  await putBlock(account, 'blocks', 'a', 'x');
  await putList(account, 'blocks', ['a']);
  await putBlock(account, 'blocks', 'b', 'y');
  await putBlock(account, 'blocks', 'c', Buffer.alloc(20_000));
  await makeAppendBlob(account, 'log');
  await append(account, 'log', 'line');
  await makePageBlob(account, 'pages', 5120);
  await putPages(account, 'pages', 0, Buffer.alloc(512));
  const space = await account.store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  assert.ok(space);
  const rows: Row[] = [];
  const bound = Number.POSITIVE_INFINITY;
  const budget = { rows: bound, bytes: bound, examined: bound, milliseconds: bound };
  await account.store.scan(space, { from: { partition: '', key: '' } }, budget, row => {
    rows.push(copyRow(row));
    return true;
  });
  return { space, rows };
}

test('what operations write is sound, and damage is found', async () => {
  const { space, rows } = await written();
  assert.equal(rows.length, 11);
  assert.equal(isOfBlobService(space), true);
  assert.equal(inspectBlobSpace(space), undefined);
  assert.notEqual(inspectBlobSpace({ ...space, metadata: space.metadata.subarray(1) }), undefined);
  for (const row of rows) {
    assert.equal(inspectBlobRow(space, row), undefined, `${row.partition} ${row.key}`);
    const { value } = row;
    for (const damaged of [
      value.subarray(0, 5),
      Buffer.concat([Buffer.from([9]), value.subarray(1)]),
      Buffer.alloc(0),
    ])
      assert.notEqual(inspectBlobRow(space, { ...row, value: damaged }), undefined, row.key);
    assert.notEqual(inspectBlobRow(space, { ...row, key: `X${row.key}` }), undefined);
  }
  const named = rows.flatMap(row => contentsNamedBy(space, row));
  assert.deepEqual(
    named.map(({ bytes }) => bytes),
    [20_000, 20_000],
  );
});

test('a list of blocks that is a content names the contents of the blocks', async () => {
  const account = await openContainer();
  const names = Array.from({ length: 40 }, (_, at) => `n${at}`);
  for (const name of names) await putBlock(account, 'list', name, name === 'n7' ? Buffer.alloc(20_000) : 'x');
  await putList(account, 'list', names);
  await account.settled();
  const space = await account.store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  assert.ok(space);
  const [row] = await account.store.read(space, 'list', ['B']);
  assert.ok(row);
  const [manifest, ...others] = contentsNamedBy(space, row);
  assert.ok(manifest?.names && others.length === 0);
  const pieces: Buffer[] = [];
  for await (const piece of account.content.read(space, manifest.id, 0, manifest.bytes)) pieces.push(piece);
  const named = manifest.names(Buffer.concat(pieces)).map(({ id }) => id);
  assert.deepEqual([manifest.id, ...named].sort(), (await contentsIn(account)).sort());
});

test('a head that is cut anywhere is refused as corrupt', async () => {
  const { rows } = await written();
  const head = rows.find(({ partition, key }) => partition === 'small' && key === 'B')?.value;
  assert.ok(head);
  for (let length = 0; length < head.length - 1; length++)
    assert.throws(() => decodeHead(head.subarray(0, length)), { name: 'StoreError', code: 'corrupt' });
  const other = Buffer.from(head);
  other[0] = 2;
  assert.throws(() => decodeHead(other), { name: 'StoreError', code: 'unsupported' });
});
