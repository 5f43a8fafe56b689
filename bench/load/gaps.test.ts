// Gaps in texts: what fills them, and the length that every request has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { filledLength, filler, partsOf, STRIDE, scatter } from './gaps.js';

test('gaps have their digits, and other braces stay', () => {
  const text = '{"Key":"{10:row}.{4:sequence}","Rank":{5:10000 + floor(row / 2) % 7}}';
  const row = scatter(3, 1000);
  const filled = filler(text, 1000)(3);
  assert.deepEqual(JSON.parse(filled), {
    Key: `${String(row).padStart(10, '0')}.0003`,
    Rank: 10_000 + (Math.floor(row / 2) % 7),
  });
  assert.equal(filledLength(text), filled.length);
  assert.equal(partsOf(text).length, 7);
});

test('requests in a row fall on all rows before any is repeated', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.nat(1_000_000), (rows, first) => {
      const seen = new Set(Array.from({ length: rows }, (_, index) => scatter(first + index, rows)));
      assert.equal(seen.size, rows);
      assert(rows < STRIDE);
    }),
    { numRuns: 30 },
  );
});
