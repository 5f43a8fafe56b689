// Which tables are kept at a time: those whose period may have rows no older than the limit, and those of the near future. Pure.
import { Instant, TICKS_OF } from '../values/instant.js';
import { refuseDefinition } from '../values/pattern-error.js';
import { firstPeriod, lastPeriod, periodOf, type RollingPeriod } from './period.js';

/** How long rows stay behind the end of their table's period: so many periods of the tables, hours, or days of 24 hours. */
export type RollingKeep = number | { readonly hours: number } | { readonly days: number };

const isCount = (count: number): boolean => Number.isSafeInteger(count) && count >= 0;

/** The tables of a time: those before `first` are over. */
export interface RetainedTables {
  readonly first: number;
  readonly now: number;
  /** Rows of later ones are not taken. */
  readonly last: number;
}

export class Retention {
  readonly every: RollingPeriod;
  readonly #periods: number;
  readonly #ticks: bigint;
  readonly #ahead: number;

  /** Throws DefinitionInvalid. */
  constructor(subject: string, every: RollingPeriod, keep: RollingKeep, ahead: number) {
    const [unit = 'periods', count = keep] =
      typeof keep === 'object' ? (Object.entries(keep)[0] ?? ['none']) : [];
    if (!['periods', 'hours', 'days'].includes(unit) || typeof count !== 'number' || !isCount(count))
      refuseDefinition(subject, 'it keeps a whole number, from 0, of periods, { hours } or { days }');
    if (!isCount(ahead)) refuseDefinition(subject, `ahead is a whole number of periods from 0, not ${ahead}`);
    this.every = every;
    this.#periods = unit === 'periods' ? (count as number) : 0;
    this.#ticks =
      unit === 'periods' ? 0n : BigInt(count as number) * TICKS_OF[unit === 'days' ? 'day' : 'hour'];
    this.#ahead = ahead;
  }

  /** A table is over when its period ended as long ago as rows are kept, or longer. */
  at(now: Instant): RetainedTables {
    const from = now.ticks - this.#ticks;
    const first = periodOf(Instant.fromTicks(from < 0n ? 0n : from), this.every) - this.#periods;
    const current = periodOf(now, this.every);
    return {
      first: Math.max(first, firstPeriod(this.every)),
      now: current,
      last: Math.min(current + this.#ahead, lastPeriod(this.every)),
    };
  }
}
