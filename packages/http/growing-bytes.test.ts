// Memory for an announced body. connection.test.ts has the bytes, which stay as they are after they were handed on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrowingBytes } from './growing-bytes.js';

test('memory for all that is expected is taken once a quarter of it is there, and not before', () => {
  for (const [first, capacity] of [
    [24_999, 24_999],
    [25_000, 100_000],
    [100_000, 100_000],
    [100_001, 100_001],
  ] as const) {
    const bytes = new GrowingBytes(100_000);
    bytes.append(Buffer.alloc(first, 'a'));
    assert.equal(bytes.view().buffer.byteLength, capacity, `${first} bytes`);
    bytes.append(Buffer.from('b'));
    assert.equal(bytes.view().toString(), `${'a'.repeat(first)}b`);
  }
});
