// Hours, days and months in UTC, numbered without gaps, and the digits by which each is named: in the order of the numbers, and as long for all. Pure.
import { Instant, TICKS_OF } from '../values/instant.js';

/** How long a table is written: all begin in UTC. */
export type RollingPeriod = 'hour' | 'day' | 'month';

/** `2026010508`, `20260105`, `202601`. */
export const STAMP_DIGITS = { hour: 10, day: 8, month: 6 } as const;
const MONTHS = 12;
/** Behind the last instant that there is. */
const END_TICKS = Instant.parse('9999-12-31T23:59:59.9999999Z').ticks + 1n;

export const isPeriod = (every: unknown): every is RollingPeriod =>
  typeof every === 'string' && Object.hasOwn(STAMP_DIGITS, every);

/** Of the period that has the instant. */
export function periodOf(at: Instant, every: RollingPeriod): number {
  if (every !== 'month') return Number(at.ticks / TICKS_OF[every]);
  const date = at.toDate();
  return date.getUTCFullYear() * MONTHS + date.getUTCMonth();
}

/** `2026-01-05T08:00:00Z` as ticks, for its digits. A month has no number of ticks. */
function monthStart(period: number): bigint {
  const date = new Date(0);
  date.setUTCFullYear(Math.floor(period / MONTHS), period % MONTHS, 1);
  return Instant.fromDate(date).ticks;
}

/** The first period and the last whose instants there are. */
export const firstPeriod = (every: RollingPeriod): number => (every === 'month' ? MONTHS : 0);
export const lastPeriod = (every: RollingPeriod): number =>
  periodOf(Instant.fromTicks(END_TICKS - 1n), every);

/** When it begins, for periods that there are. */
export const periodStart = (period: number, every: RollingPeriod): Instant =>
  Instant.fromTicks(every === 'month' ? monthStart(period) : BigInt(period) * TICKS_OF[every]);

/** Ticks from which on the next one is. */
export const periodEndTicks = (period: number, every: RollingPeriod): bigint =>
  period >= lastPeriod(every) ? END_TICKS : periodStart(period + 1, every).ticks;

export const stampOf = (period: number, every: RollingPeriod): string =>
  periodStart(period, every).toString().replace(/[-T]/g, '').slice(0, STAMP_DIGITS[every]);

/** The period of these digits; undefined where they are no hour, day or month of the calendar. */
export function readStamp(stamp: string, every: RollingPeriod): number | undefined {
  const [, year, month, day = '01', hour = '00'] = /^(\d{4})(\d\d)(\d\d)?(\d\d)?$/.exec(stamp) ?? [];
  if (year === undefined || stamp.length !== STAMP_DIGITS[every]) return undefined;
  try {
    return periodOf(Instant.parse(`${year}-${month}-${day}T${hour}:00:00Z`), every);
  } catch {
    return undefined;
  }
}
