// Block blobs put at once, read, changed, snapshotted and deleted, through the package's entry point.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { Crc64 } from '#base';
import {
  BLOB,
  bytesOf,
  contentsIn,
  deleteBlob,
  deleteSnapshot,
  NO_CONDITIONS,
  openContainer,
  operation,
  outcomeOf,
  putBlob,
  readBlob,
  refusalOf,
  rowsOf,
  SECOND,
  START,
  seen,
  takeSnapshot,
  upload,
} from '../testing/account.js';
import { copyOf, makeAppendBlob, putBlock, putList, sourceOf } from '../testing/parts.js';

const filled = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => at % 251));

test('a put replaces all but the creation time, the lease and the snapshots, and drops the content', async () => {
  const account = await openContainer();
  const metadata = [{ name: 'a', value: 'b' }];
  await putBlob(account, BLOB, filled(100_000), { metadata, tags: [['k', 'v']], tier: 'Cool' });
  account.time.now += SECOND;
  await putBlob(account, BLOB, filled(50_000));
  await account.settled();
  const blob = await seen(account, BLOB);
  assert.equal(blob.created, START + 1n);
  assert.equal(blob.stamp.lastModified, START + SECOND);
  assert.deepEqual([blob.metadata, blob.tagCount, blob.tier], [[], 0, undefined]);
  assert.equal((await contentsIn(account)).length, 1);
  await deleteBlob(account, BLOB);
  await account.settled();
  assert.deepEqual([await contentsIn(account), await rowsOf(account, BLOB)], [[], []]);
  await refusalOf('BlobNotFound', readBlob(account, BLOB));
});

describe('digests', () => {
  const put = (body: string, said: { md5?: Buffer; crc64?: Buffer }, conditions = NO_CONDITIONS) =>
    operation('putBlockBlob', {
      conditions,
      upload: { ...upload(body), md5: said.md5, crc64: said.crc64 },
    });

  for (const length of [0, 2, 16_384, 16_385, 65_536, 65_537])
    test(`are those of ${length} bytes, whose pieces are overwritten as they are read`, async () => {
      const { run } = await openContainer();
      const body = filled(length);
      const md5 = createHash('md5').update(body).digest();
      const crc64 = new Crc64().update(body).digest();
      const put = operation('putBlockBlob', { upload: { ...upload(body), md5, crc64 } });
      assert.deepEqual((await outcomeOf('blobPut', run(put))).digests, { md5, crc64 });
    });

  test('are looked at behind the conditions, and what is refused leaves nothing', async () => {
    const account = await openContainer();
    const wrong = { md5: Buffer.alloc(16) };
    await putBlob(account, BLOB, 'first');
    const ifAbsent = { ...NO_CONDITIONS, ifNoneMatch: 'any' } as const;
    await refusalOf('BlobAlreadyExists', account.run(put('x', wrong, ifAbsent)));
    await refusalOf('Md5Mismatch', account.run(put('x'.repeat(100_000), wrong)));
    assert.equal((await readBlob(account, BLOB)).toString(), 'first');
    assert.deepEqual(await contentsIn(account), []);
  });
});

test('the content of an archived blob is not read, its properties are', async () => {
  const account = await openContainer();
  await putBlob(account, BLOB, 'x', { tier: 'Archive' });
  await refusalOf('BlobArchived', account.run(operation('getBlob', {})));
  assert.equal((await seen(account, BLOB)).tier?.name, 'Archive');
  await outcomeOf('tierSet', account.run(operation('setTier', { tier: 'Hot' })));
  assert.equal((await readBlob(account, BLOB)).toString(), 'x');
});

test('an archived blob is not written, and is deleted, tagged and brought back', async () => {
  const account = await openContainer();
  const { run } = account;
  await putBlob(account, BLOB, 'x', { tier: 'Archive' });
  await putBlob(account, 'other', 'y');
  await putBlock(account, BLOB, 'a', 'z');
  for (const text of ['', 'small', 'x'.repeat(100_000)])
    await refusalOf('BlobArchived', putBlob(account, BLOB, text));
  await refusalOf('BlobArchived', makeAppendBlob(account, BLOB));
  await refusalOf('BlobArchived', putList(account, BLOB, ['a']));
  await refusalOf('BlobArchived', putList(account, BLOB, []));
  await refusalOf('BlobArchived', run(copyOf(sourceOf('other'), BLOB)));
  await refusalOf('BlobArchived', run(copyOf(sourceOf(BLOB), BLOB, { tier: 'Hot' })));
  await refusalOf('BlobArchived', run(operation('setBlobMetadata', {})));
  const properties = { length: undefined, sequenceNumber: undefined };
  await refusalOf('BlobArchived', run(operation('setBlobProperties', properties)));
  await refusalOf('BlobArchived', takeSnapshot(account, BLOB));
  await account.settled();
  assert.deepEqual(await contentsIn(account), []);

  await outcomeOf('tagsSet', run(operation('setTags', { tags: [['k', 'v']] })));
  await outcomeOf('copied', run(copyOf(sourceOf(BLOB), 'copy')));
  assert.equal((await readBlob(account, 'copy')).toString(), 'x');
  await outcomeOf('tierSet', run(operation('setTier', { tier: 'Cool' })));
  await outcomeOf('blobMetadataSet', run(operation('setBlobMetadata', {})));
  await outcomeOf('tierSet', run(operation('setTier', { tier: 'Archive' })));
  await deleteBlob(account, BLOB);
  await putBlob(account, BLOB, 'new');
});

test('who holds the lease of a blob may put it although it must not be there; who has lost it may not', async () => {
  const account = await openContainer();
  await putBlob(account, BLOB, 'first');
  const id = '00000000-1111-2222-3333-444444444444';
  const action = { kind: 'acquire', seconds: 15, proposedId: id } as const;
  await outcomeOf('leased', account.run(operation('leaseBlob', { action })));
  const put = (text: string, leaseId: string | undefined) =>
    putBlob(account, BLOB, text, { conditions: { ...NO_CONDITIONS, ifNoneMatch: 'any', leaseId } });
  await refusalOf('LeaseIdMissing', put('x', undefined));
  await put('second', id);
  assert.equal((await readBlob(account, BLOB)).toString(), 'second');
  account.time.now += 20n * SECOND;
  await refusalOf('LeaseLost', put('third', id));
});

test('metadata, tags, tiers: only metadata changes the stamp', async () => {
  const account = await openContainer();
  const { run } = account;
  const first = await putBlob(account, BLOB, 'x');
  await outcomeOf('tagsSet', run(operation('setTags', { tags: [['a', '1']] })));
  await outcomeOf('tierSet', run(operation('setTier', { tier: 'Cool' })));
  await refusalOf('InvalidHeaderValue', run(operation('setTier', { tier: 'Warm' })));
  assert.deepEqual((await seen(account, BLOB)).stamp, first);
  assert.deepEqual(await run(operation('getTags', {})), { kind: 'tags', tags: [['a', '1']] });
  const metadata = [{ name: 'A', value: '' }];
  const set = operation('setBlobMetadata', { metadata });
  const { stamp } = await outcomeOf('blobMetadataSet', run(set));
  assert.ok(stamp.etag > first.etag);
  assert.deepEqual(await run(operation('getBlobMetadata', {})), { kind: 'blobMetadata', stamp, metadata });
  const stale = { ...NO_CONDITIONS, ifMatch: [first.etag] };
  await refusalOf('ConditionNotMet', run({ ...set, conditions: stale }));
  assert.equal((await readBlob(account, BLOB)).toString(), 'x');
});

describe('snapshots', () => {
  for (const [size, length] of [
    ['small', 10],
    ['large', 100_000],
  ] as const)
    test(`keep a ${size} content while the blob is replaced, and give it up at the end`, async () => {
      const account = await openContainer();
      await putBlob(account, BLOB, filled(length));
      const one = await takeSnapshot(account, BLOB);
      const two = await takeSnapshot(account, BLOB);
      await putBlob(account, BLOB, 'new');
      await account.settled();
      assert.deepEqual(await readBlob(account, BLOB, undefined, one), filled(length));
      assert.equal((await readBlob(account, BLOB)).toString(), 'new');
      await deleteSnapshot(account, BLOB, one);
      await account.settled();
      assert.deepEqual(await readBlob(account, BLOB, undefined, two), filled(length));
      await refusalOf('SnapshotsPresent', deleteBlob(account, BLOB));
      await deleteBlob(account, BLOB, 'only');
      await account.settled();
      assert.deepEqual(await contentsIn(account), []);
      await takeSnapshot(account, BLOB);
      await deleteBlob(account, BLOB, 'include');
      assert.deepEqual(await rowsOf(account, BLOB), []);
    });

  test('have metadata of their own, and no lease', async () => {
    const account = await openContainer();
    const stamp = await putBlob(account, BLOB, 'x', { metadata: [{ name: 'a', value: '1' }] });
    const metadata = [{ name: 'b', value: '2' }];
    const taken = await outcomeOf('snapshotTaken', account.run(operation('snapshotBlob', { metadata })));
    assert.deepEqual(taken.stamp, stamp);
    const snapshot = await seen(account, BLOB, taken.snapshot);
    assert.deepEqual(
      [snapshot.metadata, snapshot.lease, snapshot.snapshot],
      [metadata, undefined, taken.snapshot],
    );
    assert.deepEqual((await seen(account, BLOB)).metadata, [{ name: 'a', value: '1' }]);
  });
});

test('a reader that has begun gets the old content whole', async () => {
  const account = await openContainer();
  await putBlob(account, BLOB, filled(3_000_000));
  const { content } = await outcomeOf('blobContent', account.run(operation('getBlob', {})));
  await putBlob(account, BLOB, 'new');
  assert.deepEqual(await bytesOf(content), filled(3_000_000));
  await account.settled();
  assert.deepEqual(await contentsIn(account), []);
});
