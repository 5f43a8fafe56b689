// Tables and numbers as the report prints them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount, formatNumber, textTable } from './text-table.js';

test('columns are as wide as their widest cells', () => {
  const lines = [
    ['a', 'b', 'c'],
    ['long', '1', '22'],
  ];
  assert.equal(textTable(lines, 1), 'a     b   c\nlong  1  22');
});

test('numbers have three significant digits, or all before the point', () => {
  assert.deepEqual([0.1234, 12.34, 1234.5, Number.NaN].map(formatNumber), ['0.123', '12.3', '1,235', '-']);
  assert.equal(formatCount(1_234_567.4), '1,234,567');
});
