// Gaps in texts: what fills them, and the length that every request has.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  GROUP_ROWS,
  joinParts,
  partBytes,
  type SlotKind,
  STRIDE,
  scatter,
  slot,
  slotValue,
  Template,
} from './template.js';

const KINDS: readonly SlotKind[] = [
  'row',
  'partition',
  'rank',
  'group',
  'groupEnd',
  'unique',
  'member',
  'memberPartition',
  'memberRank',
  'anyPartition',
];
const ROWS = fc
  .integer({ min: 1, max: Math.floor((STRIDE - 1) / GROUP_ROWS) })
  .map(groups => groups * GROUP_ROWS);
// Loading counts members from 0, so that these are rows; elsewhere they only have to fit their gap.
const SEQUENCE = fc.integer({ min: 0, max: Math.floor(Number.MAX_SAFE_INTEGER / STRIDE) });
const PART = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.tuple(fc.constantFrom(...KINDS), fc.nat(99)).map(([kind, offset]) => slot(kind, offset)),
);

test('every gap has its digits, and the whole the length that was announced', () => {
  fc.assert(
    fc.property(fc.array(PART), SEQUENCE, ROWS, (parts, sequence, rows) => {
      const texts = parts.map(part =>
        typeof part === 'string' ? part : String(slotValue(part, sequence, rows)).padStart(part.digits, '0'),
      );
      const joined = joinParts(parts);
      for (const form of [parts, joined])
        assert.deepEqual(new Template(form, rows).bytes(sequence), Buffer.from(texts.join('')));
      assert.equal(partBytes(parts), Buffer.byteLength(texts.join('')));
      assert.ok(joined.every((part, i) => typeof part !== 'string' || typeof joined[i + 1] !== 'string'));
    }),
  );
});

test('requests in a row fall on all rows before any is repeated', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2000 }), fc.nat(1_000_000), (rows, first) => {
      const seen = new Set(Array.from({ length: rows }, (_, index) => scatter(first + index, rows)));
      assert.equal(seen.size, rows);
    }),
    { numRuns: 30 },
  );
});

test('a group is whole and holds the row', () => {
  fc.assert(
    fc.property(SEQUENCE, ROWS, (sequence, rows) => {
      const value = (kind: SlotKind) => slotValue(slot(kind), sequence, rows);
      assert.ok(value('group') <= value('row') && value('row') < value('groupEnd'));
      assert.ok(value('group') % GROUP_ROWS === 0 && value('groupEnd') <= rows);
    }),
  );
});

test('each text is a copy of its own', () => {
  const template = new Template(['a', slot('unique')], 100);
  const first = template.bytes(1);
  template.bytes(987);
  assert.equal(first.toString(), 'a0000000001');
});
