// Names of rolling tables: `Login20260105` has the rows of that day, `Login20260105x2` those of its second generation. A name is a function of the time and is never used for another one, so an expired table
// is never made again after its drop; and a name identifies its owner, so that no other table is dropped. Pure.
import type { Instant } from '../values/instant.js';
import { refuseDefinition } from '../values/pattern-error.js';
import { lastPeriod, periodOf, type RollingPeriod, readStamp, STAMP_DIGITS, stampOf } from './period.js';

/** Characters of a table's name, by the service. */
const NAME_MAX = 63;
const GENERATIONS_MAX = 99;
/** `x99` */
const GENERATION_CHARACTERS = 3;

/** It ends in a letter, so that digits behind it are the time and nothing else. */
const PREFIX = /^[A-Za-z](?:[A-Za-z0-9]*[A-Za-z])?$/;

/** What a name says. */
export interface NamedTable {
  readonly name: string;
  readonly period: number;
  readonly generation: number;
}

export const prefixMax = (every: RollingPeriod): number =>
  NAME_MAX - STAMP_DIGITS[every] - GENERATION_CHARACTERS;

export class TableNames {
  readonly prefix: string;
  readonly every: RollingPeriod;
  /** Of tables that are made. */
  readonly generation: number;
  readonly #pattern: RegExp;

  /** Throws DefinitionInvalid. */
  constructor(prefix: string, every: RollingPeriod, generation: number) {
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
    this.prefix = prefix;
    this.every = every;
    this.generation = generation;
    // Table names are case-insensitive.
    this.#pattern = new RegExp(`^${prefix}(\\d{${STAMP_DIGITS[every]}})(?:x([2-9]|[1-9]\\d))?$`, 'i');
  }

  nameOf(period: number, generation = this.generation): string {
    const name = `${this.prefix}${stampOf(period, this.every)}`;
    return generation === 1 ? name : `${name}x${generation}`;
  }

  nameAt(at: Instant): string {
    return this.nameOf(periodOf(at, this.every));
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
}
