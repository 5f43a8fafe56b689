// Blocks and their lists through the package's entry point.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  BLOB,
  CONTAINER,
  contentsIn,
  deleteBlob,
  openContainer,
  operation,
  outcomeOf,
  putBlob,
  readBlob,
  refusalOf,
  rowsOf,
  seen,
  takeSnapshot,
  upload,
} from '../testing/account.js';
import { blockId, blocksOf, putBlock, putList } from '../testing/parts.js';

const large = (name: string): Buffer => Buffer.alloc(20_000, name);

for (const [size, body] of [
  ['small', (name: string) => Buffer.from(name.repeat(3))],
  ['large', large],
  ['mixed', (name: string) => (name < 'b' ? large(name) : Buffer.from(name))],
] as const)
  test(`${size} blocks make a blob in the order of the list`, async () => {
    const account = await openContainer();
    for (const name of ['c', 'a', 'b', 'd']) await putBlock(account, BLOB, name, body(name));
    await refusalOf('BlobNotFound', readBlob(account, BLOB));
    await putList(account, BLOB, ['b', 'a', 'b']);
    await account.settled();
    const whole = Buffer.concat([body('b'), body('a'), body('b')]);
    assert.deepEqual(await readBlob(account, BLOB), whole);
    assert.deepEqual(await readBlob(account, BLOB, [1, whole.length - 1]), whole.subarray(1, -1));
    assert.deepEqual(await blocksOf(account, BLOB), {
      committed: ['b', 'a', 'b'].map(name => `${name}:${body(name).length}`),
      uncommitted: [],
    });
    assert.equal((await seen(account, BLOB)).properties.contentMd5, undefined);
    assert.deepEqual(await rowsOf(account, BLOB), ['B']);
    await refusalOf('InvalidBlockList', putList(account, BLOB, ['d']));
    await putBlock(account, BLOB, 'e', body('e'));
    await putList(account, BLOB, ['a', 'e']);
    await account.settled();
    assert.deepEqual(await readBlob(account, BLOB), Buffer.concat([body('a'), body('e')]));
    await deleteBlob(account, BLOB);
    await account.settled();
    assert.deepEqual([await contentsIn(account), await rowsOf(account, BLOB)], [[], []]);
  });

test('a list says where to look for a block', async () => {
  const account = await openContainer();
  await putBlock(account, BLOB, 'a', 'old');
  await putList(account, BLOB, ['a']);
  await putBlock(account, BLOB, 'a', 'new!');
  const list = (from: 'committed' | 'uncommitted' | 'latest') =>
    putList(account, BLOB, [{ from, id: blockId('a') }]);
  assert.deepEqual(await blocksOf(account, BLOB), { committed: ['a:3'], uncommitted: ['a:4'] });
  await list('committed');
  assert.equal((await readBlob(account, BLOB)).toString(), 'old');
  await refusalOf('InvalidBlockList', list('uncommitted'));
  await putBlock(account, BLOB, 'a', 'new!');
  await list('latest');
  assert.equal((await readBlob(account, BLOB)).toString(), 'new!');
});

test('a block that is put again after its list was made leaves the blob its content', async () => {
  const account = await openContainer();
  await putBlock(account, BLOB, 'a', large('a'));
  const space = await account.store.getSpace({ account: 'account1', service: 'blob', name: CONTAINER });
  // Rows of listed blocks stay until their last reader is done.
  const release = account.context.background.hold(`${space?.id}/${BLOB}`);
  await putList(account, BLOB, ['a']);
  await putBlock(account, BLOB, 'a', large('b'));
  release();
  await account.settled();
  assert.deepEqual(await readBlob(account, BLOB), large('a'));
  await putList(account, BLOB, ['a']);
  await account.settled();
  assert.deepEqual(await readBlob(account, BLOB), large('b'));
  assert.equal((await contentsIn(account)).length, 1);
});

describe('uncommitted blocks', () => {
  test('go with a Put Blob, and with the blob', async () => {
    const account = await openContainer();
    for (const end of [() => putBlob(account, BLOB, 'x'), () => deleteBlob(account, BLOB)]) {
      await putBlob(account, BLOB, 'first');
      await putBlock(account, BLOB, 'a', large('a'));
      await putBlock(account, BLOB, 'b', 'small');
      await end();
      await refusalOf('InvalidBlockList', putList(account, BLOB, ['a']));
      await account.settled();
      assert.deepEqual(await contentsIn(account), []);
    }
    assert.deepEqual(await rowsOf(account, BLOB), []);
  });

  test('of which nothing is committed go with a Delete Blob, and with one that includes snapshots', async () => {
    const account = await openContainer();
    for (const snapshots of [undefined, 'include'] as const) {
      await putBlock(account, BLOB, 'a', large('a'));
      await refusalOf('BlobNotFound', deleteBlob(account, BLOB, 'only'));
      await deleteBlob(account, BLOB, snapshots);
      await account.settled();
      assert.deepEqual([await contentsIn(account), await rowsOf(account, BLOB)], [[], []]);
      await refusalOf('BlobNotFound', deleteBlob(account, BLOB, snapshots));
    }
  });

  test('are listed by the bytes of their ids', async () => {
    const account = await openContainer();
    const numbers = [30_000, 0xffffffff, 10_000, 0, 40_000, 0xfb000000, 20_000];
    const idOf = (number: number): string => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32BE(number);
      return bytes.toString('base64');
    };
    for (const number of numbers)
      await account.run(operation('putBlock', { id: idOf(number), upload: upload('x') }));
    const get = operation('getBlockList', { committed: true, uncommitted: true });
    const blocks = await outcomeOf('blocks', account.run(get));
    const ascending = numbers.toSorted((a, b) => a - b).map(idOf);
    assert.deepEqual(
      blocks.uncommitted?.map(({ id }) => id),
      ascending,
    );
  });

  test('have ids of one length, and a body', async () => {
    const account = await openContainer();
    await putBlock(account, BLOB, 'a', 'x');
    const put = (id: string, body = 'x') => account.run(operation('putBlock', { id, upload: upload(body) }));
    await refusalOf('InvalidBlobOrBlock', put('AAAA'));
    await refusalOf('InvalidHeaderValue', put(blockId('b'), ''));
  });
});

test('a thousand blocks are a list of their own, which snapshots share', async () => {
  const account = await openContainer();
  const names = Array.from({ length: 1000 }, (_, at) => String(at).padStart(4, '0'));
  for (const name of names) await putBlock(account, BLOB, name, name === '0500' ? large('z') : name);
  await putList(account, BLOB, names);
  const whole = Buffer.concat(names.map(name => (name === '0500' ? large('z') : Buffer.from(name))));
  assert.deepEqual(await readBlob(account, BLOB), whole);
  assert.deepEqual(await readBlob(account, BLOB, [1998, 2050]), whole.subarray(1998, 2050));
  const snapshot = await takeSnapshot(account, BLOB);
  await putList(account, BLOB, names.slice(500, 600));
  await account.settled();
  assert.deepEqual(await readBlob(account, BLOB, undefined, snapshot), whole);
  assert.equal((await readBlob(account, BLOB)).length, 20_000 + 99 * 4);
  await deleteBlob(account, BLOB, 'include');
  await account.settled();
  assert.deepEqual([await contentsIn(account), await rowsOf(account, BLOB)], [[], []]);
});
