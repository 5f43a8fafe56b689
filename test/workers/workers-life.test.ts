// How `shelfmark serve --workers` starts and ends: the death of the primary, workers that cannot start, mistakes.
// test/overload/stop.test.ts has signals.
import assert from 'node:assert/strict';
import { rename, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { runToEnd } from '../support/spawned-server.js';
import { isTaken, takenPort } from '../support/taken-port.js';
import { childrenOf, isAlive } from '../support/worker-processes.js';
import { newDirectory, serve, skip, skipLong } from '../support/worker-server.js';

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

test('mistakes are reported once and in one sentence, and nothing is left running', { skip }, async t => {
  const file = newDirectory();
  await writeFile(file, '');
  const taken = await takenPort(t);
  const at = (data: string, port: number | string = 0): string[] => [
    '--table-port',
    String(port),
    '--data',
    data,
  ];
  const mistakes: readonly (readonly [args: readonly string[], sentence: RegExp])[] = [
    [at(file), /^shelfmark: .* cannot hold a store.*\n$/],
    [
      at(newDirectory(), taken),
      new RegExp(`^shelfmark: .*EADDRINUSE.*${taken}: another program listens there; .*\\.\\n$`),
    ],
    [
      [...at(newDirectory()), '--host', '0.0.0.0'],
      /^shelfmark: The emulator's well-known key is not a secret.*\n$/,
    ],
    [['--inMemoryPersistence'], /^shelfmark: --inMemoryPersistence keeps the data in one process, .*\n$/],
    [[...at(newDirectory()), '--cert', file], /^shelfmark: --cert and --key go together\.\n$/],
  ];
  // Only processes of a cluster meet a taken port twice; the others are the same for one.
  const tried = skipLong === false ? mistakes : mistakes.slice(1, 2);
  await Promise.all(
    tried.map(async ([args, sentence]) => {
      const exit = await runToEnd(['serve', '--workers', '2', ...args]);
      assert.match(exit.stderr, sentence);
      assert.deepEqual([exit.code, exit.stdout], [1, '']);
    }),
  );
  if (skipLong !== false) return;
  const wrong = await runToEnd(['serve', '--workers', 'some']);
  assert.match(wrong.stderr, /^error: .* A number of processes from 1 to 64, or auto\.\n$/);
});

test('one worker is the process itself, and auto is one per core', { skip: skipLong }, async t => {
  const [alone, many] = [await serve(t, 1), await serve(t, 'auto')];
  assert.doesNotMatch(alone.readyLine, /processes/);
  assert.deepEqual(childrenOf(alone.pid), []);
  const cores = availableParallelism();
  assert.equal(childrenOf(many.pid).length, cores === 1 ? 0 : cores);
});
