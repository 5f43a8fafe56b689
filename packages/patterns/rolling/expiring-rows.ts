// Rows with a time to live: each is in the table of the time at which it expires, so that a table holds rows which expire together, and is dropped after the last of them. A key does not contain that time, so rows
// are looked for in all tables up to the longest life, unless a program knows it.
//
// A row that is put again with a longer life leaves its earlier copy behind, which expires on its own: of several copies the one that expires last counts. So a shorter life has to delete the later copies, after
// its own write, so that at every moment there is a copy.
import type { CallOptions } from '../concurrency/abort.js';
import { allInOrder } from '../concurrency/in-order.js';
import type { AnyEntity, KeyOf, NewOf } from '../model/definition.js';
import type { StoredOf } from '../model/stored.js';
import { Db } from '../repo/open.js';
import { type Instant, isInstant, TICKS_OF } from '../values/instant.js';
import { refuseDefinition, refuseValue } from '../values/pattern-error.js';
import type { Values } from '../values/property.js';
import { type RollingOptions, RollingTables, type TimeName } from './rolling-tables.js';
import { expired, instantOf, type RollingTime, type Schedule } from './schedule.js';

/** The longest life of a row. */
export type Lifetime = { readonly hours: number } | { readonly days: number };

/** What deletes expired rows. `rolling`: they go with their tables. `server`: the service itself, which no service known to this library does; so it is refused. */
type ExpiryBy = 'rolling' | 'server';

/** How rows are put into tables by the time at which they expire. */
export interface ExpiringOptions<E extends AnyEntity, T extends TimeName<E>>
  extends Pick<
    RollingOptions<E, T, 'refuse'>,
    'every' | 'prefix' | 'generation' | 'waitForDeletion' | 'queries'
  > {
  /** The property with the time at which a row expires. No key has it: for one that has, use `rolling`. */
  readonly expires: T;
  /** Of all rows. A row is looked for in so many tables as it has periods, so that it is a few dozen at most. */
  readonly longest: Lifetime;
  /** `rolling` by default. */
  readonly by?: ExpiryBy | undefined;
}

/** How a row is found. */
interface ExpiringGetOptions extends CallOptions {
  /** The time at which it expires, where the program knows that: one table is asked then. */
  readonly expires?: RollingTime | undefined;
}

/** What is known of a row that is put. */
export interface PutOptions extends CallOptions {
  /** No row had this key before, such as a random one: no earlier copy is taken away. */
  readonly isNew?: boolean | undefined;
}

const DAY_HOURS = 24;
/** No month is shorter. */
const MONTH_HOURS = 28 * DAY_HOURS;
const PERIOD_HOURS = { hour: 1, day: DAY_HOURS, month: MONTH_HOURS } as const;
/** Tables in which a row is looked for, in addition to the current one. */
const TABLES_MAX = 100;
const CONCURRENCY = 16;
/** A row whose life is made shorter between the reads of one round is found by the next one. */
const ROUNDS = 2;

/** Throws DefinitionInvalid. */
function hoursOf(subject: string, longest: Lifetime): number {
  const [unit, count] = Object.entries(longest ?? {})[0] ?? [];
  if ((unit !== 'hours' && unit !== 'days') || !Number.isSafeInteger(count) || Number(count) < 1)
    refuseDefinition(subject, 'the longest life is a whole number, from 1, of { hours } or { days }');
  return Number(count) * (unit === 'days' ? DAY_HOURS : 1);
}

/** An entity whose rows have a time to live. */
export class ExpiringRows<E extends AnyEntity, T extends TimeName<E>> {
  /** The tables by the time at which rows expire: for spans of time, bulk writes and what else repositories do. */
  readonly rows: RollingTables<E, T>;
  readonly #expires: T;
  readonly #longest: bigint;
  readonly #schedule: Schedule;

  /** Throws DefinitionInvalid. */
  constructor(db: Db, entity: E, options: ExpiringOptions<E, T>) {
    const { expires, longest, every, by = 'rolling', ...others } = options;
    if (by !== 'rolling')
      refuseDefinition(
        entity.name,
        by === 'server'
          ? 'no service that is known deletes rows by itself when their time is over: their tables are dropped, by rolling'
          : `its rows expire by rolling or server, not ${by}`,
      );
    const hours = hoursOf(entity.name, longest);
    const ahead = Math.ceil(hours / (PERIOD_HOURS[every] ?? 1));
    if (ahead > TABLES_MAX)
      refuseDefinition(
        entity.name,
        `a row would be looked for in ${ahead + 1} tables, and may be in ${TABLES_MAX + 1}: let a table have more than an ${every}`,
      );
    if (entity.plan.byName.get(expires)?.inKey)
      refuseDefinition(`${entity.name}.${expires}`, 'its key tells when it expires: use rolling');
    this.rows = new RollingTables(Db.serviceOf(db), entity, {
      ...others,
      time: expires,
      every,
      keep: 0,
      ahead,
    });
    this.#expires = expires;
    this.#longest = BigInt(hours) * TICKS_OF.hour;
    this.#schedule = RollingTables.scheduleOf(this.rows);
  }

  /** The time so many seconds from now. */
  after(seconds: number): Instant {
    if (!(seconds > 0 && Number.isFinite(seconds)))
      refuseValue('seconds', 'a number above 0', `it is ${seconds}`);
    return this.#schedule.now.plus(BigInt(Math.round(seconds * 1_000)) * 10_000n);
  }

  /**
   * Afterwards there is this row until it expires, whatever row had its key before. Throws Expired for one whose time is over, and ValueInvalid for one that would live longer than rows may. A row with a shorter life than
   * before may come back with its longer one if the program ends before the call does.
   */
  async put(value: NewOf<E>, { isNew = false, signal }: PutOptions = {}): Promise<StoredOf<E>> {
    const at = this.#expiryOf(value as Values);
    this.#refuseOutside(at);
    const stored = await this.rows.upsert(value, { signal });
    if (!isNew) {
      const key = value as unknown as KeyOf<E>;
      const later = this.#periods().filter(period => period > this.#schedule.periodOf(at));
      await allInOrder(later, { concurrency: CONCURRENCY, signal }, (period, each) =>
        this.rows.deleteAt(key, this.#schedule.startOf(period), { signal: each }),
      );
    }
    return stored;
  }

  /** The row; undefined if there is none or its time is over. Asks each table in which it may stand, and if none has it once more. */
  async get(key: KeyOf<E>, { expires, signal }: ExpiringGetOptions = {}): Promise<StoredOf<E> | undefined> {
    if (expires !== undefined)
      return this.#living(await this.#in(this.#schedule.periodOf(expires), key, signal));
    for (let round = 0; round < ROUNDS; round++) {
      const found = this.#living((await this.#copies(key, signal)).at(-1));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Afterwards there is no such row. */
  async delete(key: KeyOf<E>, { signal }: CallOptions = {}): Promise<void> {
    // The last one is the row: until it goes, no earlier copy is taken for it.
    for (const copy of await this.#copies(key, signal))
      await this.rows.deleteAt(key, this.#expiryOf(copy.value as Values), { signal });
  }

  /** Makes the tables in which rows may be put. Gives those that it made. */
  prepare({ signal }: CallOptions = {}): Promise<readonly string[]> {
    return this.rows.prepare({ count: this.#periods().length - 1, signal });
  }

  /** Drops the tables whose rows have all expired, as `expire` of rolling tables does. */
  expire(now?: RollingTime, options: CallOptions = {}): Promise<readonly string[]> {
    return this.rows.expire(now && instantOf(now), options);
  }

  /** Of the periods in which a row may expire that lives now. */
  #periods(): readonly number[] {
    const { now } = this.#schedule;
    const [first, last] = [now, now.plus(this.#longest)].map(each => this.#schedule.periodOf(each));
    return Array.from({ length: Number(last) - Number(first) + 1 }, (_, at) => Number(first) + at);
  }

  /** Those that expire earlier come first. */
  async #copies(key: KeyOf<E>, signal: AbortSignal | undefined): Promise<readonly StoredOf<E>[]> {
    const found = await allInOrder(this.#periods(), { concurrency: CONCURRENCY, signal }, (period, each) =>
      this.#in(period, key, each),
    );
    return found
      .filter(row => row !== undefined)
      .sort((a, b) => (this.#expiryOf(a.value as Values) < this.#expiryOf(b.value as Values) ? -1 : 1));
  }

  #in(period: number, key: KeyOf<E>, signal: AbortSignal | undefined): Promise<StoredOf<E> | undefined> {
    return this.rows.find(key, this.#schedule.startOf(period), { signal });
  }

  #living(row: StoredOf<E> | undefined): StoredOf<E> | undefined {
    return row !== undefined && this.#expiryOf(row.value as Values) > this.#schedule.now ? row : undefined;
  }

  #expiryOf(value: Values): Instant {
    const at = value[this.#expires];
    return isInstant(at) ? at : refuseValue(this.#expires, 'a time', 'the row lives until then');
  }

  #refuseOutside(at: Instant): void {
    const { now } = this.#schedule;
    if (at.ticks <= now.ticks) throw expired(this.rows.tableOf(at), now);
    const last = now.plus(this.#longest);
    if (at.ticks > last.ticks)
      refuseValue(this.#expires, `a time up to ${last}`, `a row that lives until ${at} would not be found`);
  }
}
