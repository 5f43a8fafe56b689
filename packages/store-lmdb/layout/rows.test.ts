// Values of rows decode to what was encoded, and copies stay as they were, whatever is copied after them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { copyValue, decodeValue, decodeVersion, RowValueEncoder, VersionDecoder } from './rows.js';

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
  const encoder = new RowValueEncoder();
  fc.assert(
    fc.property(fc.array(fc.tuple(version, length), { maxLength: 40 }), rows => {
      const versions = new VersionDecoder();
      const copies = rows.map(([tick, count], i) => {
        const encoded = encoder.encode(tick, Buffer.alloc(count, i + 1));
        const bytes = Buffer.concat([BEFORE, encoded, BEHIND]);
        const from = BEFORE.length;
        assert.equal(decodeVersion(bytes, from, from + encoded.length), tick);
        assert.equal(versions.decode(bytes, from, from + encoded.length), tick);
        assert.ok(decodeValue(bytes, from, from + encoded.length).equals(Buffer.alloc(count, i + 1)));
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
