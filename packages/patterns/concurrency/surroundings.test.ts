// Pauses that keep a process from ending, and idle ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REAL_SURROUNDINGS } from './surroundings.js';

test('an idle pause does not keep the process from ending, others do, and an endless one does not end', async () => {
  const timers = (): number => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length;
  const ending = new AbortController();
  const before = timers();
  const idle = REAL_SURROUNDINGS.sleep(60_000, ending.signal, true);
  assert.equal(timers(), before);
  const other = REAL_SURROUNDINGS.sleep(60_000, ending.signal);
  assert.equal(timers(), before + 1);
  const endless = REAL_SURROUNDINGS.sleep(Number.POSITIVE_INFINITY, ending.signal);
  await REAL_SURROUNDINGS.sleep(10);
  ending.abort(new Error('the end'));
  for (const pause of [idle, other, endless]) await assert.rejects(pause, /the end/);
  await REAL_SURROUNDINGS.sleep(1);
});
