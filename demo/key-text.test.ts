// What makes a text fit for a key, whatever it holds.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { keyText } from './key-text.js';

test('keeps a title readable', () => {
  assert.equal(keyText('Face/Off'), 'face-off');
  assert.equal(keyText("What the #$'! Do We Know"), 'what-the-do-we-know');
  assert.equal(keyText('Le Fabuleux destin d’Amélie Poulain'), 'le-fabuleux-destin-d-amelie-poulain');
  assert.equal(keyText('1776'), '1776');
});

test('never holds a character that a key may not hold, and is stable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const key = keyText(text);
      assert.match(key, /^[a-z0-9-]*$/);
      assert.equal(keyText(key), key);
    }),
  );
});
