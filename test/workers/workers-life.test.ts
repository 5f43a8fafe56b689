// How `shelfmark serve --workers` starts and ends: the death of the primary, workers that cannot start.
// test/overload/stop.test.ts has signals, test/scenarios/mistakes.test.ts mistakes.
import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { isTaken } from '../support/taken-port.js';
import { childrenOf, isAlive } from '../support/worker-processes.js';
import { serve, skipLong } from '../support/worker-server.js';

test('a primary that is killed leaves no worker behind, and the port free', { skip: skipLong }, async t => {
  const server = await serve(t, 2);
  const workers = childrenOf(server.pid);
  assert.equal(workers.length, 2);
  await server.stop('SIGKILL');
  await until('all workers are gone', () => !workers.some(isAlive));
  assert.equal(await isTaken(server.port), false);
});

test('workers that can no longer start end all processes', { skip: skipLong }, async t => {
  const server = await serve(t, 2);
  const data = server.place.replace('data in ', '');
  const workers = childrenOf(server.pid);
  await rename(data, `${data}.away`);
  await writeFile(data, 'no directory');
  process.kill(workers[0] ?? 0, 'SIGKILL');
  await until('the primary ends', () => !isAlive(server.pid));
  const { code, stderr } = await server.stop('SIGTERM');
  assert.equal(code, 1);
  assert.match(stderr, /cannot hold a store.*\), as those before it did; no other is tried\.\n$/s);
  await until('all workers are gone', () => !workers.some(isAlive));
});

test('one worker is the process itself, and auto is one per core', { skip: skipLong }, async t => {
  const [alone, many] = [await serve(t, 1), await serve(t, 'auto')];
  assert.doesNotMatch(alone.readyLine, /processes/);
  assert.deepEqual(childrenOf(alone.pid), []);
  const cores = availableParallelism();
  assert.equal(childrenOf(many.pid).length, cores === 1 ? 0 : cores);
});
