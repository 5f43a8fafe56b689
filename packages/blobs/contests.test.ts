// Turns: their order, and their end.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Contests } from './contests.js';

test('turns of one blob are taken in their order, and those that wait go on behind those before them', async () => {
  const contests = new Contests();
  const seen: string[] = [];
  assert.deepEqual([contests.areAny, contests.turnOf('a')], [false, undefined]);
  const first = contests.alone('a', async () => {
    await new Promise(setImmediate);
    seen.push('first');
    return 1;
  });
  const between = contests.turnOf('a')?.then(() => seen.push('between'));
  const second = contests.alone('a', async () => {
    await new Promise(setImmediate);
    seen.push('second');
  });
  const behind = contests.turnOf('a')?.then(() => seen.push('behind'));
  assert.deepEqual([contests.areAny, contests.turnOf('b')], [true, undefined]);
  assert.equal(await first, 1);
  await Promise.all([between, second, behind]);
  assert.deepEqual(seen, ['first', 'between', 'second', 'behind']);
  assert.deepEqual([contests.areAny, contests.turnOf('a')], [false, undefined]);
});

test('a turn ends though its work fails', async () => {
  const contests = new Contests();
  const failing = contests.alone('a', async () => Promise.reject(new Error('no')));
  const next = contests.alone('a', async () => 'next');
  await assert.rejects(failing, /no/);
  assert.equal(await next, 'next');
  assert.equal(contests.areAny, false);
});
