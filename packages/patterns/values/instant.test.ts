// Instants as texts and dates, and the clock of ticks.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Instant, PatternError, TickClock } from '../index.js';
import { instantOfEtag } from '../internals.js';
import { compare, law } from '../testing/law.js';

const anyInstant = fc
  .bigInt({ min: 0n, max: 3_155_378_975_999_999_999n })
  .map(ticks => Instant.fromTicks(ticks));

describe('an instant', () => {
  test('comes back from its text, and texts are in its order', () => {
    law(
      fc.property(anyInstant, anyInstant, (a, b) => {
        assert.equal(Instant.parse(a.toString()).ticks, a.ticks);
        assert.equal(compare(`${a}`, `${b}`), compare(a.ticks, b.ticks));
        assert.equal(a < b, a.ticks < b.ticks);
        assert.equal(a.equals(b), a.ticks === b.ticks);
        assert.equal(Instant.fromDate(a.toDate()) <= a, true);
      }),
    );
  });

  test('is read from ISO 8601', () => {
    const texts: readonly (readonly [string, string])[] = [
      ['2017-11-10T02:44:47.6221962Z', '2017-11-10T02:44:47.6221962Z'],
      ['2017-11-10T02:44:47.62219629Z', '2017-11-10T02:44:47.6221962Z'],
      ['2017-11-10T02:44:47.6Z', '2017-11-10T02:44:47.6000000Z'],
      ['2017-11-10T02:44', '2017-11-10T02:44:00.0000000Z'],
      ['2017-11-10', '2017-11-10T00:00:00.0000000Z'],
      ['2017-11-10T00:30:00+01:00', '2017-11-09T23:30:00.0000000Z'],
      ['2017-11-09T23:30:00-01:30', '2017-11-10T01:00:00.0000000Z'],
      ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.0000000Z'],
      ['9999-12-31T23:59:59.9999999Z', '9999-12-31T23:59:59.9999999Z'],
      ['2016-02-29', '2016-02-29T00:00:00.0000000Z'],
    ];
    for (const [text, expected] of texts) assert.equal(`${Instant.parse(text)}`, expected);
    for (const text of [
      '',
      'x',
      '2017-13-01',
      '2017-11-10 02:44',
      '2017-11-10T02:44:60Z',
      '2017-11-10T02:60:00Z',
      '2017-11-10T24:00:00Z',
      '2017-02-29T00:00:00Z',
      '2017-11-00T00:00:00Z',
      '2017-00-10T00:00:00Z',
      '2017-11-10T02:44:47.Z',
      '2017-11-10T02:44:47.1a',
      '2017-11-10T02:44:4xZ',
      '9999-12-31T23:59:59-01:00',
      '0000-12-31',
    ])
      assert.throws(() => Instant.parse(text), PatternError, text);
  });

  test('lies between the years 1 and 9999', () => {
    assert.equal(`${Instant.fromTicks(0n)}`, '0001-01-01T00:00:00.0000000Z');
    for (const ticks of [-1n, 3_155_378_976_000_000_000n])
      assert.throws(() => Instant.fromTicks(ticks), PatternError);
    assert.throws(() => Instant.fromDate(new Date(Number.NaN)), PatternError);
    assert.equal(Instant.parse('1601-01-01').isStorable, true);
    assert.equal(Instant.parse('1601-01-01').plus(-1n).isStorable, false);
  });

  test('becomes a date, rounded down', () => {
    assert.equal(Instant.parse('1969-12-31T23:59:59.9999999Z').toDate().getTime(), -1);
    assert.equal(Instant.parse('1970-01-01T00:00:00.0019999Z').toDate().getTime(), 1);
    assert.equal(
      JSON.stringify({ at: Instant.fromDate(new Date(0)) }),
      '{"at":"1970-01-01T00:00:00.0000000Z"}',
    );
  });

  test('is in the ETag', () => {
    assert.equal(
      `${instantOfEtag(`W/"datetime'2017-11-10T02%3A44%3A47.6221962Z'"`)}`,
      '2017-11-10T02:44:47.6221962Z',
    );
    for (const etag of ['', 'x', `W/"datetime'%'"`, `W/"datetime'x'"`])
      assert.equal(instantOfEtag(etag), undefined);
  });
});

describe('a clock of ticks', () => {
  test('never gives a tick twice or an earlier one, whatever the clock does', () => {
    const steps = fc.array(fc.oneof(fc.constant(0), fc.integer({ min: -3_600_000, max: 3_600_000 })), {
      minLength: 1,
      maxLength: 50,
    });
    law(
      fc.property(steps, jumps => {
        let now = 1_700_000_000_000;
        const clock = new TickClock({ now: () => now });
        let last = clock.next();
        for (const jump of jumps) {
          now += jump;
          const next = clock.next();
          assert(next > last);
          if (jump > 0 && Instant.fromDate(new Date(now)) > last)
            assert.deepEqual(next.toDate().getTime(), now);
          last = next;
        }
      }),
    );
  });

  test('tells writers apart', () => {
    const writers = Array.from({ length: 1000 }, () => new TickClock().writer);
    assert.equal(new Set(writers).size, 1000);
    for (const writer of writers) assert.match(writer, /^[0-9a-hjkmnp-tv-z]{8}$/);
    assert.equal(new TickClock({ random: count => new Uint8Array(count).fill(255) }).writer, 'zzzzzzzz');
  });
});
