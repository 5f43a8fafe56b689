// When time was stolen, by what was seen of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { theftsBetween, watchThefts } from './thefts.js';

const looks = (...stolen: readonly (number | undefined)[]) =>
  stolen.map((each, index) => ({ at: 100 + index * 50, stolen: each }));

test('a theft lasts from the look before it to the one that found it', () => {
  assert.deepEqual(theftsBetween(looks(7, 7, 8, 8, 9, 12, 12)), [
    { from: 150, until: 200 },
    { from: 250, until: 350 },
  ]);
});

test('nothing stolen, nothing told, and nobody who looked twice', () => {
  assert.deepEqual(theftsBetween(looks(7, 7, 7)), []);
  assert.deepEqual(theftsBetween(looks(undefined, undefined)), []);
  assert.deepEqual(theftsBetween(looks(undefined, 5, undefined, 6)), []);
  assert.deepEqual(theftsBetween(looks(3)), []);
});

test('looking ends', async () => {
  const stop = watchThefts();
  await new Promise(resolve => setTimeout(resolve, 120));
  for (const { from, until } of stop()) assert.ok(until > from);
});
