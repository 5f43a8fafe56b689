// Cells: short, and nothing invisible.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Property } from '#data-tools/line';
import { cellOf, formatBytes } from './cell.js';

const text = (value: string): Property => ({ name: 'n', type: 'String', literal: JSON.stringify(value) });

test('absent, empty and blank differ', () => {
  assert.deepEqual(cellOf(undefined), { text: '', kind: 'absent' });
  assert.deepEqual(cellOf(text('')), { text: 'empty', kind: 'empty' });
  assert.deepEqual(cellOf(text('  ')), { text: '··', kind: 'value' });
  assert.deepEqual(cellOf(text('a\nb\u200b\ud800')), { text: 'a↵b��', kind: 'value' });
});

test('a long value is cut, a number is not touched', () => {
  assert.equal(cellOf(text('x'.repeat(65_536))).text.length, 301);
  const int64: Property = { name: 'n', type: 'Int64', literal: '"-9223372036854775808"' };
  assert.deepEqual(cellOf(int64), { text: '-9223372036854775808', kind: 'number' });
});

test('a binary says how long it is', () => {
  const binary: Property = { name: 'n', type: 'Binary', literal: '"AAEC/w=="' };
  assert.deepEqual(cellOf(binary), { text: '4 bytes · AAEC/w==', kind: 'constant' });
  assert.deepEqual([0, 1, 1023, 1536, 5_368_709_120].map(formatBytes), [
    '0 bytes',
    '1 byte',
    '1023 bytes',
    '1.5 KiB',
    '5.0 GiB',
  ]);
});
