// The size of a partition after a change: rows that are new, replaced, deleted and absent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sizeAfter } from './size.js';

const row = (key: string, value: string) => ({ key, version: 1n, value: Buffer.from(value) });
const before = (...rows: readonly ReturnType<typeof row>[]) => new Map(rows.map(each => [each.key, each]));

test('a size counts rows once, and the bytes of keys and values', () => {
  const empty = { rows: 0, bytes: 0 };
  const two = sizeAfter(empty, before(), { puts: [row('a', 'four'), row('bc', '')], deletes: [] });
  assert.deepEqual(two, { rows: 2, bytes: 2 + 4 + 4 });
  const replaced = sizeAfter(two, before(row('a', 'four')), { puts: [row('a', '1')], deletes: [] });
  assert.deepEqual(replaced, { rows: 2, bytes: 7 });
  const one = sizeAfter(replaced, before(row('a', '1')), { puts: [], deletes: ['a', 'not there'] });
  assert.deepEqual(one, { rows: 1, bytes: 4 });
});

test('a size never falls below zero', () => {
  const change = { puts: [], deletes: ['a'] };
  assert.deepEqual(sizeAfter({ rows: 0, bytes: 0 }, before(row('a', 'x')), change), { rows: 0, bytes: 0 });
});
