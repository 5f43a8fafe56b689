// The command line: defaults, accepted options, and refused ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STRIDE } from './load/gaps.js';
import { parseOptions, UsageError } from './options.js';
import { SUBJECTS, WORKLOADS } from './subjects/subject.js';

test('without options all workloads and all subjects', () => {
  const options = parseOptions([]);
  assert.deepEqual([options?.rows, options?.runs, options?.seconds], [20_000, 5, 3]);
  assert.deepEqual([options?.workloads, options?.subjects], [WORKLOADS, SUBJECTS]);
  assert.equal(parseOptions(['-h']), undefined);
});

test('names come in the order of the benchmark', () => {
  const options = parseOptions(['--only', 'insert,point-get', '--subjects', 'lmdb,shelfmark', '--json']);
  assert.deepEqual(options?.workloads, ['point-get', 'insert']);
  assert.deepEqual(options?.subjects, ['shelfmark', 'lmdb']);
  assert.equal(options?.json, true);
});

test('on a cluster there are other works, and more rows', () => {
  const options = parseOptions(['--store', 'cassandra', '--only', 'gets']);
  assert.deepEqual([options?.rows, options?.works], [100_000, ['gets']]);
});

for (const args of [
  ['--nonsense'],
  ['--rows', '150'],
  ['--rows', String(STRIDE - (STRIDE % 100) + 100)],
  ['--runs', '1.5'],
  ['--seconds', '0'],
  ['--only', 'gets'],
  ['--subjects', 'azurite'],
  ['--store', 'other'],
])
  test(`refused: ${args.join(' ')}`, () => {
    assert.throws(() => parseOptions(args), UsageError);
  });
