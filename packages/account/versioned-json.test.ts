// The form of small stored values: round trip, and the kinds of failure when reading.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { StoreError } from '#store';
import { decodeVersioned, encodeVersioned } from './versioned-json.js';

const same = (value: unknown): unknown => value;

test('a value reads back as it was written', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), (json, version) => {
      const value: unknown = JSON.parse(json);
      const read = decodeVersioned(version, encodeVersioned(version, value), 'Values', same);
      assert.equal(JSON.stringify(read), JSON.stringify(value));
    }),
  );
});

test('another version is unsupported', () => {
  const bytes = encodeVersioned(2, []);
  const expected = { name: 'StoreError', code: 'unsupported', message: 'Values have the unknown version 2.' };
  assert.throws(() => decodeVersioned(1, bytes, 'Values', same), expected);
});

test('bytes that are not versioned JSON are corrupt', () => {
  for (const text of ['', '{', '1', 'null', '[]', '{"version":1}', '{"value":1}']) {
    assert.throws(() => decodeVersioned(1, Buffer.from(text), 'Values', same), { code: 'corrupt' }, text);
  }
});

test('a value of another shape is corrupt', () => {
  const bytes = encodeVersioned(1, 'seven');
  assert.throws(() => decodeVersioned(1, bytes, 'Values', value => BigInt(String(value))), {
    code: 'corrupt',
  });
});

test('arbitrary bytes fail as a StoreError', () => {
  fc.assert(
    fc.property(fc.uint8Array(), bytes => {
      try {
        decodeVersioned(1, Buffer.from(bytes), 'Values', same);
      } catch (error) {
        assert.ok(error instanceof StoreError);
      }
    }),
  );
});
