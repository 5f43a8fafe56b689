// Whole numbers, ports and words as values of options.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { oneOf, parsePort, parsePortOrNone, wholeIn } from './values.js';

test('a whole number within its bounds, a port, and none', () => {
  for (const text of ['2', '3', '002']) assert.equal(wholeIn(2, 3)(text), Number(text));
  for (const text of ['', '1', '4', '2.5', '2e0', ' 2', '-2', '0000000002', 'x'])
    assert.throws(() => wholeIn(2, 3)(text), { message: 'A number from 2 to 3.' }, text);
  assert.deepEqual([parsePort('0'), parsePortOrNone('65535'), parsePortOrNone('none')], [0, 65_535, 'none']);
  for (const text of ['65536', 'none', ''])
    assert.throws(() => parsePort(text), { message: 'A port is a number from 0 to 65535.' }, text);
});

test('one of a few words', () => {
  const parse = oneOf(['a', 'b']);
  assert.equal(parse('b'), 'b');
  for (const text of ['', 'A', 'a,b', 'c'])
    assert.throws(() => parse(text), { message: 'One of: a, b.' }, text);
});
