// Removes steps until each remaining one is needed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shrink } from './shrink.js';
import type { Step } from './step.js';

const stepOf = (number: number): Step => ({
  number,
  client: 0,
  pause: 0,
  level: 'nometadata',
  credential: 'key',
  action: { kind: 'nextPage' },
});

test('only the needed steps are left', async () => {
  const steps = Array.from({ length: 100 }, (_, i) => stepOf(i + 1));
  const fails = async (left: readonly Step[]) =>
    [7, 60, 61].every(number => left.some(step => step.number === number)) ? 'failed' : undefined;
  const shrunk = await shrink({ steps, failure: 'failed' }, fails, () => true);
  assert.deepEqual(
    shrunk.steps.map(({ number }) => number),
    [7, 60, 61],
  );
});

test('ends when there is no time left, with a list that fails', async () => {
  const steps = Array.from({ length: 100 }, (_, i) => stepOf(i + 1));
  const fails = async (left: readonly Step[]) => (left.length >= 10 ? left.length : undefined);
  let left = 3;
  const shrunk = await shrink({ steps, failure: 100 }, fails, () => {
    left -= 1;
    return left >= 0;
  });
  assert.ok(shrunk.steps.length < 100);
  assert.equal(shrunk.failure, shrunk.steps.length);
});
