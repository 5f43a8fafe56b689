// Page blobs through the package's entry point; body/merge-layers.test.ts compares random writes with plain buffers.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  BLOB,
  contentsIn,
  deleteBlob,
  NO_PAGE_CONDITIONS,
  openContainer,
  operation,
  outcomeOf,
  readBlob,
  refusalOf,
  rowsOf,
  takeSnapshot,
} from '../testing/account.js';
import { clearPages, copyOf, makePageBlob, putPages, rangesOf, sourceOf } from '../testing/parts.js';

const PAGE = 512;

test('pages are zeros until they are written, and zeros again when they are cleared', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 100 * PAGE);
  assert.deepEqual(await readBlob(account, BLOB), Buffer.alloc(100 * PAGE));
  await putPages(account, BLOB, 10 * PAGE, Buffer.alloc(60 * PAGE, 'a'));
  await putPages(account, BLOB, 20 * PAGE, Buffer.alloc(2 * PAGE, 'b'));
  await clearPages(account, BLOB, 30 * PAGE, 40 * PAGE);
  assert.equal(await rangesOf(account, BLOB), '10-30 40-70');
  const read = await readBlob(account, BLOB, [19 * PAGE, 31 * PAGE]);
  assert.equal(
    read.toString().replace(/(.)\1*/g, (run, unit) => `${unit}${run.length} `),
    'a512 b1024 a4096 \u0000512 ',
  );
});

test('spans have to be within the blob', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 4 * PAGE);
  await refusalOf('InvalidPageRange', putPages(account, BLOB, 3 * PAGE, Buffer.alloc(2 * PAGE)));
  await refusalOf('InvalidHeaderValue', makePageBlob(account, BLOB, 100));
});

describe('sequence numbers', () => {
  test('are set, raised and asked for', async () => {
    const account = await openContainer();
    await makePageBlob(account, BLOB, PAGE);
    const set = (action: 'max' | 'update' | 'increment', number: bigint) =>
      outcomeOf(
        'blobPropertiesSet',
        account.run(
          operation('setBlobProperties', {
            properties: undefined,
            length: undefined,
            sequenceNumber: { action, number },
          }),
        ),
      ).then(({ sequenceNumber }) => sequenceNumber);
    assert.deepEqual(
      [await set('update', 7n), await set('max', 5n), await set('increment', 0n)],
      [7n, 7n, 8n],
    );
    const put = (conditions: Partial<typeof NO_PAGE_CONDITIONS>) =>
      putPages(account, BLOB, 0, Buffer.alloc(PAGE), { ...NO_PAGE_CONDITIONS, ...conditions });
    await put({ sequenceNumberAtMost: 8n, sequenceNumberBelow: 9n, sequenceNumberEqual: 8n });
    for (const conditions of [
      { sequenceNumberAtMost: 7n },
      { sequenceNumberBelow: 8n },
      { sequenceNumberEqual: 7n },
    ])
      await refusalOf('SequenceNumberConditionNotMet', put(conditions));
    await set('update', 2n ** 63n - 1n);
    await refusalOf('SequenceNumberIncrementTooLarge', set('increment', 0n));
  });
});

test('what changed since a snapshot: written and cleared pages', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 20 * PAGE);
  await putPages(account, BLOB, 0, Buffer.alloc(10 * PAGE, 'a'));
  const first = await takeSnapshot(account, BLOB);
  await putPages(account, BLOB, 2 * PAGE, Buffer.alloc(PAGE, 'b'));
  await clearPages(account, BLOB, 5 * PAGE, 20 * PAGE);
  const second = await takeSnapshot(account, BLOB);
  assert.equal(await rangesOf(account, BLOB, first), '2-3 -5-10');
  assert.equal(await rangesOf(account, BLOB, second), '');
  assert.equal(await rangesOf(account, BLOB), '0-5');
  await refusalOf('PreviousSnapshotCannotBeNewer', rangesOf(account, BLOB, second, first));
  await refusalOf('PreviousSnapshotNotFound', rangesOf(account, BLOB, first - 1n));
});

test('a content goes with the last page of it that is written over', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 1000 * PAGE);
  const count = async (): Promise<number> => {
    await account.settled();
    return (await contentsIn(account)).length;
  };
  await putPages(account, BLOB, 100 * PAGE, Buffer.alloc(300 * PAGE, 'a'));
  await putPages(account, BLOB, 200 * PAGE, Buffer.alloc(50 * PAGE, 'b'));
  assert.equal(await count(), 2, 'Both ends of the first are there still.');
  await clearPages(account, BLOB, 100 * PAGE, 200 * PAGE);
  assert.equal(await count(), 2, 'One end is there still.');
  await takeSnapshot(account, BLOB);
  await putPages(account, BLOB, 0, Buffer.alloc(500 * PAGE, 'c'));
  assert.equal(await count(), 3, 'The snapshot has them.');
  await putPages(account, BLOB, 0, Buffer.alloc(600 * PAGE, 'd'));
  assert.equal(await count(), 3);
});

test('of a copy, whose content is everywhere, nothing is dropped while a page of it is there', async () => {
  const account = await openContainer();
  const other = 'other';
  await makePageBlob(account, other, 50_000 * PAGE);
  await putPages(account, other, 0, Buffer.alloc(40 * PAGE, 'a'));
  await putPages(account, other, 40_000 * PAGE, Buffer.alloc(40 * PAGE, 'b'));
  await account.run(copyOf(sourceOf(other), BLOB));
  await putPages(account, BLOB, 0, Buffer.alloc(40 * PAGE, 'c'));
  await account.settled();
  const last = await readBlob(account, BLOB, [40_000 * PAGE, 40_040 * PAGE]);
  assert.deepEqual(last, Buffer.alloc(40 * PAGE, 'b'));
});

test('the contents of a deleted blob go with it', async () => {
  const account = await openContainer();
  await makePageBlob(account, BLOB, 1000 * PAGE);
  await putPages(account, BLOB, 0, Buffer.alloc(100 * PAGE, 'a'));
  await putPages(account, BLOB, 50 * PAGE, Buffer.alloc(100 * PAGE, 'b'));
  assert.equal((await contentsIn(account)).length, 2);
  await deleteBlob(account, BLOB);
  await account.settled();
  assert.deepEqual([await contentsIn(account), await rowsOf(account, BLOB)], [[], []]);
});
