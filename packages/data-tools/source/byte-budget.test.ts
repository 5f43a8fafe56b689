// Concurrent bytes: up to the limit and not beyond, in order, and never blocked forever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from './byte-budget.js';

const LIMIT = 100;
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

test('bytes are taken up to the limit', () => {
  for (const [bytes, isTaken] of [
    [LIMIT - 1, true],
    [LIMIT, true],
    [LIMIT + 1, false],
  ] as const) {
    const budget = new ByteBudget(LIMIT);
    assert(budget.tryTake(1));
    assert.equal(budget.tryTake(bytes - 1), isTaken, String(bytes));
  }
});

test('a caller that needs more than the limit waits until it is alone, and others behind it wait too', async () => {
  const budget = new ByteBudget(LIMIT);
  const done: string[] = [];
  await budget.take(10);
  void budget.take(LIMIT + 1).then(() => done.push('large'));
  void budget.take(1).then(() => done.push('small'));
  await turn();
  assert.deepEqual(done, []);
  assert(!budget.tryTake(1));
  budget.give(10);
  await turn();
  assert.deepEqual(done, ['large']);
  budget.give(LIMIT + 1);
  await turn();
  assert.deepEqual(done, ['large', 'small']);
  budget.give(1);
  assert.equal(budget.taken, 0);
});

test('a smaller result than expected admits others', async () => {
  const budget = new ByteBudget(LIMIT);
  await budget.take(LIMIT);
  let isIn = false;
  void budget.take(60).then(() => {
    isIn = true;
  });
  budget.adjust(-59);
  await turn();
  assert(!isIn);
  budget.adjust(-1);
  await turn();
  assert(isIn);
});
