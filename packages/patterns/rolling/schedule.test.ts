// Periods and names of rolling tables: at the edges of the calendar, and against laws.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { compare, law } from '../testing/law.js';
import { Instant } from '../values/instant.js';
import { PatternError } from '../values/pattern-error.js';
import {
  firstPeriod,
  lastPeriod,
  periodEndTicks,
  periodOf,
  periodStart,
  prefixMax,
  type RollingKeep,
  type RollingPeriod,
  readStamp,
  Schedule,
  stampOf,
} from './schedule.js';

const PERIODS: readonly RollingPeriod[] = ['hour', 'day', 'month'];
const at = (text: string): Instant => Instant.parse(text);
const stampAt = (text: string, every: RollingPeriod): string => stampOf(periodOf(at(text), every), every);

const anyInstant = fc
  .bigInt(0n, at('9999-12-31T23:59:59.9999999Z').ticks)
  .map(ticks => Instant.fromTicks(ticks));
const every = fc.constantFrom(...PERIODS);

/** Tables of logins by the day, unless others are asked for. */
const scheduleOf = (options: object = {}): Schedule =>
  new Schedule(
    { every: 'day', keep: 1, ahead: 1, prefix: 'Login', generation: 1, ...options },
    { now: () => 0 },
  );
const refuses = (make: () => unknown): void =>
  assert.throws(make, (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid'));

describe('periods', () => {
  test('begin and end at the tick, at the edges of the calendar', () => {
    const edges: readonly [RollingPeriod, string, string, string][] = [
      ['hour', '2026-01-05T08:00:00Z', '2026010507', '2026010508'],
      ['day', '2026-01-05T00:00:00Z', '20260104', '20260105'],
      ['day', '2024-02-29T00:00:00Z', '20240228', '20240229'],
      ['day', '2024-03-01T00:00:00Z', '20240229', '20240301'],
      ['day', '2023-03-01T00:00:00Z', '20230228', '20230301'],
      ['day', '2100-03-01T00:00:00Z', '21000228', '21000301'],
      ['day', '2000-03-01T00:00:00Z', '20000229', '20000301'],
      ['month', '2024-03-01T00:00:00Z', '202402', '202403'],
      ['month', '2026-05-01T00:00:00Z', '202604', '202605'],
      ['month', '2027-01-01T00:00:00Z', '202612', '202701'],
      ['hour', '2027-01-01T00:00:00Z', '2026123123', '2027010100'],
      ['month', '0001-02-01T00:00:00Z', '000101', '000102'],
    ];
    for (const [of, edge, before, from] of edges) {
      const { ticks } = at(edge);
      const stamps = [ticks - 1n, ticks, ticks + 1n].map(each =>
        stampOf(periodOf(Instant.fromTicks(each), of), of),
      );
      assert.deepEqual(stamps, [before, from, from]);
    }
    assert.equal(stampAt('9999-12-31T23:59:59.9999999Z', 'hour'), '9999123123');
    assert.equal(periodEndTicks(lastPeriod('day'), 'day'), at('9999-12-31T23:59:59.9999999Z').ticks + 1n);
  });

  test('are not read from what is not a day of the calendar', () => {
    for (const stamp of [
      '20230229',
      '20260431',
      '20261301',
      '20260100',
      '2026010',
      '202601055',
      'x0260105',
      '',
    ])
      assert.equal(readStamp(stamp, 'day'), undefined, stamp);
    assert.equal(readStamp('2026010524', 'hour'), undefined);
    assert.equal(readStamp('202600', 'month'), undefined);
    assert.equal(readStamp('000001', 'month'), undefined);
  });

  test('have every instant in one of them, whose name tells it', () =>
    law(
      fc.property(anyInstant, every, (instant, of) => {
        const period = periodOf(instant, of);
        assert(period >= firstPeriod(of) && period <= lastPeriod(of));
        assert(periodStart(period, of).ticks <= instant.ticks && instant.ticks < periodEndTicks(period, of));
        assert.equal(readStamp(stampOf(period, of), of), period);
        assert.equal(periodOf(periodStart(period, of), of), period);
      }),
      { cost: 5 },
    ));

  test('are in the order of their names, and follow each other without gaps', () =>
    law(
      fc.property(anyInstant, anyInstant, every, (a, b, of) => {
        const [one, other] = [periodOf(a, of), periodOf(b, of)];
        assert.equal(compare(stampOf(one, of), stampOf(other, of)), compare(one, other));
        if (a.ticks <= b.ticks) assert(one <= other);
        if (one < lastPeriod(of)) assert.equal(periodStart(one + 1, of).ticks, periodEndTicks(one, of));
      }),
      { cost: 5 },
    ));
});

describe('names of rolling tables', () => {
  test('are legal, and their prefixes as long as may be', () => {
    for (const of of PERIODS) {
      const most = prefixMax(of);
      for (const length of [1, most - 1, most]) {
        const names = scheduleOf({ prefix: 'L'.repeat(length), every: of, generation: 99 });
        const name = names.nameOf(lastPeriod(of));
        assert.match(name, /^[A-Za-z][A-Za-z0-9]{2,62}$/);
        assert.equal(name.length, length + 63 - most);
      }
      for (const prefix of ['L'.repeat(most + 1), '']) refuses(() => scheduleOf({ prefix, every: of }));
    }
    for (const prefix of ['Login2', '2Login', 'Lo-gin', 'Lo_gin', 'Lögin', 'Log in'])
      refuses(() => scheduleOf({ prefix }));
    for (const generation of [0, 100, 1.5, Number.NaN]) refuses(() => scheduleOf({ generation }));
  });

  test('are told from those of others', () => {
    const names = scheduleOf();
    const own = ['Login20260105', 'login20260105', 'Login20260105x2', 'Login20260105x99', 'Login20260105x10'];
    for (const name of own) assert(names.read(name), name);
    const others = [
      'Login',
      'Login2026010',
      'Login202601051',
      'Login2026010508',
      'Login202601',
      'Logins20260105',
      'MyLogin20260105',
      'Login20260105x',
      'Login20260105x0',
      'Login20260105x1',
      'Login20260105x02',
      'Login20260105x100',
      'Login20260105y2',
      'Login20260230',
      'Login20261305',
      'Login20260105x2x2',
    ];
    for (const name of others) assert.equal(names.read(name), undefined, name);
  });

  test('give back what they were made of, within the bounds of their span', () =>
    law(
      fc.property(anyInstant, anyInstant, every, fc.integer({ min: 1, max: 99 }), (a, b, of, generation) => {
        const names = scheduleOf({ every: of, generation });
        const [one, other] = [names.periodOf(a), names.periodOf(b)];
        const name = names.nameOf(one);
        assert.deepEqual(names.read(name), { name, period: one, generation });
        const [first, last] = [Math.min(one, other), Math.max(one, other)];
        const { from, to } = names.rangeOf(first, last);
        assert(from <= name && name < to);
        if (last < lastPeriod(of)) assert(names.nameOf(last + 1) >= to);
        if (first > firstPeriod(of)) assert(names.nameOf(first - 1) < from);
      }),
      { cost: 5 },
    ));
});

describe('what is kept', () => {
  test('is what ended less long ago, at the tick', () => {
    const edges: readonly [string, RollingPeriod, RollingKeep, string][] = [
      ['2026-03-02T00:00:00Z', 'day', 60, '20260101'],
      ['2026-03-01T23:59:59.9999999Z', 'day', 60, '20251231'],
      ['2026-03-01T00:00:00Z', 'day', 0, '20260301'],
      ['2026-01-08T08:00:00Z', 'hour', { days: 7 }, '2026010108'],
      ['2026-01-08T07:59:59.9999999Z', 'hour', { days: 7 }, '2026010107'],
      ['2026-01-08T12:00:00Z', 'day', { hours: 12 }, '20260108'],
      ['2026-01-08T11:59:59.9999999Z', 'day', { hours: 12 }, '20260107'],
      ['2024-03-31T00:00:00Z', 'month', 1, '202402'],
      ['2026-04-01T00:00:00Z', 'month', { days: 31 }, '202603'],
      ['2026-04-02T00:00:00Z', 'month', { days: 32 }, '202603'],
      ['2026-04-02T00:00:00Z', 'month', { days: 31 }, '202603'],
      ['0001-01-02T00:00:00Z', 'day', 60, '00010101'],
    ];
    for (const [now, of, keep, first] of edges)
      assert.equal(stampOf(scheduleOf({ every: of, keep }).retained(at(now)).first, of), first);
  });

  test('never lacks a row that is younger than said, and has none a period older', () =>
    law(
      fc.property(
        anyInstant,
        fc.nat({ max: 10_000 }),
        fc.constantFrom<'hour' | 'day'>('hour', 'day'),
        fc.constantFrom('hours', 'days'),
        (now, count, of, unit) => {
          const keep = unit === 'days' ? { days: count } : { hours: count };
          const age = BigInt(count) * (unit === 'days' ? 864_000_000_000n : 36_000_000_000n);
          const { first } = scheduleOf({ every: of, keep }).retained(now);
          const start = periodStart(first, of).ticks;
          assert(start <= now.ticks - age || start === 0n);
          assert(periodEndTicks(first, of) > now.ticks - age);
        },
      ),
      { cost: 5 },
    ));

  test('is a whole number of periods, hours or days', () => {
    const bad: unknown[] = [
      -1,
      1.5,
      Number.NaN,
      { days: -1 },
      { hours: 0.5 },
      { months: 2 },
      {},
      '60',
      { days: '7' },
    ];
    for (const keep of bad) refuses(() => scheduleOf({ keep }));
    for (const ahead of [-1, 0.5]) refuses(() => scheduleOf({ ahead }));
  });
});
