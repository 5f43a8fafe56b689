// Encoded strings keep the order of `<` and decode to the same strings, alone and as the key of a row. Values decode to
// what was encoded, and copies stay as they were, whatever is copied after them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import { rowBytes } from '../testing/log-batch.js';
import {
  copyValue,
  decodeKey,
  decodePartition,
  decodeText,
  decodeVersion,
  encodedLength,
  encodePayload,
  encodeText,
  fits,
  payloadLength,
  VersionDecoder,
} from './rows.js';

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

test('the key of a row is in the order of (partition, key), and decodes to itself', () => {
  const related = fc.tuple(text, text, text).map(([a, b, c]) => ({ partition: a, key: b, other: a + c }));
  fc.assert(
    fc.property(related, text, text, ({ partition, key, other }, otherKey, longer) => {
      const bytes = encodePayload(partition, key);
      assert.equal(bytes.length, payloadLength(partition, key));
      assert(!bytes.includes(0xff) && !encode(key).includes(0));
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

const BEFORE = Buffer.from('what stands before it');
const BEHIND = Buffer.from('what stands behind the value');
const version = fc.oneof(
  fc.constantFrom(0n, 1n, 2n ** 32n, 2n ** 63n),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
);
const length = fc.oneof(
  fc.constantFrom(0, 1, 0x4000, 0x4001, 0x10000),
  fc.nat({ max: 2_000 }),
  fc.nat({ max: 70_000 }),
);

test('rows that follow each other decode as they were encoded, and copies stay as they were', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(version, length), { maxLength: 40 }), rows => {
      const versions = new VersionDecoder();
      const copies = rows.map(([tick, count], i) => {
        const encoded = rowBytes(tick, Buffer.alloc(count, i + 1));
        const bytes = Buffer.concat([BEFORE, encoded, BEHIND]);
        const from = BEFORE.length;
        assert.equal(decodeVersion(bytes, from, from + encoded.length), tick);
        assert.equal(versions.decode(bytes, from, from + encoded.length), tick);
        const copy = copyValue(bytes, from, from + encoded.length);
        bytes.fill(0);
        return copy;
      });
      for (const [i, copy] of copies.entries())
        assert.ok(copy.equals(Buffer.alloc(rows[i]?.[1] ?? -1, i + 1)), `copy ${i}`);
    }),
    { numRuns: 200 },
  );
});

test('a row that is too short for a version is damaged', () => {
  const bytes = Buffer.alloc(20);
  assert.throws(() => decodeVersion(bytes, 0, 7), { code: 'corrupt' });
  assert.throws(() => new VersionDecoder().decode(bytes, 0, 7), { code: 'corrupt' });
});
