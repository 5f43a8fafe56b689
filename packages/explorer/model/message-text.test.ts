// Messages: base64 is decoded where it stands for text, and encoding undoes decoding.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeMessage, encodeMessage, originOf, prettyMessage } from './message-text.js';

test('base64 of text is decoded, other texts are shown as they are', () => {
  assert.deepEqual(decodeMessage('eyJpZCI6MX0='), { text: '{"id":1}', encoding: 'base64' });
  for (const text of ['test', 'abcdabcd', 'not base64!', '', 'AAEC/w=='])
    assert.deepEqual(decodeMessage(text), { text, encoding: 'text' });
});

test('what is shown encodes back to what is stored', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), text => {
      const stored = encodeMessage({ text, encoding: 'base64' });
      const shown = decodeMessage(stored);
      assert.equal(encodeMessage(shown), stored);
    }),
  );
});

test('JSON is indented, and the origin of a poison queue is known', () => {
  assert.equal(prettyMessage('{"a":[1]}'), '{\n  "a": [\n    1\n  ]\n}');
  assert.equal(prettyMessage('12'), '12');
  assert.deepEqual([originOf('orders-poison'), originOf('orders')], ['orders', undefined]);
});
