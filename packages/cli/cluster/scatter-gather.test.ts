// Scatter-gather: which answers it collects, and for how long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScatterGather } from './scatter-gather.js';

const LONG = 60_000;

test('it ends with the last answer; answers of others and second answers are ignored', async () => {
  const gather = new ScatterGather<string, number>(['a', 'b'], LONG);
  gather.answer('a', 1);
  gather.answer('a', 2);
  gather.answer('c', 3);
  gather.answer('b', 4);
  assert.deepEqual(
    [...(await gather.done)],
    [
      ['a', 1],
      ['b', 4],
    ],
  );
});

test('it does not wait for a target that left', async () => {
  const gather = new ScatterGather<string, number>(['a', 'b'], LONG);
  gather.leave('b');
  gather.answer('b', 2);
  gather.answer('a', 1);
  assert.deepEqual([...(await gather.done)], [['a', 1]]);
});

test('it ends without targets, and after its time without answers', async () => {
  assert.equal((await new ScatterGather(['a'].slice(1), LONG).done).size, 0);
  assert.equal((await new ScatterGather(['a'], 1).done).size, 0);
});
