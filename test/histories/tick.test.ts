// ETags and ticks, with fractions without trailing zeros.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { etagOf, tickOf } from './tick.js';

test('an ETag converts to its tick and back, with every length of the fraction', () => {
  const whole = 17_952_815_630_000_000n;
  for (const fraction of [0n, 1n, 10n, 1_000_000n, 9_999_999n]) {
    assert.equal(tickOf(etagOf(whole + fraction)), whole + fraction);
  }
  assert.equal(etagOf(whole), `W/"datetime'2026-11-21T17%3A19%3A23Z'"`);
  assert.equal(etagOf(whole + 1n), `W/"datetime'2026-11-21T17%3A19%3A23.0000001Z'"`);
  assert.throws(() => tickOf(`W/"datetime'never'"`), RangeError);
});
