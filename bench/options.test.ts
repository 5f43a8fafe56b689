// The command line: defaults, accepted options, and refused ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STRIDE } from './load/template.js';
import { parseOptions, UsageError } from './options.js';
import { SUBJECTS, WORKLOADS } from './subjects/subject.js';

test('without options all workloads and all subjects', () => {
  const options = parseOptions([]);
  assert.deepEqual([options?.rows, options?.runs, options?.seconds], [20_000, 5, 3]);
  assert.deepEqual([options?.workloads, options?.subjects], [WORKLOADS, SUBJECTS]);
});

test('names come in the order of the benchmark', () => {
  const options = parseOptions(['--only', 'insert,point-get', '--subjects', 'lmdb,shelfmark', '--json']);
  assert.deepEqual(options?.workloads, ['point-get', 'insert']);
  assert.deepEqual(options?.subjects, ['shelfmark', 'lmdb']);
  assert.equal(options?.json, true);
});

test('on a cluster the table is larger', () => {
  const options = parseOptions(['--store', 'cassandra', '--works', 'gets', '--queues', '1000']);
  assert.deepEqual([options?.rows, options?.works, options?.messages], [100_000, ['gets'], 1000]);
});

test('help', () => {
  assert.equal(parseOptions(['-h']), undefined);
});

for (const args of [
  ['--nonsense'],
  ['--rows', '150'],
  ['--rows', String(STRIDE - (STRIDE % 100) + 100)],
  ['--runs', '1.5'],
  ['--seconds', '0'],
  ['--only', 'sleep'],
  ['--subjects', 'azurite'],
  ['--store', 'other'],
])
  test(`refused: ${args.join(' ')}`, () => {
    assert.throws(() => parseOptions(args), UsageError);
  });
