// Order and round trip of texts, including lone surrogates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeText, encodeText } from './text.js';

const text = fc.array(fc.nat(0xffff), { maxLength: 8 }).map(units => String.fromCharCode(...units));

test('text: bytes compare as the texts do, and decode to the same texts', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Math.sign(encodeText(a).compare(encodeText(b))), a < b ? -1 : a > b ? 1 : 0);
      const bytes = encodeText(a);
      assert.deepEqual(
        [decodeText(bytes), decodeText(bytes)],
        [a, a],
        'decoding leaves the bytes as they are',
      );
    }),
  );
});
