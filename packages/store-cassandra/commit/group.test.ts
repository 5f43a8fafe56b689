// Groups of commits: each is decided on the result of those before it, and no group writes more than a node accepts at
// once.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Decide } from '#store';
import { COMMIT_BYTES_MAX } from '../session/frame.js';
import { decideGroup, type Waiting } from './group.js';

const MEBIBYTE = 1024 * 1024;
const EMPTY = { fence: 5n, gaps: undefined, keys: new Map(), range: [] };

const waiting = (keys: readonly string[], decide: Decide<unknown>): Waiting => ({
  reads: { keys },
  decide,
  resolve: () => undefined,
  reject: () => undefined,
});

const put = (key: string, bytes: number): Waiting =>
  waiting([key], () => ({ result: true, puts: [{ key, value: Buffer.alloc(bytes) }] }));

test('group: each commit is decided on the result of those before it, and has a later tick', () => {
  const add: Decide<unknown> = ({ keys: [row] }) => ({
    result: true,
    puts: [{ key: 'a', value: Buffer.of((row?.value[0] ?? 0) + 1) }],
  });
  const { told, to, puts } = decideGroup('p', [waiting(['a'], add), waiting(['a'], add)], EMPTY, 10n);
  assert.deepEqual([told.length, to, puts.length], [2, 11n, 1]);
  assert.deepEqual([puts[0]?.version, puts[0]?.value[0]], [11n, 2]);
});

test('group: it ends before the commit that would make it too large, and that one begins the next', () => {
  const group = [put('a', 3 * MEBIBYTE), put('b', MEBIBYTE / 2), put('c', MEBIBYTE), put('d', 1)];
  const { told, puts } = decideGroup('p', group, EMPTY, 10n);
  assert.deepEqual([told.length, puts.map(({ key }) => key)], [2, ['a', 'b']]);
});

test('group: a commit that is too large on its own is alone, so that it fails alone', () => {
  const large = put('large', COMMIT_BYTES_MAX);
  const nothing = waiting([], () => ({ result: true }));
  const counted = (group: readonly Waiting[]): number => decideGroup('p', group, EMPTY, 10n).told.length;
  assert.equal(counted([large, nothing, put('b', 1)]), 1);
  assert.equal(counted([nothing, large]), 1);
});

test('group: deletes count too', () => {
  const keys = Array.from({ length: 1000 }, (_, i) => `${i}`.padStart(1000, '0'));
  const deletes = waiting(keys, () => ({ result: true, deletes: keys }));
  const { told } = decideGroup('p', [deletes, deletes, deletes], EMPTY, 10n);
  assert.equal(told.length, 2);
});
