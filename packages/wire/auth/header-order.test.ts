// The order of signed headers, by examples from the official client.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareHeaderNames } from './header-order.js';

const sorted = (names: readonly string[]): string[] => [...names].sort(compareHeaderNames);

test('names sort as the official client sorts them', () => {
  const names = ['a.b', 'a_b', 'a1', 'ab', 'a-b', 'abc'].map(name => `x-ms-meta-${name}`);
  assert.deepEqual(sorted([...names].reverse()), names);
});

test('every character of names has its weight', () => {
  const names = [...'!#$%&*.^_`|~+0123456789abcdefghijklmnopqrstuvwxyz'].map(char => `x-ms-meta-a${char}`);
  assert.deepEqual(sorted([...names].reverse()), names);
});

test('dashes and apostrophes count only where nothing else differs', () => {
  assert.deepEqual(sorted(['a-c', 'ab', "a'c", 'ac', 'a']), ['a', 'ab', 'ac', "a'c", 'a-c']);
  assert.deepEqual(sorted(['ab-', 'a-b', 'ab']), ['ab', 'ab-', 'a-b']);
  assert.equal(compareHeaderNames('x-ms-date', 'x-ms-date'), 0);
});
