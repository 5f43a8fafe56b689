// Encoded strings keep the order of `<` and decode to the same strings, alone and as the key of a row.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import {
  decodeKey,
  decodePartition,
  decodeText,
  encodedLength,
  encodePayload,
  encodeText,
  endOfPrefix,
  fits,
  payloadLength,
} from './keys.js';

/** Any UTF-16 code units, lone surrogates among them, and often those at which the encoding changes. */
const text = fc
  .array(
    fc.oneof(
      fc.nat({ max: 0xffff }),
      fc.constantFrom(0, 1, 2, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xdfff, 0xe000, 0xffff),
    ),
    { maxLength: 6 },
  )
  .map(units => String.fromCharCode(...units));

function encode(value: string): Buffer {
  const bytes = Buffer.alloc(encodedLength(value));
  assert.equal(encodeText(value, bytes, 0), bytes.length);
  return bytes;
}

function order(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

test('a string decodes to itself', () => {
  fc.assert(
    fc.property(text, value => {
      const bytes = encode(value);
      assert.equal(decodeText(bytes, 0, bytes.length), value);
      assert(!bytes.includes(0x00) && !bytes.includes(0xff));
    }),
  );
});

test('each code unit decodes to itself and sorts before the next', () => {
  let before = encode('');
  for (let unit = 0; unit <= 0xffff; unit += 1) {
    const value = String.fromCharCode(unit);
    const bytes = encode(value);
    assert.equal(decodeText(bytes, 0, bytes.length), value);
    assert(Buffer.compare(before, bytes) < 0);
    before = bytes;
  }
});

test('the documented examples', () => {
  const examples = {
    '\u0000': '0101',
    '\u0001': '0102',
    a: '61',
    é: 'c3a9',
    '€': 'e282ac',
    '\ud83d': 'eda0bd',
  };
  for (const [value, hex] of Object.entries(examples)) assert.equal(encode(value).toString('hex'), hex);
  assert.equal(encodePayload('p\u0000', 'é').toString('hex'), '70010100c3a9');
});

test('bytes are in the order of strings', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      assert.equal(Buffer.compare(encode(a), encode(b)), order(a, b));
    }),
    { numRuns: randomRuns(1000) },
  );
});

test('the key of a row is in the order of (partition, key), and decodes to itself', () => {
  const related = fc.tuple(text, text, text).map(([a, b, c]) => ({ partition: a, key: b, other: a + c }));
  fc.assert(
    fc.property(related, text, text, ({ partition, key, other }, otherKey, longer) => {
      const bytes = encodePayload(partition, key);
      assert.equal(bytes.length, payloadLength(partition, key));
      assert.equal(decodePartition(bytes, 0, bytes.length), partition);
      assert.equal(decodeKey(bytes, 0, bytes.length), key);
      for (const [p, k] of [
        [other, otherKey],
        [partition, key + longer],
        [partition, otherKey],
      ] as const) {
        const expected = order(partition, p) || order(key, k);
        assert.equal(Buffer.compare(bytes, encodePayload(p, k)), expected);
      }
    }),
    { numRuns: randomRuns(1000) },
  );
});

test('fits knows exactly whether a payload has this many bytes', () => {
  fc.assert(
    fc.property(text, text, fc.nat({ max: 40 }), (partition, key, limit) => {
      assert.equal(fits(partition, key, limit), payloadLength(partition, key) <= limit);
    }),
  );
});

test('the end of a prefix is after everything that begins with it, and before everything else that follows it', () => {
  const bytes = (max: number) => fc.uint8Array({ maxLength: max }).map(array => Buffer.from(array));
  fc.assert(
    fc.property(
      bytes(4),
      fc.integer({ min: 0, max: 254 }),
      bytes(3),
      bytes(6),
      (start, last, tail, other) => {
        const prefix = Buffer.concat([start, Buffer.of(last)]);
        const end = endOfPrefix(prefix);
        assert(Buffer.compare(Buffer.concat([prefix, tail]), end) < 0);
        const isWithin = Buffer.compare(prefix, other) <= 0 && Buffer.compare(other, end) < 0;
        assert.equal(isWithin, other.subarray(0, prefix.length).equals(prefix));
      },
    ),
  );
  assert.deepEqual(endOfPrefix(Buffer.of(1, 0xff, 0xff)), Buffer.of(2));
});

test('bytes that are no string are corrupt', () => {
  for (const hex of [
    '00',
    '01',
    '0100',
    '0103',
    '80',
    'c3',
    'c361',
    'e282',
    'e28261',
    'f09f9880',
    'ff',
    '61ff',
  ]) {
    const bytes = Buffer.from(hex, 'hex');
    assert.throws(() => decodeText(bytes, 0, bytes.length), { name: 'StoreError', code: 'corrupt' }, hex);
  }
});
