// What is reported about a machine's pauses, and that sentinels are gone when the work is done.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWatched, metricsOf, watchMachine } from './machine-watch.js';
import { childrenOf } from './process-status.js';
import { allowedProcessors } from './processors.js';

const LINUX = { skip: process.platform === 'linux' ? false : 'not Linux' };

test('pauses count for the part that lies in the time', () => {
  const pauses = [
    { from: 90, until: 110 },
    { from: 120, until: 130 },
    { from: 125, until: 145 },
    { from: 195, until: 230 },
    { from: 200, until: 260 },
    { from: 50, until: 100 },
  ];
  assert.deepEqual(metricsOf(pauses, { from: 100, until: 200 }), { pauses: 4, longest: 20, share: 0.4 });
  assert.deepEqual(metricsOf([], { from: 100, until: 200 }), { pauses: 0, longest: 0, share: 0 });
});

test('one sentinel on each processor, only while the work goes on', LINUX, async () => {
  const before = childrenOf(process.pid);
  const { result, machine } = await watchMachine(async () => childrenOf(process.pid));
  assert.equal(result.length - before.length, allowedProcessors().length);
  assert.equal(machine.sentinels.length, allowedProcessors().length);
  assert.ok(isWatched(machine));
  assert.deepEqual(childrenOf(process.pid), before);
});

test('work that fails leaves none behind', LINUX, async () => {
  const before = childrenOf(process.pid);
  await assert.rejects(
    watchMachine(() => Promise.reject(new Error('no'))),
    /^Error: no$/,
  );
  assert.deepEqual(childrenOf(process.pid), before);
});

test('sentinels that all die fail nothing', LINUX, async () => {
  const before = new Set(childrenOf(process.pid));
  const { result, machine } = await watchMachine(async () => {
    const sentinels = childrenOf(process.pid).filter(pid => !before.has(pid));
    for (const pid of sentinels) process.kill(pid, 'SIGKILL');
    while (childrenOf(process.pid).length > before.size) await new Promise(setImmediate);
    return 'done';
  });
  assert.equal(result, 'done');
  assert.equal(isWatched(machine), false);
});
