// Large partitions: which are reported, how often, and in which words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Space } from '#store';
import { LARGE, LargePartitions } from './large-partitions.js';

const SPACE: Space = {
  account: 'a',
  service: 'table',
  name: 'people',
  id: 7,
  created: 0n,
  metadata: Buffer.alloc(0),
};

function told() {
  const sentences: string[] = [];
  const clock = { now: 0 };
  const large = new LargePartitions({
    now: () => clock.now,
    warn: sentence => void sentences.push(sentence),
  });
  const write = (partition: string, rows: number, bytes: number): void => {
    large.note(7n, partition, { rows, bytes });
    large.tell(SPACE, partition);
  };
  const numbers = () =>
    large.statistics().map(statistic => (statistic.kind === 'gauge' ? statistic.value : Number.NaN));
  return { sentences, clock, write, numbers };
}

test('a partition is large past 1,000,000 rows or 100,000,000 bytes, and no longer when it has shrunk', () => {
  const { sentences, write, numbers } = told();
  write('p', LARGE.rows - 1, LARGE.bytes - 1);
  write('p', LARGE.rows, LARGE.bytes);
  assert.deepEqual([sentences, numbers()], [[], [0, 0, 0]]);
  write('p', LARGE.rows + 1, 5);
  write('q', 1, LARGE.bytes + 1);
  assert.deepEqual(numbers(), [2, 1_000_001, 100_000_001]);
  assert.deepEqual(sentences, [
    'The partition "p" of the table a/people has 1000001 rows of 5 bytes: past 1000000 rows or 100000000 bytes its repair and compaction take long. ' +
      'Spread it over more partition keys.',
  ]);
  write('p', LARGE.rows, 5);
  assert.deepEqual(numbers(), [1, 1, 100_000_001]);
});

test('each is reported once, and at most one a minute', () => {
  const { sentences, clock, write } = told();
  const names = ['p', 'q', 'r'];
  for (clock.now = 0; clock.now < 200_000; clock.now += 1000)
    for (const name of names) write(name, LARGE.rows + 1, 0);
  assert.deepEqual(
    sentences.map(sentence => sentence.slice(0, 17)),
    names.map(name => `The partition "${name}"`),
  );
});

test('a name is one line, and a long one is cut', () => {
  const { sentences, clock, write } = told();
  write('a\nb', LARGE.rows + 1, 0);
  clock.now = 60_000;
  write('x'.repeat(1024), LARGE.rows + 1, 0);
  assert.match(sentences[0] ?? '', /^The partition "a\\nb" of/);
  assert.match(sentences[1] ?? '', /^The partition "x{64}"… \(SHA-256 [\da-f]{16}…\) of/);
});

test('no more than a thousand are known at a time', () => {
  const { write, numbers } = told();
  for (let at = 0; at <= 1000; at++) write(String(at), LARGE.rows + 1, 0);
  assert.equal(numbers()[0], 1000);
});
