// Who is waited for, and for how long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Round } from './scatter-gather.js';

const LONG = 60_000;

test('it ends with the last answer; who was not asked, or answers twice, changes nothing', async () => {
  const round = new Round<string, number>(['a', 'b'], LONG);
  round.answer('a', 1);
  round.answer('a', 2);
  round.answer('c', 3);
  round.answer('b', 4);
  assert.deepEqual(
    [...(await round.done)],
    [
      ['a', 1],
      ['b', 4],
    ],
  );
});

test('who is gone is not waited for', async () => {
  const round = new Round<string, number>(['a', 'b'], LONG);
  round.leave('b');
  round.answer('b', 2);
  round.answer('a', 1);
  assert.deepEqual([...(await round.done)], [['a', 1]]);
});

test('nobody is an answer too, and so is silence', async () => {
  assert.equal((await new Round(['a'].slice(1), LONG).done).size, 0);
  assert.equal((await new Round(['a'], 1).done).size, 0);
});
