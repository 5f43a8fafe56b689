// The heat map: neighbours together, the hottest first, advice only where it is due.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adviceOf, hottestOf, type PartitionHeat, rangesOf, sumOf } from './heat.js';

const heat = (partition: string, ...rows: number[]): PartitionHeat => ({
  partition,
  requests: rows,
  rows,
  bytes: rows.map(count => count * 100),
});

test('at most 24 ranges hold every partition', () => {
  const many = Array.from({ length: 100 }, (_, at) => heat(`p${String(at).padStart(3, '0')}`, at, 1));
  const ranges = rangesOf(many, 'rows');
  assert(ranges.length <= 24);
  assert.equal(sumOf(ranges.map(({ partitions }) => partitions)), 100);
  assert.equal(sumOf(ranges.flatMap(({ counts }) => counts)), (99 * 100) / 2 + 100);
  assert.deepEqual(
    hottestOf(many, 'bytes', 2).map(({ partition }) => partition),
    ['p099', 'p098'],
  );
});

test('a partition beyond the target, and keys that only grow, are advised on', () => {
  assert.deepEqual(adviceOf([heat('a', 100, 5), heat('b', 5, 100)]), []);
  assert.match(adviceOf([heat('a', 30_000)])[0] ?? '', /^Partition "a" took 3,000 entities a second/);
  const days = [
    heat('d1', 9, 0, 0, 0),
    heat('d2', 0, 9, 0, 0),
    heat('d3', 0, 0, 9, 0),
    heat('d4', 0, 0, 0, 9),
  ];
  assert.match(adviceOf(days)[0] ?? '', /append only/);
  assert.deepEqual(
    adviceOf([...days].map(({ rows, ...rest }) => ({ ...rest, rows: [...rows].reverse() }))),
    [],
  );
});
