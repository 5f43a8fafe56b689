// A repeated text is logged once a second, with the number of suppressed ones; a new text at once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REPEATED_MILLISECONDS, Repetition } from './repetition.js';

test('the same is told once a second', () => {
  let now = 5;
  const repetition = new Repetition(() => now);
  assert.equal(repetition.next('full'), 0);
  assert.equal(repetition.next('full'), undefined);
  now += REPEATED_MILLISECONDS - 1;
  assert.equal(repetition.next('full'), undefined);
  now += 1;
  assert.equal(repetition.next('full'), 2);
  now += REPEATED_MILLISECONDS + 1;
  assert.equal(repetition.next('full'), 0);
});

test('another one is told at once', () => {
  const repetition = new Repetition(() => 0);
  assert.deepEqual(
    ['a', 'a', 'b', 'a', 'a'].map(text => repetition.next(text)),
    [0, undefined, 1, 0, undefined],
  );
});
