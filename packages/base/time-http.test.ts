// Dates of headers (time.ts): RFC 1123 only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatHttpDate, parseHttpDate } from './time.js';

test('reads what clients send', () => {
  const ticks = BigInt(Date.UTC(2020, 6, 27, 12, 28, 53)) * 10_000n;
  assert.equal(parseHttpDate('Mon, 27 Jul 2020 12:28:53 GMT'), ticks);
  assert.equal(formatHttpDate(ticks + 9_999_999n), 'Mon, 27 Jul 2020 12:28:53 GMT');
});

test('refuses any other text', () => {
  const texts = [
    '',
    'now',
    '2020-07-27T12:28:53Z',
    'Mon, 27 Jul 2020 12:28:53',
    'Mon, 27 Jul 2020 12:28:53 +0200',
  ];
  for (const text of [...texts, 'Mon, 27 Jul 2020 25:28:53 GMT', '27 Jul 2020 12:28:53 GMT', '1595852933']) {
    assert.equal(parseHttpDate(text), undefined, text);
  }
});

test('what is written reads back', () => {
  const [first, last] = [-62_135_596_800, 253_402_300_799];
  const seconds = fc.oneof(fc.integer({ min: first, max: last }), fc.integer({ min: 0, max: 200_000 }));
  fc.assert(
    fc.property(seconds, second => {
      const ticks = BigInt(second) * 10_000_000n;
      const text = formatHttpDate(ticks);
      // Two-digit years are ambiguous.
      if (second >= 0) assert.equal(parseHttpDate(text), ticks);
      assert.equal(text, new Date(second * 1000).toUTCString());
    }),
  );
});
