// Addresses of a signature: single, range, and malformed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isInIpRange, parseIpRange } from './ip-range.js';

const isIn = (text: string, address: string): boolean => {
  const range = parseIpRange(text);
  assert.ok(range, text);
  return isInIpRange(range, address);
};

test('one address', () => {
  assert.ok(isIn('10.0.0.1', '10.0.0.1'));
  assert.ok(isIn('10.0.0.1', '::ffff:10.0.0.1'));
  assert.ok(!isIn('10.0.0.1', '10.0.0.2'));
  assert.ok(!isIn('0.0.0.1', '::1'));
  assert.ok(!isIn('0.0.0.0-255.255.255.255', '2001:db8::1'));
});

test('a range has both its ends', () => {
  const range = '10.0.0.250-10.0.1.5';
  for (const address of ['10.0.0.250', '10.0.0.255', '10.0.1.0', '10.0.1.5'])
    assert.ok(isIn(range, address), address);
  for (const address of ['10.0.0.249', '10.0.1.6', '9.0.1.0', '210.0.1.0'])
    assert.ok(!isIn(range, address), address);
  assert.ok(isIn('0.0.0.0-255.255.255.255', '255.255.255.255'));
});

test('malformed ranges', () => {
  const texts = [
    '',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.1-',
    '-10.0.0.1',
    '10.0.0.2-10.0.0.1',
    '::1',
    '10.0.0.1-2',
    'a.b.c.d',
  ];
  for (const text of [...texts, '10.0.0.1-10.0.0.2-10.0.0.3', '10.0.0.1/8', ' 10.0.0.1']) {
    assert.equal(parseIpRange(text), undefined, text);
  }
});
