// Shows that a turnstile lets in no more than it has places, in order, and knows when all have left.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Semaphore } from './semaphore.js';

test('a turnstile lets so many in, and the others in the order they came', async () => {
  const turnstile = new Semaphore(3);
  const order: number[] = [];
  let inside = 0;
  const visit = async (visitor: number) => {
    await turnstile.enter();
    inside += 1;
    assert(inside <= 3);
    order.push(visitor);
    await new Promise<void>(resolve => {
      setImmediate(resolve);
    });
    inside -= 1;
    turnstile.leave();
  };
  const visitors = Array.from({ length: 20 }, (_, index) => index);
  const visits = Promise.all(visitors.map(visit));
  await turnstile.empty();
  assert.equal(order.length, 20, 'empty waits for those who wait');
  await visits;
  assert.deepEqual(order, visitors);
  await turnstile.empty();
  assert.equal(turnstile.enter(), undefined, 'nobody waits where there is a place');
});
