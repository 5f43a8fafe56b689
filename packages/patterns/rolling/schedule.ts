// Which table a time belongs to, and the state at a program's clock: table names, the retained tables, the accepted times. Shared by writes, reads and maintenance.
import type { Surroundings } from '../concurrency/surroundings.js';
import { Instant } from '../values/instant.js';
import { PatternError, refuseDefinition, refuseValue } from '../values/pattern-error.js';
import { isInstant } from '../values/typed-value.js';
import {
  firstPeriod,
  isPeriod,
  lastPeriod,
  periodEndTicks,
  periodOf,
  periodStart,
  type RollingPeriod,
} from './period.js';
import { type RetainedTables, Retention, type RollingKeep } from './retention.js';
import { TableNames } from './table-names.js';

/** A point in time. A Date has milliseconds. */
export type RollingTime = Instant | Date;

export const instantOf = (time: RollingTime): Instant => (isInstant(time) ? time : Instant.fromDate(time));

interface ScheduleOptions {
  readonly every: RollingPeriod;
  readonly keep: RollingKeep;
  readonly ahead: number;
  readonly prefix: string;
  readonly generation: number;
}

/** Before what is kept, or behind what is taken. */
export type OutsideReason = 'late' | 'early';

/** The error of a row of a time that is no longer kept. */
export const expired = (table: string, retainedFrom: Instant): PatternError => {
  const sentence = `Rows of ${table} are not kept: those from ${retainedFrom} on are.`;
  return new PatternError('Expired', { table, retainedFrom }, { sentence });
};

export class Schedule {
  readonly names: TableNames;
  readonly #every: RollingPeriod;
  readonly #retention: Retention;
  readonly #now: Surroundings['now'];

  /** Throws DefinitionInvalid. */
  constructor(
    { every, keep, ahead, prefix, generation }: ScheduleOptions,
    { now }: Pick<Surroundings, 'now'>,
  ) {
    if (!isPeriod(every))
      refuseDefinition(prefix, `tables are of an hour, a day or a month, not of a ${every}`);
    this.names = new TableNames(prefix, every, generation);
    this.#retention = new Retention(prefix, every, keep, ahead);
    this.#every = every;
    this.#now = now;
  }

  get now(): Instant {
    return Instant.fromDate(new Date(this.#now()));
  }

  retained(now = this.now): RetainedTables {
    return this.#retention.at(now);
  }

  periodOf(at: RollingTime): number {
    return periodOf(instantOf(at), this.#every);
  }

  startOf(period: number): Instant {
    return periodStart(period, this.#every);
  }

  endTicks(period: number): bigint {
    return periodEndTicks(period, this.#every);
  }

  /** The first period of all, and the last. */
  get ever(): { readonly first: number; readonly last: number } {
    return { first: firstPeriod(this.#every), last: lastPeriod(this.#every) };
  }

  /** Undefined for a time whose rows are accepted. */
  outside(period: number): OutsideReason | undefined {
    const { first, last } = this.retained();
    return period < first ? 'late' : period > last ? 'early' : undefined;
  }

  /** Whether rows of the table are given. Tables that are none of these are others' matter. */
  isRetained(table: string): boolean {
    const named = this.names.read(table);
    return named === undefined || named.period >= this.retained().first;
  }

  /** Throws ValueInvalid for a time of another table. */
  refuseOtherTable(table: string, property: string, at: Instant): void {
    const named = this.names.read(table);
    if (named !== undefined && named.period !== this.periodOf(at))
      refuseValue(
        property,
        `a time of ${table}`,
        `${at} is of another table: create the row there, and delete this one`,
      );
  }

  /** Throws Expired for a table whose time is over, and ValueInvalid for one of a time that is too far ahead. */
  admit(table: string): void {
    const named = this.names.read(table);
    const reason = named && this.outside(named.period);
    if (named === undefined || reason === undefined) return;
    if (reason === 'late') throw expired(table, this.startOf(this.retained().first));
    const end = this.names.nameOf(this.retained().last);
    refuseValue('time', `one of the tables up to ${end}`, `${table} is of a time that is too far ahead`);
  }
}
