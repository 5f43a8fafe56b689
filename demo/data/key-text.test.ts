// Converting any text to a valid key.
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

test('never contains a character that keys forbid, and is stable', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const key = keyText(text);
      assert.match(key, /^[a-z0-9-]*$/);
      assert.equal(keyText(key), key);
    }),
  );
});
