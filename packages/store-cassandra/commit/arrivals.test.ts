// That a wait ends with what was awaited, or in time.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Arrivals } from './arrivals.js';

const AN_HOUR = 3_600_000;

test('arrivals: what is enough already is not waited for', async () => {
  await new Arrivals().until(() => true, AN_HOUR);
});

test('arrivals: the last of those awaited ends the wait', async () => {
  const arrivals = new Arrivals();
  let count = 0;
  const arrive = (): void => {
    count += 1;
    arrivals.note();
  };
  let isOver = false;
  const waiting = arrivals.until(() => count >= 2, AN_HOUR).then(() => (isOver = true));
  arrive();
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  arrive();
  await waiting;
});

test('arrivals: waits no longer than it may', async () => {
  const arrivals = new Arrivals();
  await arrivals.until(() => false, 1);
  arrivals.note();
});
