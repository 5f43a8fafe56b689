// The range of a signature against the rule as the protocol states it (protocol: sas#key-ranges).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import { isInKeyRange, keyRange, type SignedBounds } from './table-sas.js';

const bounds = (fields: Partial<SignedBounds>): SignedBounds => ({
  firstPartition: undefined,
  firstRow: undefined,
  lastPartition: undefined,
  lastRow: undefined,
  ...fields,
});

function isIn(fields: Partial<SignedBounds>, partitionKey: string, rowKey: string): boolean {
  const range = keyRange(bounds(fields));
  return range === undefined || isInKeyRange(range, { partitionKey, rowKey });
}

test('both ends belong to the range', () => {
  const fields = { firstPartition: 'b', firstRow: '5', lastPartition: 'd', lastRow: '5' };
  for (const [partition, row] of [
    ['b', '5'],
    ['b', '9'],
    ['c', ''],
    ['c', '9'],
    ['d', ''],
    ['d', '5'],
  ] as const) {
    assert.ok(isIn(fields, partition, row), partition + row);
  }
  for (const [partition, row] of [
    ['a', '9'],
    ['b', '4'],
    ['d', '50'],
    ['d', '6'],
    ['d\0', ''],
    ['e', ''],
  ] as const) {
    assert.ok(!isIn(fields, partition, row), partition + row);
  }
});

test('the half-open range is the inclusive rule', () => {
  const text = fc.string({ unit: fc.constantFrom('\0', '\u0001', 'a', 'b', '\uffff'), maxLength: 3 });
  const optional = fc.option(text, { nil: undefined });
  const signed = fc
    .record({ firstPartition: optional, firstRow: optional, lastPartition: optional, lastRow: optional })
    .filter(({ firstPartition, firstRow, lastPartition, lastRow }) => {
      const isFirstWhole = firstRow === undefined || firstPartition !== undefined;
      return isFirstWhole && (lastRow === undefined || lastPartition !== undefined);
    });
  fc.assert(
    fc.property(signed, text, text, (limits, pk, rk) => {
      const { firstPartition: spk, firstRow: srk, lastPartition: epk, lastRow: erk } = limits;
      const low = spk === undefined || pk > spk || (pk === spk && (srk === undefined || rk >= srk));
      const high = epk === undefined || pk < epk || (pk === epk && (erk === undefined || rk <= erk));
      assert.equal(isIn(limits, pk, rk), low && high);
    }),
    { numRuns: randomRuns(2000) },
  );
});
