// Columns and numbers as text.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount, formatMegabytes, formatNumber, textTable } from './text-table.js';

test('columns line up, and nothing trails', () => {
  const lines = [
    ['name', 'of', 'count'],
    ['a', 'rows', '1'],
    ['longer', '', '12,345'],
    ['b', '', ''],
  ];
  const text = ['name    of     count', 'a       rows       1', 'longer        12,345', 'b'].join('\n');
  assert.equal(textTable(lines, 2), text);
});

test('numbers show three significant digits', () => {
  const texts = [0.012345, 0.5, 1.005, 12.34, 999.4, 1234.5, Number.NaN].map(formatNumber);
  assert.deepEqual(texts, ['0.0123', '0.5', '1.01', '12.3', '999', '1,235', '-']);
  assert.equal(formatCount(1234567.8), '1,234,568');
  assert.equal(formatMegabytes(12_340_000), '12.3 MB');
});
