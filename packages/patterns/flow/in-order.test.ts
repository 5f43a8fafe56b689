// Steps at once: as many as are allowed, results in order, and an end of all when one fails or nobody listens.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { lawOfTurns } from '../testing/law.js';
import { allInOrder, inOrder } from './in-order.js';

const turns = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await Promise.resolve();
};

test('results are in the order of what was given, and no more steps run than are allowed', async () => {
  await lawOfTurns(
    fc.asyncProperty(
      fc.array(fc.nat(30)),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (delays, concurrency, isAsync) => {
        let running = 0;
        let most = 0;
        async function* slowly(): AsyncGenerator<number> {
          for (const delay of delays) {
            await turns(delay % 3);
            yield delay;
          }
        }
        const found = await allInOrder(isAsync ? slowly() : delays, { concurrency }, async delay => {
          most = Math.max(most, ++running);
          await turns(delay);
          running--;
          return delay;
        });
        assert.deepEqual(found, delays);
        assert(most <= concurrency);
      },
    ),
    { cost: 20, least: 100, filter: 'flow/in-order' },
  );
});

test('items are taken as there is room, and steps begin for those that are waited for', async () => {
  let taken = 0;
  function* endless(): Generator<number> {
    for (;;) yield taken++;
  }
  const results = inOrder(endless(), { concurrency: 3 }, async item => item);
  for (let i = 0; i < 5; i++) assert.equal((await results.next()).value, i);
  assert(taken <= 8, `${taken} items for five results`);
  await results.return();
  assert.equal((await results.next()).done, true);
});

test('a failure comes in its turn and ends the other steps', async () => {
  const ended: number[] = [];
  const results = inOrder([0, 1, 2, 3, 4], { concurrency: 4 }, async (item, signal) => {
    if (item === 1) throw new Error('one');
    signal.addEventListener('abort', () => ended.push(item));
    return item;
  });
  assert.equal((await results.next()).value, 0);
  await assert.rejects(results.next(), /one/);
  assert.deepEqual(
    ended.filter(item => item > 1),
    [2, 3, 4],
  );
});

test('who leaves ends the steps, and so does a signal', async () => {
  let isEnded = false;
  for await (const _ of inOrder([0, 1, 2], { concurrency: 2 }, async (item, signal) => {
    signal.addEventListener('abort', () => {
      isEnded = true;
    });
    return item;
  }))
    break;
  assert(isEnded);
  const controller = new AbortController();
  const given: number[] = [];
  await assert.rejects(async () => {
    for await (const item of inOrder(
      [0, 1, 2],
      { concurrency: 1, signal: controller.signal },
      async each => each,
    )) {
      given.push(item);
      controller.abort(new Error('stop'));
    }
  }, /stop/);
  assert.deepEqual(given, [0]);
});
