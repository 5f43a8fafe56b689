// Append blobs through the package's entry point.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BLOB,
  bytesOf,
  deleteBlob,
  NO_APPEND_CONDITIONS,
  openContainer,
  operation,
  outcomeOf,
  putBlob,
  readBlob,
  refusalOf,
  rowsOf,
  takeSnapshot,
} from '../testing/account.js';
import { append, makeAppendBlob } from '../testing/parts.js';

test('sixteen writers append at once: what was answered is there, each at its offset', async () => {
  const account = await openContainer();
  await makeAppendBlob(account, BLOB);
  const answers = await Promise.all(
    Array.from({ length: 16 }, async (_, writer) => {
      const mine: [number, string][] = [];
      for (let i = 0; i < 20; i++) {
        const line = `${writer}:${i};`;
        mine.push([(await append(account, BLOB, line)).offset, line]);
      }
      return mine;
    }),
  );
  const whole = (await readBlob(account, BLOB)).toString();
  const lines = answers.flat();
  for (const [offset, line] of lines) assert.equal(whole.slice(offset, offset + line.length), line);
  assert.equal(
    whole.length,
    lines.reduce((sum, [, line]) => sum + line.length, 0),
  );
});

test('the position, the size, the seal and the kind of blob refuse an append', async () => {
  const account = await openContainer();
  await makeAppendBlob(account, BLOB);
  await append(account, BLOB, 'abc', { appendPosition: 0 });
  await refusalOf('AppendPositionConditionNotMet', append(account, BLOB, 'd', { appendPosition: 0 }));
  await refusalOf('MaxBlobSizeConditionNotMet', append(account, BLOB, 'de', { maxSize: 4 }));
  await append(account, BLOB, 'd', { maxSize: 4 });
  await refusalOf('InvalidHeaderValue', append(account, BLOB, ''));
  const seal = operation('sealBlob', { conditions: NO_APPEND_CONDITIONS });
  assert.equal((await outcomeOf('sealed', account.run(seal))).length, 4);
  await outcomeOf('sealed', account.run(seal));
  await refusalOf('BlobIsSealed', append(account, BLOB, 'e'));
  await putBlob(account, 'block', 'x');
  await refusalOf('InvalidBlobType', append(account, 'block', 'e'));
});

test('a snapshot keeps its length, and a reader what it began with', async () => {
  const account = await openContainer();
  await makeAppendBlob(account, BLOB);
  for (let i = 0; i < 100; i++) await append(account, BLOB, Buffer.alloc(10_000, String(i % 10)));
  const before = await readBlob(account, BLOB);
  const snapshot = await takeSnapshot(account, BLOB);
  const { content } = await outcomeOf('blobContent', account.run(operation('getBlob', {})));
  await append(account, BLOB, 'more');
  await makeAppendBlob(account, BLOB);
  await append(account, BLOB, 'new');
  assert.deepEqual(await bytesOf(content), before);
  await account.settled();
  assert.deepEqual(await readBlob(account, BLOB, undefined, snapshot), before);
  await deleteBlob(account, BLOB, 'only');
  await account.settled();
  assert.equal((await readBlob(account, BLOB)).toString(), 'new');
  assert.equal((await rowsOf(account, BLOB)).length, 2);
});
