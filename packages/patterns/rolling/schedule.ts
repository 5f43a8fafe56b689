// Which table a time belongs to, and which tables are kept at a program's clock. Shared by writes, reads and maintenance. Hours, days and months are those of UTC, numbered without gaps; each is named by digits in the
// order of the numbers, as long for all.
//
// `Login20260105` has the rows of that day, `Login20260105x2` those of its second generation. A name is a function of the time and is never used for another one, so an expired table is never made again after its
// drop; and a name identifies its owner, so that no other table is dropped.
import type { Surroundings } from '../concurrency/surroundings.js';
import { Instant, isInstant, TICKS_OF } from '../values/instant.js';
import { PatternError, refuseDefinition, refuseValue } from '../values/pattern-error.js';

/** How long a table is written: all begin in UTC. */
export type RollingPeriod = 'hour' | 'day' | 'month';

/** `2026010508`, `20260105`, `202601`. */
const STAMP_DIGITS = { hour: 10, day: 8, month: 6 } as const;
const MONTHS = 12;
/** Behind the last instant that there is. */
const END_TICKS = Instant.parse('9999-12-31T23:59:59.9999999Z').ticks + 1n;

const isPeriod = (every: unknown): every is RollingPeriod =>
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

/** A point in time. A Date has milliseconds. */
export type RollingTime = Instant | Date;

export const instantOf = (time: RollingTime): Instant => (isInstant(time) ? time : Instant.fromDate(time));

/** How long rows stay behind the end of their table's period: so many periods of the tables, hours, or days of 24 hours. */
export type RollingKeep = number | { readonly hours: number } | { readonly days: number };

interface ScheduleOptions {
  readonly every: RollingPeriod;
  readonly keep: RollingKeep;
  readonly ahead: number;
  readonly prefix: string;
  readonly generation: number;
}

/** What a name says. */
export interface NamedTable {
  readonly name: string;
  readonly period: number;
  readonly generation: number;
}

/** The tables of a time: those before `first` are over. */
interface RetainedTables {
  readonly first: number;
  readonly now: number;
  /** Rows of later ones are not taken. */
  readonly last: number;
}

/** Before what is kept, or behind what is taken. */
export type OutsideReason = 'late' | 'early';

/** Characters of a table's name, by the service. */
const NAME_MAX = 63;
const GENERATIONS_MAX = 99;
/** `x99` */
const GENERATION_CHARACTERS = 3;
/** It ends in a letter, so that digits behind it are the time and nothing else. */
const PREFIX = /^[A-Za-z](?:[A-Za-z0-9]*[A-Za-z])?$/;

export const prefixMax = (every: RollingPeriod): number =>
  NAME_MAX - STAMP_DIGITS[every] - GENERATION_CHARACTERS;

/** The error of a row of a time that is no longer kept. */
export const expired = (table: string, retainedFrom: Instant): PatternError => {
  const sentence = `Rows of ${table} are not kept: those from ${retainedFrom} on are.`;
  return new PatternError('Expired', { table, retainedFrom }, { sentence });
};

const isCount = (count: unknown): count is number => Number.isSafeInteger(count) && Number(count) >= 0;

function checkOptions({ every, ahead, prefix, generation }: ScheduleOptions): void {
  if (!isPeriod(every))
    refuseDefinition(prefix, `tables are of an hour, a day or a month, not of a ${every}`);
  const most = prefixMax(every);
  if (!PREFIX.test(prefix) || prefix.length > most)
    refuseDefinition(
      prefix,
      `names of tables by the ${every} begin with 1 to ${most} letters and digits, of which the first and the last are letters`,
    );
  if (!Number.isInteger(generation) || generation < 1 || generation > GENERATIONS_MAX)
    refuseDefinition(
      prefix,
      `its generation is a whole number from 1 to ${GENERATIONS_MAX}, not ${generation}`,
    );
  if (!isCount(ahead)) refuseDefinition(prefix, `ahead is a whole number of periods from 0, not ${ahead}`);
}

/** Periods of the tables, or ticks. */
function keptOf(prefix: string, keep: RollingKeep): { readonly periods: number; readonly ticks: bigint } {
  const [unit = '', count = undefined] =
    typeof keep === 'object' ? (Object.entries(keep)[0] ?? []) : ['periods', keep];
  if (!['periods', 'hours', 'days'].includes(unit) || !isCount(count))
    return refuseDefinition(prefix, 'it keeps a whole number, from 0, of periods, { hours } or { days }');
  if (unit === 'periods') return { periods: count, ticks: 0n };
  return { periods: 0, ticks: BigInt(count) * TICKS_OF[unit === 'days' ? 'day' : 'hour'] };
}

export class Schedule {
  readonly prefix: string;
  readonly every: RollingPeriod;
  /** Of tables that are made. */
  readonly generation: number;
  readonly #pattern: RegExp;
  readonly #kept: ReturnType<typeof keptOf>;
  readonly #ahead: number;
  readonly #now: Surroundings['now'];

  /** Throws DefinitionInvalid. */
  constructor(options: ScheduleOptions, { now }: Pick<Surroundings, 'now'>) {
    checkOptions(options);
    this.prefix = options.prefix;
    this.every = options.every;
    this.generation = options.generation;
    // Table names are case-insensitive.
    this.#pattern = new RegExp(
      `^${this.prefix}(\\d{${STAMP_DIGITS[this.every]}})(?:x([2-9]|[1-9]\\d))?$`,
      'i',
    );
    this.#kept = keptOf(this.prefix, options.keep);
    this.#ahead = options.ahead;
    this.#now = now;
  }

  get now(): Instant {
    return Instant.fromDate(new Date(this.#now()));
  }

  periodOf(at: RollingTime): number {
    return periodOf(instantOf(at), this.every);
  }

  startOf(period: number): Instant {
    return periodStart(period, this.every);
  }

  endTicks(period: number): bigint {
    return periodEndTicks(period, this.every);
  }

  nameOf(period: number, generation = this.generation): string {
    const name = `${this.prefix}${stampOf(period, this.every)}`;
    return generation === 1 ? name : `${name}x${generation}`;
  }

  /** Of every generation, the last one first. */
  namesOf(period: number): readonly string[] {
    return Array.from({ length: this.generation }, (_, back) => this.nameOf(period, this.generation - back));
  }

  /** Undefined for a table that is none of these. */
  read(name: string): NamedTable | undefined {
    const [, stamp, generation = '1'] = this.#pattern.exec(name) ?? [];
    const period = stamp === undefined ? undefined : readStamp(stamp, this.every);
    return period === undefined ? undefined : { name, period, generation: Number(generation) };
  }

  /** Where the names of these periods stand among all, of every generation: from one text up to another. The last period is included. */
  rangeOf(first: number, last: number): { readonly from: string; readonly to: string } {
    const from = this.nameOf(first, 1);
    // Digits, then the letter of a generation; a colon is behind all digits.
    const to = last < lastPeriod(this.every) ? this.nameOf(last + 1, 1) : `${this.prefix}:`;
    return { from, to };
  }

  /** A table is over when its period ended as long ago as rows are kept, or longer. */
  retained(now = this.now): RetainedTables {
    const from = now.ticks - this.#kept.ticks;
    const first = this.periodOf(Instant.fromTicks(from < 0n ? 0n : from)) - this.#kept.periods;
    const current = this.periodOf(now);
    return {
      first: Math.max(first, firstPeriod(this.every)),
      now: current,
      last: Math.min(current + this.#ahead, lastPeriod(this.every)),
    };
  }

  /** Undefined for a time whose rows are accepted. */
  outside(period: number): OutsideReason | undefined {
    const { first, last } = this.retained();
    return period < first ? 'late' : period > last ? 'early' : undefined;
  }

  /** Whether rows of the table are given. Tables that are none of these are others' matter. */
  isRetained(table: string): boolean {
    const named = this.read(table);
    return named === undefined || named.period >= this.retained().first;
  }

  /** Throws ValueInvalid for a time of another table. */
  refuseOtherTable(table: string, property: string, at: Instant): void {
    const named = this.read(table);
    if (named !== undefined && named.period !== this.periodOf(at))
      refuseValue(
        property,
        `a time of ${table}`,
        `${at} is of another table: create the row there, and delete this one`,
      );
  }

  /** Throws Expired for a table whose time is over, and ValueInvalid for one of a time that is too far ahead. */
  admit(table: string): void {
    const named = this.read(table);
    const reason = named && this.outside(named.period);
    if (named === undefined || reason === undefined) return;
    if (reason === 'late') throw expired(table, this.startOf(this.retained().first));
    const end = this.nameOf(this.retained().last);
    refuseValue('time', `one of the tables up to ${end}`, `${table} is of a time that is too far ahead`);
  }
}
