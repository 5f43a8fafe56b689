// Limits on how many blocks a blob has, and on bytes, at one below, at and one above: at their true numbers, which rows are made to have, or with a
// small bound in their place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receive } from '../body/receive.js';
import {
  APPENDED_BLOCKS_MAX,
  COMMITTED_BLOCKS_MAX,
  SYNCHRONOUS_COPY_BYTES_MAX,
  UNCOMMITTED_BLOCKS_MAX,
} from '../limits.js';
import { openContainer as spaceOf } from '../rows/container-space.js';
import { decodeHead, encodeHead } from '../rows/head.js';
import { BLOB_KEY, STAGING_KEY } from '../rows/keys.js';
import { decodeStaging, encodeStaging } from '../rows/staged-block.js';
import {
  BLOB,
  CONTAINER,
  contentsIn,
  NO_CONDITIONS,
  openContainer,
  outcomeOf,
  putBlob,
  readBlob,
  refusalOf,
  seen,
  type TestAccount,
  upload,
} from '../testing/account.js';
import {
  append,
  copyOf,
  makeAppendBlob,
  makePageBlob,
  putBlock,
  putList,
  putPages,
  sourceOf,
} from '../testing/parts.js';

/** Puts another value into a row. */
async function change(
  { context, store }: TestAccount,
  key: string,
  by: (value: Buffer) => Buffer,
): Promise<void> {
  const space = await spaceOf(context, CONTAINER);
  await store.commit(space, BLOB, { keys: [key] }, ({ keys: [row] }) => ({
    result: true,
    puts: [{ key, value: by(row?.value ?? assert.fail()) }],
  }));
}

test('100,000 blocks wait, and not one more', async () => {
  const account = await openContainer();
  await putBlock(account, BLOB, 'a', 'x');
  await change(account, STAGING_KEY, value =>
    encodeStaging({ ...decodeStaging(value), blocks: UNCOMMITTED_BLOCKS_MAX - 2 }),
  );
  for (const name of ['b', 'c']) await putBlock(account, BLOB, name, 'x');
  await refusalOf('BlockCountExceedsLimit', putBlock(account, BLOB, 'd', 'x'));
  await refusalOf('BlockCountExceedsLimit', putBlock(account, BLOB, 'd', Buffer.alloc(20_000)));
  assert.deepEqual(await contentsIn(account), []);
  await putBlock(account, BLOB, 'c', 'in the place of the one before');
});

test('50,000 blocks are appended, and not one more', async () => {
  const account = await openContainer();
  await makeAppendBlob(account, BLOB);
  await change(account, BLOB_KEY, value =>
    encodeHead({ ...decodeHead(value), blocks: APPENDED_BLOCKS_MAX - 2 }),
  );
  for (const blocks of [APPENDED_BLOCKS_MAX - 1, APPENDED_BLOCKS_MAX])
    assert.equal((await append(account, BLOB, 'x')).blocks, blocks);
  await refusalOf('BlockCountExceedsLimit', append(account, BLOB, 'x'));
  await refusalOf('BlockCountExceedsLimit', append(account, BLOB, Buffer.alloc(200_000)));
  assert.equal((await readBlob(account, BLOB)).toString(), 'xx');
  assert.deepEqual(await contentsIn(account), []);
});

test('a blob of 50,000 blocks', async () => {
  const account = await openContainer();
  await putBlock(account, BLOB, 'a', 'x');
  const names = (count: number): string[] => Array.from({ length: count }, () => 'a');
  await putList(account, BLOB, names(COMMITTED_BLOCKS_MAX));
  assert.equal((await seen(account, BLOB)).length, COMMITTED_BLOCKS_MAX);
  assert.equal(
    (await readBlob(account, BLOB, [COMMITTED_BLOCKS_MAX - 2, COMMITTED_BLOCKS_MAX])).toString(),
    'xx',
  );
});

for (const bytesMax of [10, 20_000])
  test(`a body of ${bytesMax} bytes is taken in where that is the limit, a longer one leaves nothing`, async () => {
    const account = await openContainer();
    const space = await spaceOf(account.context, CONTAINER);
    const take = (length: number, told: number | undefined) =>
      receive(
        account.context,
        space,
        { ...upload(Buffer.alloc(length), 4096), length: told },
        { withMd5: false, precheck: async () => undefined, bytesMax },
      );
    for (const length of [bytesMax - 1, bytesMax]) {
      const received = await take(length, length);
      assert.equal(received.length, length);
      await received.writer?.discard();
    }
    // Both the announced length and the received bytes count.
    for (const told of [bytesMax + 1, bytesMax, undefined])
      await refusalOf('RequestBodyTooLarge', take(bytesMax + 1, told));
    assert.deepEqual(await contentsIn(account), []);
  });

test('Copy Blob From URL takes 256 MiB', async () => {
  const account = await openContainer();
  await putBlob(account, BLOB, 'x');
  await putBlob(account, 'to', 'there');
  // What the destination refuses is found behind the source's length, and before a byte is copied.
  const conditions = { ...NO_CONDITIONS, ifNoneMatch: 'any' } as const;
  const copy = (isSynchronous: boolean) =>
    account.run(copyOf(sourceOf(BLOB), 'to', { isSynchronous, conditions }));
  for (const [length, code] of [
    [SYNCHRONOUS_COPY_BYTES_MAX - 1, 'BlobAlreadyExists'],
    [SYNCHRONOUS_COPY_BYTES_MAX, 'BlobAlreadyExists'],
    [SYNCHRONOUS_COPY_BYTES_MAX + 1, 'RequestBodyTooLarge'],
  ] as const) {
    await change(account, BLOB_KEY, value => encodeHead({ ...decodeHead(value), length }));
    await refusalOf(code, copy(true));
    await refusalOf('BlobAlreadyExists', copy(false));
  }
});

test('pages up to the end of their blob, 4 MiB at once', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 8 * 1_048_576);
  await outcomeOf('pagesPut', putPages(account, BLOB, 4 * 1_048_576, Buffer.alloc(4 * 1_048_576)));
  await outcomeOf('pagesPut', putPages(account, BLOB, 0, Buffer.alloc(4 * 1_048_576 - 512)));
  await refusalOf('RequestBodyTooLarge', putPages(account, BLOB, 0, Buffer.alloc(4 * 1_048_576 + 512)));
  await refusalOf('InvalidPageRange', putPages(account, BLOB, 8 * 1_048_576 - 512, Buffer.alloc(1024)));
  await putBlob(account, BLOB, '');
});
