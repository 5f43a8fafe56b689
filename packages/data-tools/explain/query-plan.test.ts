// The guide's four classes, the bounds, and invalid filters.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ToolError } from '../source/tool-error.js';
import { type PlanClass, queryPlan } from './query-plan.js';

const CLASSES: readonly (readonly [PlanClass, string])[] = [
  ['point', "PartitionKey eq 'Sales' and RowKey eq '222'"],
  ['point', "RowKey eq '222' and PartitionKey eq 'Sales' and Age gt 3"],
  ['range', "PartitionKey eq 'Sales' and RowKey ge 'S' and RowKey lt 'T'"],
  ['partition-scan', "PartitionKey eq 'Sales'"],
  ['partition-scan', "PartitionKey eq 'Sales' and LastName eq 'Smith'"],
  ['partition-scan', "PartitionKey eq 'Sales' and RowKey ge 'S' and LastName eq 'Smith'"],
  // The guide names this one: `or` of row keys is not a range.
  ['partition-scan', "PartitionKey eq 'Sales' and (RowKey eq '121' or RowKey eq '322')"],
  ['table-scan', "LastName eq 'Jones'"],
  ['table-scan', "PartitionKey ge 'a' and PartitionKey lt 'b'"],
  ['table-scan', "(PartitionKey eq 'a' or PartitionKey eq 'b') and RowKey eq 'c'"],
  ['table-scan', ''],
];

test('a filter has the class that the design guide gives it, and advice', () => {
  for (const [planClass, filter] of CLASSES) {
    const plan = queryPlan(filter);
    assert.equal(plan.class, planClass, filter);
    assert(plan.advice.length > 0, filter);
  }
});

test('bounds are those between which rows can match', () => {
  assert.deepEqual(queryPlan("PartitionKey eq 'a' and RowKey ge 'b' and RowKey lt 'c'").bounds, [
    { PartitionKey: { eq: 'a' }, RowKey: { ge: 'b', lt: 'c' } },
  ]);
  assert.deepEqual(queryPlan('x gt 1').bounds, [{ PartitionKey: {}, RowKey: {} }]);
  const none = queryPlan("PartitionKey eq 'a' and PartitionKey eq 'b'");
  assert.deepEqual([none.class, none.bounds], ['range', []]);
  assert.match(none.advice.join(), /Nothing can match/);
});

test('an invalid filter is an error of usage that names the place', () => {
  assert.throws(
    () => queryPlan('x eqq 1'),
    error =>
      error instanceof ToolError && error.exit === 'usage' && error.message.includes('At 2 of the filter'),
  );
});
