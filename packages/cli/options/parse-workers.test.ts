// What may be said of the number of processes, and what it comes to.
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { InvalidArgumentError } from 'commander';
import { ConfigurationError } from '#server';
import { parseWorkers, WORKERS_MAX, workersOf } from './parse-workers.js';

test('a number from 1 to the most there may be, or auto', () => {
  assert.deepEqual(['1', '04', String(WORKERS_MAX), 'auto'].map(parseWorkers), [1, 4, WORKERS_MAX, 'auto']);
  for (const text of ['', '0', '-1', '1.5', '1e1', 'two', 'AUTO', String(WORKERS_MAX + 1), '9999'])
    assert.throws(() => parseWorkers(text), InvalidArgumentError, text);
});

test('auto is a process for each core, and one alone for data in memory, which only one may hold', () => {
  assert.deepEqual([workersOf(1, false), workersOf(4, false), workersOf(1, true)], [1, 4, 1]);
  assert.equal(workersOf('auto', false), Math.min(availableParallelism(), WORKERS_MAX));
  assert.equal(workersOf('auto', true), 1);
  assert.throws(() => workersOf(2, true), ConfigurationError);
});
