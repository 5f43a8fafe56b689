// The unit of random texts draws every code point, and shrinks as fast-check's own does.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { codePoint } from './code-point.js';

test('a code point is never half a pair, and any other may occur', () => {
  const drawn = fc.sample(fc.string({ unit: codePoint, minLength: 20, maxLength: 40 }), 500);
  const points = drawn.flatMap(text => [...text].map(character => character.codePointAt(0) ?? -1));
  assert.ok(points.every(point => point < 0xd800 || point > 0xdfff));
  for (const isWanted of [
    (point: number) => point < 0x80,
    (point: number) => point > 0x80 && point < 0xd800,
    (point: number) => point > 0xdfff && point < 0x10000,
    (point: number) => point > 0xffff,
  ])
    assert.ok(points.some(isWanted), `${isWanted}`);
});

test('a text of code points shrinks to the shortest that fails', () => {
  const found = fc.check(
    fc.property(fc.string({ unit: codePoint }), text => !/[\u{10000}-\u{10ffff}]/u.test(text)),
    { numRuns: 5000, seed: 1 },
  );
  assert.deepEqual(found.counterexample, ['\u{10000}']);
});

test('only one character is a code point', () => {
  for (const text of ['', 'ab', '\ud800', '\udfff'])
    assert.ok(!codePoint.canShrinkWithoutContext(text), JSON.stringify(text));
  for (const text of ['a', '\ud7ff', '\ue000', '\u{10ffff}'])
    assert.ok(codePoint.canShrinkWithoutContext(text), JSON.stringify(text));
});
