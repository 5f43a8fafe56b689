// Memoized parsing: the results that are cached, and those that are not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memo } from './memo.js';

test('a text is parsed once, unless it is long or its result is an error', () => {
  const parsed: string[] = [];
  const parse = memo(
    text => {
      parsed.push(text);
      if (text === 'bad') throw new Error(text);
      return { text };
    },
    { entriesMax: 2, lengthMax: 4 },
  );
  assert.equal(parse('one'), parse('one'));
  parse('long one');
  parse('long one');
  for (let i = 0; i < 2; i++) assert.throws(() => parse('bad'), /^Error: bad$/);
  assert.deepEqual(parsed, ['one', 'long one', 'long one', 'bad', 'bad']);
});

test('it never holds more than its bound', () => {
  let count = 0;
  const parse = memo(() => ++count, { entriesMax: 2, lengthMax: 4 });
  assert.deepEqual(['a', 'b', 'c', 'a', 'c'].map(parse), [1, 2, 3, 4, 3]);
});

test('a text whose result must not be cached is parsed each time', () => {
  let count = 0;
  const parse = memo(
    text => `${text}${++count}`,
    { entriesMax: 2, lengthMax: 4 },
    parsed => !parsed.startsWith('x'),
  );
  assert.deepEqual(['a', 'x', 'a', 'x'].map(parse), ['a1', 'x2', 'a1', 'x3']);
});
