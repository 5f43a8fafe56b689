// Edm.DateTime: the forms that are read, the range, the calendar (compared with JavaScript's) and the two forms that are written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { randomRuns } from './testing/random-runs.js';
import {
  DATE_TIME_MAX,
  DATE_TIME_MIN,
  formatDateTime,
  formatDateTimeFull,
  parseDateTime,
  YEAR_ONE,
} from './time.js';

const EPOCH_2020 = 15_778_368_000_000_000n;
const anyTicks = fc.bigInt({ min: YEAR_ONE, max: DATE_TIME_MAX });

test('the limits are the times that they claim to be', () => {
  assert.equal(formatDateTime(DATE_TIME_MIN), '1601-01-01T00:00:00Z');
  assert.equal(formatDateTime(DATE_TIME_MAX), '9999-12-31T23:59:59.9999999Z');
  assert.equal(formatDateTime(YEAR_ONE), '0001-01-01T00:00:00Z');
});

test('one tick outside of the range is refused', () => {
  assert.equal(parseDateTime('1601-01-01T00:00:00Z'), DATE_TIME_MIN);
  assert.equal(parseDateTime('1600-12-31T23:59:59.9999999Z'), undefined);
  assert.equal(parseDateTime('1600-12-31T23:59:59.9999999Z', YEAR_ONE), DATE_TIME_MIN - 1n);
  assert.equal(parseDateTime('0001-01-01T00:00:00Z', YEAR_ONE), YEAR_ONE);
  assert.equal(parseDateTime('0001-01-01T00:00:00+00:01', YEAR_ONE), undefined);
  assert.equal(parseDateTime('0000-12-31T00:00:00Z', YEAR_ONE), undefined);
  assert.equal(parseDateTime('9999-12-31T23:59:59.9999999Z'), DATE_TIME_MAX);
  assert.equal(parseDateTime('9999-12-31T23:59:59-00:01'), undefined);
});

test('every accepted form', () => {
  const forms: readonly [string, bigint][] = [
    ['2020-01-01', 0n],
    ['2020-01-01Z', 0n],
    ['2020-01-01T00:00', 0n],
    ['2020-01-01T00:00Z', 0n],
    ['2020-01-01T00:00:00', 0n],
    ['2020-01-01T00:00:00.0000000Z', 0n],
    ['2020-01-01T01:02:03.2Z', 37_232_000_000n],
    ['2020-01-01T00:00:00.0000001Z', 1n],
    ['2020-01-01T00:00:00.123456789012345678901234567890Z', 1_234_567n],
    ['2020-01-01T02:00:00+02:00', 0n],
    ['2019-12-31T10:00:00.0000005-14:00', 5n],
  ];
  for (const [text, offset] of forms) assert.equal(parseDateTime(text), EPOCH_2020 + offset, text);
});

test('invalid times', () => {
  const texts = [
    '',
    '2020',
    '2020-1-01',
    '2020-00-01',
    '2020-13-01',
    '2020-01-00',
    '2020-04-31',
    '2019-02-29',
    '1900-02-29',
    '2020/01/01',
    '+020-01-01',
    '２０２０-01-01',
    '2020-01-01T',
    '2020-01-01T0:00',
    '2020-01-01T24:00:00Z',
    '2020-01-01T00:60:00Z',
    '2020-01-01T00:00:60Z',
    '2020-01-01T00:00:Z',
    '2020-01-01T00:00:00.Z',
    '2020-01-01T00:00.5Z',
    '2020-01-01t00:00:00Z',
    '2020-01-01 00:00:00Z',
    '2020-01-01T00:00:00z',
    '2020-01-01T00:00:00ZZ',
    '2020-01-01T00:00:00Z ',
    ' 2020-01-01T00:00:00Z',
    '2020-01-01T00:00:00+2:00',
    '2020-01-01T00:00:00+0200',
    '2020-01-01T00:00:00+14:01',
    '2020-01-01T00:00:00+01:60',
    '2020-01-01T00:00:00+02:00Z',
    '2020-01-01T00:00:00 02:00',
    '10000-01-01T00:00:00Z',
    'Wed, 01 Jan 2020 00:00:00 GMT',
  ];
  for (const text of texts) assert.equal(parseDateTime(text), undefined, text);
});

test('leap years', () => {
  for (const year of ['1604', '1996', '2000', '2024', '2400']) {
    const leapDay = parseDateTime(`${year}-02-29`);
    assert.ok(leapDay !== undefined);
    assert.equal(formatDateTime(leapDay + 864_000_000_000n), `${year}-03-01T00:00:00Z`);
  }
  for (const year of ['1700', '1900', '2023', '2100'])
    assert.equal(parseDateTime(`${year}-02-29`), undefined);
});

test('times as they were recorded', () => {
  for (const text of [
    '2017-11-10T02:44:47.6221962Z',
    '2017-11-10T02:43:53.111829Z',
    '2012-11-10T03:04:05.2Z',
    '2020-01-01T01:02:00Z',
  ]) {
    const ticks = parseDateTime(text);
    assert.ok(ticks !== undefined);
    assert.equal(formatDateTime(ticks), text);
  }
  assert.equal(formatDateTimeFull(EPOCH_2020 + 1_000n), '2020-01-01T00:00:00.0001000Z');
  assert.equal(formatDateTimeFull(-1n), '1969-12-31T23:59:59.9999999Z');
});

test('what is written is read back, in both forms', () => {
  fc.assert(
    fc.property(anyTicks, ticks => {
      const full = formatDateTimeFull(ticks);
      assert.equal(full.length, 28);
      assert.equal(parseDateTime(full, YEAR_ONE), ticks);
      assert.equal(parseDateTime(formatDateTime(ticks), YEAR_ONE), ticks);
      assert.equal(formatDateTime(ticks), full.replace(/\.?0*Z$/, 'Z'));
    }),
    { numRuns: randomRuns(2_000) },
  );
});

test('the calendar is that of JavaScript, to the millisecond that it knows', () => {
  fc.assert(
    fc.property(anyTicks, ticks => {
      const past = ((ticks % 10_000n) + 10_000n) % 10_000n;
      const milliseconds = Number((ticks - past) / 10_000n);
      assert.equal(formatDateTimeFull(ticks).slice(0, 23), new Date(milliseconds).toISOString().slice(0, 23));
    }),
    { numRuns: randomRuns(2_000) },
  );
});

test('no text makes it throw, and every accepted time is in range', () => {
  const alphabet = fc.constantFrom(...'0123456789-:.TZ+ x');
  const nearly = fc.tuple(anyTicks, fc.nat(27), alphabet).map(([ticks, at, char]) => {
    const text = formatDateTimeFull(ticks);
    return text.slice(0, at) + char + text.slice(at + 1);
  });
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: alphabet }), nearly), text => {
      const ticks = parseDateTime(text);
      assert.ok(ticks === undefined || (ticks >= DATE_TIME_MIN && ticks <= DATE_TIME_MAX));
    }),
    { numRuns: randomRuns(2_000) },
  );
});
