// The filter box: what it says about a text, and what it offers at the caret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Column } from './columns.js';
import { completionsAt } from './completion.js';
import { boundsOf, isScan, verdictOf } from './verdict.js';

test('a filter has a class and bounds', () => {
  const point = verdictOf("PartitionKey eq 'a' and RowKey eq 'b'");
  assert(point.kind === 'plan' && point.plan.class === 'point' && !isScan(point));
  assert.deepEqual(boundsOf(point.plan), ['PartitionKey = "a" · RowKey = "b"']);
  const scan = verdictOf("PartitionKey ge 'a' and total gt 5");
  assert(scan.kind === 'plan' && scan.plan.class === 'table-scan' && isScan(scan));
  assert(!isScan(verdictOf("PartitionKey eq 'a'")));
  assert.deepEqual(verdictOf('  '), { kind: 'all' });
});

test('a text that does not parse says where', () => {
  const text = "PartitionKey eq 'a' and total >";
  const verdict = verdictOf(text);
  assert(verdict.kind === 'invalid');
  assert.equal(verdict.position, text.indexOf('>'));
  assert.match(verdict.message, /^> is .*\.$/);
  const open = verdictOf("PartitionKey eq 'a");
  assert(open.kind === 'invalid' && open.position === 16, JSON.stringify(open));
});

const COLUMNS: readonly Column[] = [
  { name: 'PartitionKey', type: 'String', isMixed: false },
  { name: 'isPaid', type: 'Boolean', isMixed: false },
  { name: 'total', type: 'Double', isMixed: false },
];
const labels = (text: string): readonly string[] =>
  completionsAt(text, text.length, COLUMNS).items.map(({ label }) => label);

test('names, operators, values and joins are offered where they can stand', () => {
  assert.deepEqual(labels(''), ['PartitionKey', 'isPaid', 'total', 'not']);
  assert.deepEqual(labels('t'), ['total', 'PartitionKey', 'not']);
  assert.deepEqual(labels('total '), ['eq', 'ne', 'gt', 'ge', 'lt', 'le']);
  assert.deepEqual(labels('total g'), ['gt', 'ge']);
  assert.deepEqual(labels('isPaid eq '), ['true', 'false']);
  assert.deepEqual(labels('isPaid eq true '), ['and', 'or']);
  assert.deepEqual(labels("PartitionKey eq 'a b"), []);
  assert.deepEqual(labels("PartitionKey eq 'a b' and (is"), ['isPaid']);
});
