// What a condition makes the service do: the class that it is given is the least that its keys allow, and no row that matches is outside its bounds.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { explainFilter } from '../../filters.js';
import { allRows, anyCondition, anyRow, isIn, readerOfRow, type TestRow } from '../../testing/condition.js';
import { law } from '../../testing/law.js';
import { ALTERNATIVES_MAX, COMPARISONS_MAX, classify, type KeyBounds, type QueryClass } from './classify.js';
import { evaluate } from './evaluate.js';
import { formatFilter } from './format-filter.js';
import { parseFilter } from './parse-filter.js';
import { givenKeys } from './plan.js';

const isWithin = ({ partitionKey, rowKey }: TestRow, bounds: readonly KeyBounds[]): boolean =>
  bounds.some(({ partition, row }) => isIn(partitionKey, partition) && isIn(rowKey, row));

const CLASSES: readonly (readonly [QueryClass, string])[] = [
  ['none', "PartitionKey eq 'a' and PartitionKey eq 'b'"],
  ['none', "RowKey lt ''"],
  ['none', 'false'],
  ['point', "PartitionKey eq 'a' and RowKey eq 'b'"],
  ['point', "'a' eq PartitionKey and (RowKey eq 'b' and age gt 3)"],
  ['point', "PartitionKey eq 'a' and RowKey ge 'b' and RowKey le 'b'"],
  ['point', "PartitionKey eq 'a' and not (RowKey ne 'b')"],
  ['point', "PartitionKey eq 'a' and RowKey eq 'b' or PartitionKey eq 'a' and RowKey eq 'b' and x"],
  ['points', "PartitionKey eq 'a' and (RowKey eq 'b' or RowKey eq 'c')"],
  ['points', "(PartitionKey eq 'a' or PartitionKey eq 'b') and RowKey eq 'c'"],
  ['range', "PartitionKey eq 'a' and RowKey ge 'b' and RowKey lt 'c'"],
  ['range', "PartitionKey eq 'a' and RowKey gt 'b'"],
  ['partition-scan', "PartitionKey eq 'a' and RowKey gt 'b' and x eq 1"],
  ['partition-scan', "PartitionKey eq 'a' and (RowKey gt 'b' and (x eq 1 or RowKey lt 'c'))"],
  ['point', "PartitionKey eq 'a' and RowKey eq 'b' and x eq 1"],
  ['range', "PartitionKey eq 'a' and (RowKey lt 'b' or RowKey eq 'b')"],
  ['range', "PartitionKey eq 'a' and RowKey lt 'd' and (RowKey ge 'b' or RowKey ge 'c')"],
  ['partition-scan', "PartitionKey eq 'a'"],
  ['partition-scan', "PartitionKey eq 'a' and RowKey ne 'b'"],
  ['partition-scan', "PartitionKey eq 'a' and (RowKey lt 'b' or RowKey gt 'c')"],
  ['partition-scan', "PartitionKey eq 'a' and (RowKey eq 'b' or RowKey gt 'c')"],
  ['partition-scan', "PartitionKey eq 'a' and age gt 3"],
  ['partition-scan', "PartitionKey eq 'a' and RowKey ge ''"],
  ['table-scan', ''],
  ['table-scan', "RowKey eq 'b'"],
  ['table-scan', "PartitionKey ge 'a' and PartitionKey lt 'b'"],
  ['table-scan', "PartitionKey eq 'a' or PartitionKey eq 'b'"],
  ['table-scan', "PartitionKey eq 'a' and RowKey eq 'b' or age gt 3"],
  ['table-scan', "not (PartitionKey eq 'a')"],
  ['table-scan', 'PartitionKey eq 5'],
];

describe('classes', () => {
  for (const [expected, text] of CLASSES)
    test(`${expected}: ${text}`, () => {
      assert.equal(explainFilter(text).class, expected);
    });

  test('warnings name what costs', () => {
    const warnings = (text: string): string => explainFilter(text).warnings.join('\n');
    assert.match(warnings("PartitionKey eq 'a' and age gt 3 and name eq 'x'"), /Filtered.*: age, name\./);
    assert.match(warnings("PartitionKey eq 'a' and (RowKey eq 'b' or RowKey eq 'c')"), /2 rows.*getMany/);
    assert.match(warnings("PartitionKey eq 'a' and (RowKey lt 'b' or RowKey gt 'c')"), /2 ranges.*'or'/);
    assert.match(warnings("PartitionKey eq 'a' or PartitionKey eq 'b'"), /fanOut/);
    assert.match(warnings('RowKey eq 5'), /RowKey is a string/);
    assert.match(warnings('PartitionKey and a eq 1'), /PartitionKey is a string/);
    assert.match(
      warnings("PartitionKey eq 'a' and RowKey ge 'b' and RowKey lt 'c' and x eq 1"),
      /every row with RowKey ge 'b' and RowKey lt 'c'\./,
    );
    assert.match(warnings("PartitionKey eq 'a' and x eq 1"), /a whole partition\./);
    assert.match(warnings("PartitionKey gt 'O''Neil'"), /all with PartitionKey gt 'O''Neil'\./);
    assert.match(
      warnings("PartitionKey gt 'a' and PartitionKey le 'b'"),
      /all with PartitionKey gt 'a' and PartitionKey le 'b'\./,
    );
    assert.equal(warnings("PartitionKey eq 'a' and RowKey eq 'b'"), '');
  });

  test('comparisons are counted', () => {
    const filter = (count: number): string =>
      ["PartitionKey eq 'a'", ...Array.from({ length: count - 1 }, (_, i) => `p${i} eq 1`)].join(' and ');
    for (const [count, isTold] of [
      [COMPARISONS_MAX - 1, false],
      [COMPARISONS_MAX, false],
      [COMPARISONS_MAX + 1, true],
    ] as const)
      assert.equal(
        explainFilter(filter(count)).warnings.some(each => each.includes('comparisons')),
        isTold,
        `${count}`,
      );
  });

  test('alternatives are kept apart up to a bound, and are then one range', () => {
    const either = (name: string, count: number): string =>
      `(${Array.from({ length: count }, (_, i) => `${name} eq '${i}'`).join(' or ')})`;
    const classOf = (partitions: number, rows: number): readonly [QueryClass, number] => {
      const plan = explainFilter(`${either('PartitionKey', partitions)} and ${either('RowKey', rows)}`);
      return [plan.class, plan.bounds.length];
    };
    assert.equal(ALTERNATIVES_MAX, 1000);
    assert.deepEqual(classOf(27, 37), ['points', 999]);
    assert.deepEqual(classOf(40, 25), ['points', 1000]);
    assert.deepEqual(classOf(7, 143), ['table-scan', 1]);
    assert.equal(explainFilter(`PartitionKey eq 'a' and ${either('RowKey', 5000)}`).points.length, 5000);
  });
});

test('nothing is left where the keys decide', () => {
  const left = (text: string): string =>
    formatFilter(givenKeys(parseFilter(text), { partitionKey: 'a', rowKey: 'b' }));
  assert.equal(left("PartitionKey eq 'a' and (RowKey eq 'b' or x eq 1)"), 'true');
  assert.equal(left("PartitionKey eq 'a' and RowKey eq 'c' and x eq 1"), 'false');
  assert.equal(left("not (PartitionKey eq 'a' and x eq 1) or RowKey gt 'b'"), 'not (x eq 1)');
  assert.equal(left("RowKey eq 'b' and (x eq 1 or PartitionKey eq 'z')"), 'x eq 1');
});

describe('laws', () => {
  test('rows that match are within the bounds, and rows within bounds without other conditions match', () => {
    const seen = new Set<QueryClass>();
    law(
      fc.property(anyCondition, allRows, (condition, rows) => {
        const { bounds, isFiltered, points, class: queryClass } = classify(condition);
        seen.add(queryClass);
        for (const row of rows) {
          const isMatch = evaluate(condition, readerOfRow(row));
          const within = isWithin(row, bounds);
          assert(within || !isMatch, `${formatFilter(condition)} matches outside its bounds`);
          assert(isMatch || !within || isFiltered, `${formatFilter(condition)} does not match within`);
        }
        if (queryClass === 'range') assert(!isFiltered, `${formatFilter(condition)} is a scan of its range`);
        if (queryClass === 'point' || queryClass === 'points') assert.equal(points.length, bounds.length);
        if (queryClass === 'none') assert.equal(bounds.length, 0);
      }),
      { cost: 10, least: 100 },
    );
    assert(seen.has('point') || seen.has('points'), [...seen].join());
  });

  test('what is left once the keys are known decides as the whole does', () => {
    law(
      fc.property(anyCondition, anyRow, (condition, row) => {
        const read = readerOfRow(row);
        const left = givenKeys(condition, row);
        assert.equal(evaluate(left, read), evaluate(condition, read));
        assert.doesNotMatch(formatFilter(left), /PartitionKey|RowKey/);
      }),
    );
  });
});
