// The range of a signature against the rule as the protocol states it (protocol: sas#key-ranges).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from '#base/testing/random-runs';
import { isInKeyRange, keyRangeIn } from './table-sas.js';

const isIn = (fields: object, partitionKey: string, rowKey: string): boolean => {
  const range = keyRangeIn(new Map(Object.entries(fields).filter(([, value]) => value !== undefined)));
  return range === undefined || isInKeyRange(range, { partitionKey, rowKey });
};

test('both ends belong to the range', () => {
  const fields = { spk: 'b', srk: '5', epk: 'd', erk: '5' };
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
  const optional = fc.option(
    text.filter(bound => bound !== ''),
    { nil: undefined },
  );
  const signed = fc
    .record({ spk: optional, srk: optional, epk: optional, erk: optional })
    .filter(({ spk, srk }) => srk === undefined || spk !== undefined)
    .filter(({ epk, erk }) => erk === undefined || epk !== undefined);
  fc.assert(
    fc.property(signed, text, text, (bounds, pk, rk) => {
      const { spk, srk, epk, erk } = bounds;
      const low = spk === undefined || pk > spk || (pk === spk && (srk === undefined || rk >= srk));
      const high = epk === undefined || pk < epk || (pk === epk && (erk === undefined || rk <= erk));
      assert.equal(isIn(bounds, pk, rk), low && high);
    }),
    { numRuns: randomRuns(2000) },
  );
});
