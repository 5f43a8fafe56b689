// Copies, and bodies from URLs, through the package's entry point; and finding blobs by tags.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { OperationOf, Source } from '../operation.js';
import {
  BLOB,
  CONTAINER,
  contentsIn,
  deleteBlob,
  NO_CONDITIONS,
  openContainer,
  operation,
  outcomeOf,
  putBlob,
  readBlob,
  refusalOf,
  seen,
  type TestAccount,
  takeSnapshot,
  WHOLE,
} from '../testing/account.js';
import {
  append,
  blockId,
  blocksOf,
  copyOf,
  makeAppendBlob,
  makePageBlob,
  putBlock,
  putList,
  putPages,
  rangesOf,
  sourceOf,
} from '../testing/parts.js';
import { NO_ETAG } from '../values/conditions.js';

const copy = ({ run }: TestAccount, from: Source, to: string, more: Partial<OperationOf<'copyBlob'>> = {}) =>
  outcomeOf('copied', run(copyOf(from, to, more)));

describe('a copy', () => {
  test('has content, properties, blocks and metadata of its source, not its tags and lease', async () => {
    const account = await openContainer();
    const metadata = [{ name: 'a', value: 'b' }];
    for (const [name, body] of [
      ['a', 'small'],
      ['b', Buffer.alloc(30_000, 'b')],
    ] as const)
      await putBlock(account, BLOB, name, body);
    await putList(account, BLOB, ['b', 'a'], { metadata, tags: [['k', 'v']] });
    const { copyId } = await copy(account, sourceOf(BLOB), 'copy');
    await deleteBlob(account, BLOB);
    await account.settled();
    const blob = await seen(account, 'copy');
    assert.deepEqual(
      [blob.metadata, blob.tagCount, blob.properties.contentType],
      [metadata, 0, 'text/plain'],
    );
    assert.deepEqual([blob.copy?.id, blob.copy?.status, blob.copy?.copied], [copyId, 'success', 30_005]);
    assert.deepEqual((await blocksOf(account, 'copy')).committed, ['b:30000', 'a:5']);
    assert.equal((await readBlob(account, 'copy')).subarray(29_999).toString(), 'bsmall');
    await putBlob(account, 'copy', 'x');
    assert.equal((await seen(account, 'copy')).copy, undefined);
    await account.settled();
    assert.deepEqual(await contentsIn(account), []);
  });

  test('is made of append and page blobs, and of snapshots', async () => {
    const account = await openContainer();
    await makeAppendBlob(account, 'log');
    await append(account, 'log', 'one');
    await append(account, 'log', Buffer.alloc(20_000, '2'));
    await copy(account, sourceOf('log'), 'log2');
    assert.deepEqual((await seen(account, 'log2')).committedBlocks, 2);
    await append(account, 'log2', 'end');
    assert.equal((await readBlob(account, 'log2')).subarray(20_002).toString(), '2end');
    await makePageBlob(account, 'disk', 2 ** 40);
    await putPages(account, 'disk', 2 ** 39, Buffer.alloc(100 * 512, 'p'));
    await copy(account, sourceOf('disk'), 'disk2');
    assert.equal(await rangesOf(account, 'disk2'), `${2 ** 30}-${2 ** 30 + 100}`);
    await putBlob(account, BLOB, 'old');
    const snapshot = await takeSnapshot(account, BLOB);
    await putBlob(account, BLOB, 'new');
    await copy(account, sourceOf(BLOB, snapshot), BLOB);
    assert.equal((await readBlob(account, BLOB)).toString(), 'old');
  });

  test('that is waited for is made of block blobs that are online', async () => {
    const account = await openContainer();
    await makeAppendBlob(account, 'log');
    await makePageBlob(account, 'disk', 512);
    const waiting = { isSynchronous: true };
    for (const name of ['log', 'disk'])
      for (const snapshot of [undefined, await takeSnapshot(account, name)])
        await refusalOf(
          'CannotVerifyCopySource:BlockBlob',
          copy(account, sourceOf(name, snapshot), 'copy', waiting),
        );
    await putBlob(account, BLOB, 'x');
    await copy(account, sourceOf(BLOB, await takeSnapshot(account, BLOB)), 'copy', waiting);
    assert.equal((await readBlob(account, 'copy')).toString(), 'x');
    await putBlob(account, 'old', 'x', { tier: 'Archive' });
    await refusalOf('CannotVerifyCopySource:Archived', copy(account, sourceOf('old'), 'copy', waiting));
  });

  test('onto itself refreshes it', async () => {
    const account = await openContainer();
    await putBlob(account, BLOB, Buffer.alloc(100_000, 'x'));
    await copy(account, sourceOf(BLOB), BLOB, { metadata: [{ name: 'n', value: '1' }] });
    await account.settled();
    assert.deepEqual(await readBlob(account, BLOB), Buffer.alloc(100_000, 'x'));
    assert.equal((await contentsIn(account)).length, 1);
  });

  test('is refused where source or destination are not as asked', async () => {
    const account = await openContainer();
    await refusalOf('BlobNotFound', copy(account, sourceOf('none'), BLOB));
    const stamp = await putBlob(account, 'from', 'x');
    const stale = { ...sourceOf('from'), conditions: { ...NO_CONDITIONS, ifNoneMatch: [stamp.etag] } };
    await refusalOf('SourceConditionNotMet', copy(account, stale, BLOB));
    await putBlob(account, BLOB, 'y');
    await refusalOf(
      'BlobAlreadyExists',
      copy(account, sourceOf('from'), BLOB, { conditions: { ...NO_CONDITIONS, ifNoneMatch: 'any' } }),
    );
    await refusalOf('NoPendingCopyOperation', account.run(operation('abortCopy', { copyId: 'x' })));
  });
});

test('blobs, blocks and appends take their bodies from a blob', async () => {
  const account = await openContainer();
  await putBlob(account, 'from', `${'x'.repeat(50_000)}end`);
  const range = { from: 49_999, until: undefined };
  const part = { ...sourceOf('from'), range, md5: undefined, crc64: undefined };
  const whole = operation('putBlobFromUrl', {
    md5: undefined,
    crc64: undefined,
    propertiesOfSource: true,
    tagsOfSource: false,
    source: sourceOf('from'),
    properties: { ...WHOLE.properties, contentType: undefined },
  });
  await outcomeOf('blobPut', account.run(whole));
  const blob = await seen(account, BLOB);
  assert.deepEqual([blob.length, blob.properties.contentType, blob.copy], [50_003, 'text/plain', undefined]);
  const put = (etag: bigint) => account.run({ ...whole, conditions: { ...NO_CONDITIONS, ifMatch: [etag] } });
  await refusalOf('ConditionNotMet', put(1n));
  await refusalOf('TargetConditionNotMet', put(NO_ETAG));
  const block = operation('putBlockFromUrl', { id: blockId('a'), source: part });
  await outcomeOf('blockPut', account.run(block));
  await putList(account, BLOB, ['a']);
  assert.equal((await readBlob(account, BLOB)).toString(), 'xend');
  await makeAppendBlob(account, 'log');
  const conditions = { ...NO_CONDITIONS, appendPosition: 0, maxSize: undefined };
  const appending = operation('appendBlockFromUrl', { blob: 'log', conditions, source: part });
  assert.equal((await outcomeOf('appended', account.run(appending))).blocks, 1);
  assert.equal((await readBlob(account, 'log')).toString(), 'xend');
  const missing = { ...part, blob: 'none' };
  await refusalOf('CannotVerifyCopySource:Missing', account.run({ ...appending, source: missing }));
});

test('blobs are found by tags, in one container and in all', async () => {
  const account = await openContainer();
  for (let i = 0; i < 30; i++)
    await putBlob(account, `b${String(i).padStart(2, '0')}`, 'x', {
      tags:
        i % 3 === 0
          ? [
              ['third', 'yes'],
              ['n', String(i % 2)],
            ]
          : [],
    });
  const compare = (key: string, value: string) => ({ kind: 'compare', key, operator: '=', value }) as const;
  const where = { kind: 'and', left: compare('third', 'yes'), right: compare('n', '0') } as const;
  const find = (container: string | undefined, from?: { container: string; blob: string }) =>
    outcomeOf('found', account.run({ kind: 'findBlobsByTags', container, where, from, top: 3 }));
  for (const container of [CONTAINER, undefined]) {
    const first = await find(container);
    assert.deepEqual(
      first.blobs.map(({ blob }) => blob),
      ['b00', 'b06', 'b12'],
    );
    assert.deepEqual(first.next, { container: CONTAINER, blob: 'b18' });
    const last = await find(container, first.next);
    assert.deepEqual([last.blobs.map(({ blob }) => blob), last.next], [['b18', 'b24'], undefined]);
  }
});
