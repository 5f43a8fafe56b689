// The option --workers: its values and the number of processes.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { ConfigurationError } from '#server';
import { parseWorkers, WORKERS_MAX, type Workers, workersOf } from './parse-workers.js';

test('a number from 1 to the maximum, or auto', () => {
  assert.deepEqual(['1', '04', String(WORKERS_MAX), 'auto'].map(parseWorkers), [1, 4, WORKERS_MAX, 'auto']);
  for (const text of ['', '0', '-1', '1.5', '1e1', 'two', 'AUTO', String(WORKERS_MAX + 1), '9999'])
    assert.throws(() => parseWorkers(text), InvalidArgumentError, text);
});

test('auto is a process for each core, and as many as the engine allows', () => {
  const [alone, few] = [
    (workers: Workers) => workersOf(workers, {}, '--x'),
    (n: Workers) => workersOf(n, { workersMax: 4 }, '--x'),
  ];
  assert.deepEqual([few(1), few(4), alone(1)], [1, 4, 1]);
  assert.equal(
    workersOf('auto', { workersMax: WORKERS_MAX }, '--x'),
    Math.min(availableParallelism(), WORKERS_MAX),
  );
  assert.deepEqual([alone('auto'), few('auto')], [1, Math.min(availableParallelism(), 4)]);
  for (const [ask, message] of [
    [() => alone(2), /^--x keeps the data in one process, which 2 workers cannot share: /],
    [
      () => workersOf(2, { hasPeers: true }, '--x'),
      /^--x has one process for each server: in place of 2 workers start as many servers, each on a port of its own\.$/,
    ],
    [() => few(5), /^--x lets 4 processes share the data, which 5 workers cannot share: /],
  ] as const)
    assert.throws(ask, error => error instanceof ConfigurationError && message.test(error.message));
});
