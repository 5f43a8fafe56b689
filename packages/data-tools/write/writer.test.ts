// Concurrent bytes: up to the limit and not beyond, in order, and never blocked forever.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteBudget } from './writer.js';

const LIMIT = 100;
const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Takes bytes in this order; returns which of them have been taken so far. */
function taking(budget: ByteBudget, ...all: readonly number[]): readonly number[] {
  const taken: number[] = [];
  for (const bytes of all) void budget.take(bytes).then(() => taken.push(bytes));
  return taken;
}

test('bytes are taken up to the limit', async () => {
  for (const [bytes, count] of [
    [LIMIT - 2, 2],
    [LIMIT - 1, 2],
    [LIMIT, 1],
  ] as const) {
    const taken = taking(new ByteBudget(LIMIT), 1, bytes);
    await turn();
    assert.equal(taken.length, count, String(bytes));
  }
});

test('a caller that needs more than the limit waits until it is alone, and others behind it wait too', async () => {
  const budget = new ByteBudget(LIMIT);
  const taken = taking(budget, 10, LIMIT + 1, 1);
  for (const expected of [[10], [10, LIMIT + 1], [10, LIMIT + 1, 1]]) {
    await turn();
    assert.deepEqual(taken, expected);
    budget.give(taken.at(-1) ?? 0);
  }
});
