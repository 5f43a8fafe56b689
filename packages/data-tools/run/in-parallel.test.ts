// After a failure nothing more begins, and the failure shows once nothing is in progress.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inParallel } from './in-parallel.js';

test('items after the first failure are left, and those in progress end before it shows', async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  const working = inParallel([1, 2, 3, 4, 5, 6], 3, async item => {
    begun.push(item);
    if (item === 2) throw new RangeError('no');
    await nextTurn();
    ended.push(item);
  });
  await assert.rejects(working, RangeError);
  assert.deepEqual(
    [begun, ended],
    [
      [1, 2, 3],
      [1, 3],
    ],
  );
});
