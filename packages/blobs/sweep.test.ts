// The sweep finds what killed servers left behind, and nothing else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeExtent } from './rows/extent.js';
import { BlobSweep } from './sweep.js';
import {
  BLOB,
  contentsIn,
  openContainer,
  putBlob,
  readBlob,
  refusalOf,
  rowsOf,
  SECOND,
  type TestAccount,
  takeSnapshot,
} from './testing/account.js';
import {
  append,
  blocksOf,
  copyOf,
  makeAppendBlob,
  makePageBlob,
  putBlock,
  putList,
  putPages,
  sourceOf,
} from './testing/parts.js';

export async function sweep({ context, settled }: TestAccount): Promise<number> {
  await settled();
  const sweeping = new BlobSweep({ ...context, accounts: () => ['account1'] });
  let reclaimed = 0;
  for (;;) {
    const step = await sweeping.step();
    reclaimed += step.reclaimed;
    if (step.isPassOver) return reclaimed;
  }
}

async function spaceOf({ store }: TestAccount) {
  const [space] = await store.listSpaces('account1', 'blob', '', 1);
  assert.ok(space);
  return space;
}

/** A content of a server that was killed before a row named it. */
async function orphan(account: TestAccount): Promise<string> {
  const writer = await account.content.create(await spaceOf(account));
  await writer.write(Buffer.from('left behind'));
  await writer.finish();
  writer.release();
  return writer.id;
}

const large = (fill: string): Buffer => Buffer.alloc(20_000, fill);

test('contents that no row names are dropped, all others stay', async () => {
  const account = await openContainer();
  await putBlob(account, 'whole', large('w'));
  await putBlock(account, 'staged', 'a', large('a'));
  await makeAppendBlob(account, 'log');
  await append(account, 'log', large('l'));
  await makePageBlob(account, 'pages', 51_200);
  await putPages(account, 'pages', 0, Buffer.alloc(20_480, 'p'));
  await takeSnapshot(account, 'pages');
  await putPages(account, 'pages', 0, Buffer.alloc(20_480, 'q'));
  const names = Array.from({ length: 60 }, (_, at) => `n${at}`);
  for (const name of names) await putBlock(account, 'list', name, large('x'));
  await putList(account, 'list', names);
  await account.settled();
  const before = await contentsIn(account);
  assert.equal(await sweep(account), 0);
  for (let i = 0; i < 50; i++) await orphan(account);
  assert.equal(await sweep(account), 50);
  assert.deepEqual(await contentsIn(account), before);
  assert.equal((await readBlob(account, 'list')).length, 60 * 20_000);
  await putPages(account, 'pages', 0, Buffer.alloc(20_480, 'r'));
  assert.equal(await sweep(account), 0, 'What was written over is gone by itself.');
  await account.run(copyOf(sourceOf('pages'), 'copied'));
  await putPages(account, 'copied', 0, Buffer.alloc(20_480, 's'));
  assert.equal(await sweep(account), 1, 'What was copied is not.');
});

test('rows that no head names are removed, with their contents', async () => {
  const account = await openContainer();
  await putBlob(account, BLOB, 'x');
  const id = await orphan(account);
  const value = encodeExtent({ length: 11, content: id, from: 0, inline: undefined });
  const key = `E${'7'.repeat(16)}${'0'.repeat(12)}`;
  await account.store.commit(await spaceOf(account), BLOB, { keys: [] }, () => ({
    result: true,
    puts: [{ key, value }],
  }));
  assert.ok((await sweep(account)) > 0);
  assert.deepEqual([await rowsOf(account, BLOB), await contentsIn(account)], [['B'], []]);
});

test('uncommitted blocks are dropped a week after the last one was put', async () => {
  const account = await openContainer();
  await putBlock(account, BLOB, 'a', large('a'));
  account.time.now += 6n * 86_400n * SECOND;
  await putBlock(account, BLOB, 'b', 'small');
  account.time.now += 6n * 86_400n * SECOND;
  assert.equal(await sweep(account), 0);
  assert.deepEqual(await blocksOf(account, BLOB), { committed: [], uncommitted: ['a:20000', 'b:5'] });
  account.time.now += 86_400n * SECOND;
  await sweep(account);
  assert.deepEqual([await rowsOf(account, BLOB), await contentsIn(account)], [[], []]);
  await refusalOf('BlobNotFound', blocksOf(account, BLOB));
});
