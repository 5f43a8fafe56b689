// The command line: defaults, accepted options, and refused ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { STRIDE } from './load/template.js';
import { parseOptions, UsageError } from './options.js';

test('without options both tables, all workloads and all subjects', () => {
  assert.deepEqual(parseOptions([]), {
    rows: [20_000, 300_000],
    runs: 5,
    seconds: 3,
    connections: 32,
    workloads: ['point-get', 'insert', 'merge', 'transaction', 'range', 'filter'],
    subjects: ['shelfmark', 'azurite', 'bare', 'lmdb'],
    durability: 'full',
    workers: 1,
    generator: undefined,
    record: true,
    quick: false,
    profile: false,
    minutes: undefined,
    reclaim: undefined,
    rate: undefined,
    queues: undefined,
    blobs: undefined,
    store: 'lmdb',
    works: [
      'inserts',
      'transactions',
      'hot-transactions',
      'gets',
      'spread-gets',
      'scan-1',
      'scan-1000',
      'scan-100000',
      'queue',
    ],
    parts: ['small', 'appends', 'transfers', 'memory', 'tail', 'lists', 'prefix'],
    megabytes: 64,
    scans: undefined,
  });
});

test('quick is small, is not recorded, and explicit options override it', () => {
  const quick = parseOptions(['--quick', '--seconds', '0.5']);
  assert.deepEqual([quick?.rows, quick?.runs, quick?.seconds, quick?.record], [[2000], 1, 0.5, false]);
});

test('names keep the order of the benchmark', () => {
  const options = parseOptions(['--only', 'filter,point-get', '--subjects', 'lmdb,shelfmark']);
  assert.deepEqual(options?.workloads, ['point-get', 'filter']);
  assert.deepEqual(options?.subjects, ['shelfmark', 'lmdb']);
});

test('help is asked for', () => {
  assert.equal(parseOptions(['--help']), undefined);
});

const REFUSED: readonly (readonly string[])[] = [
  ['--rows', '150'],
  ['--rows', '20000,'],
  ['--rows', String(Math.ceil(STRIDE / 100) * 100)],
  ['--runs', '0'],
  ['--runs', '1.5'],
  ['--seconds', 'Infinity'],
  ['--seconds', '-1'],
  ['--only', 'get'],
  ['--subjects', 'azurite'],
  ['--durability', 'half'],
  ['--workers', 'auto'],
  ['--workers', '2', '--profile'],
  ['--generator', 'ab'],
  ['--minutes', 'ten'],
  ['--parts', 'large'],
  ['--megabytes', '0.5'],
  ['--unknown'],
  ['point-get'],
];

for (const args of REFUSED) {
  test(`refused: ${args.join(' ')}`, () => {
    assert.throws(() => parseOptions(args), UsageError);
  });
}
