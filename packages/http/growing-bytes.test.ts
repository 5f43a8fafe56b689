// Bytes in a row: their content, and that views of them stay as they were.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GrowingBytes } from './growing-bytes.js';

test('pieces of all sizes come out in a row, and earlier views stay what they were', () => {
  const bytes = new GrowingBytes();
  const views: [Buffer, string][] = [];
  let text = '';
  for (let i = 0; i < 2_000; i++) {
    const piece = String.fromCharCode(97 + (i % 26)).repeat(i % 17);
    bytes.append(Buffer.from(`<${piece}>`), 1, 1 + piece.length);
    text += piece;
    views.push([bytes.view(), text]);
    if (i % 400 === 399) bytes.adopt(bytes.view());
  }
  assert.equal(bytes.length, text.length);
  for (const [view, expected] of views) assert.ok(view.equals(Buffer.from(expected)));
  bytes.clear();
  assert.deepEqual([bytes.length, bytes.view().length], [0, 0]);
});

test('adopted bytes are not written into', () => {
  const whole = Buffer.from('abcdef');
  const bytes = new GrowingBytes();
  bytes.adopt(whole.subarray(0, 3));
  bytes.append(Buffer.from('xyz'));
  assert.equal(whole.toString(), 'abcdef');
  assert.equal(bytes.view().toString(), 'abcxyz');
});

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
