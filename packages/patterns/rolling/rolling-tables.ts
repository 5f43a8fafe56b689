// Rolling tables: rows stand in a table of their hour, day or month, so that one request deletes all old rows. A write goes to the table of its row's time.
import type { CallOptions } from '../concurrency/abort.js';
import type { AnyEntity, KeyOf, NewOf, Of, PartitionOf } from '../model/definition.js';
import type { GivenPatch } from '../model/patch.js';
import type { RowRef, StoredOf } from '../model/stored.js';
import { Db } from '../repo/open.js';
import { checkWhole, type Results } from '../repo/read/results.js';
import type { QueryOptions } from '../repo/read/table-query.js';
import type { Batch } from '../repo/write/batch.js';
import { withRequests } from '../repo/write/connect.js';
import type { Change, MutateOptions } from '../repo/write/mutate.js';
import { type DeleteOptions, Repo } from '../repo/write/repo.js';
import type { Service } from '../repo/write/service.js';
import { AccountTables } from '../transport/account-tables.js';
import { type Instant, isInstant } from '../values/instant.js';
import { refuseDefinition, refuseValue } from '../values/pattern-error.js';
import type { Property, Values } from '../values/property.js';
import {
  instantOf,
  type OutsideReason,
  type RollingKeep,
  type RollingPeriod,
  type RollingTime,
  Schedule,
} from './schedule.js';
import { type SpanOrder, SpanResults, type SpanRow, type SpanTables } from './span.js';
import { type RollingPlan, TablesOnDemand } from './tables-on-demand.js';

/** Properties that can have the time of a row: required ones of the type `t.instant()`. */
export type TimeName<E extends AnyEntity> = {
  [K in keyof E['props']]: E['props'][K] extends Property<Instant, 'required', 'plain'> ? K : never;
}[keyof E['props']] &
  string;

/** A row outside all tables: older than the retention, or too far in the future. */
interface OutsideRow<E extends AnyEntity> {
  readonly reason: OutsideReason;
  readonly value: NewOf<E>;
  readonly at: Instant;
  /** When the first table that is kept begins. */
  readonly retainedFrom: Instant;
}

/** For rows outside all tables: `refuse` throws Expired or ValueInvalid, `drop` writes nothing. */
export type OutsidePolicy = 'refuse' | 'drop';

/** The result of a write; undefined for a dropped row. */
export type Taken<O extends OutsidePolicy, R> = 'drop' extends O ? R | undefined : R;

/** How rows are put into tables, and how long these stay. */
export interface RollingOptions<E extends AnyEntity, T extends TimeName<E>, O extends OutsidePolicy> {
  /** The property with the time by which a row belongs to a table. */
  readonly time: T;
  /** How long a table is written. Hours, days and months are those of UTC. */
  readonly every: RollingPeriod;
  /** How long a table stays behind the end of its period at least: so many periods more, `{ days: 60 }`, or `{ hours: 12 }`. */
  readonly keep: RollingKeep;
  /** Future periods whose rows are accepted, for fast clocks and planned times; 1 by default. */
  readonly ahead?: number | undefined;
  /** `refuse` by default. */
  readonly outside?: O | undefined;
  /** Called with each dropped row. */
  readonly onOutside?: ((row: OutsideRow<E>) => void) | undefined;
  /** The start of the tables' names; the entity's table by default. It ends in a letter. */
  readonly prefix?: string | undefined;
  /** The generation of tables to write, 1 by default. After tables were dropped early, a new generation has free names at once. */
  readonly generation?: number | undefined;
  /** Seconds that a write waits for the name of a table that is being deleted; 60 by default. Azure takes 40 or more. */
  readonly waitForDeletion?: number | undefined;
  /** Query options for these tables, in place of those of `open`. */
  readonly queries?: QueryOptions | undefined;
}

/** How a span of time is read. */
interface SpanOptions {
  /** `time` by default. */
  readonly order?: SpanOrder | undefined;
  readonly newestFirst?: boolean | undefined;
  /** The most rows of one period to sort in memory; 100,000 by default. */
  readonly sortMost?: number | undefined;
}

/** What maintenance is asked for. */
interface PrepareOptions extends CallOptions {
  /** How many tables behind the current one; 1 by default. */
  readonly count?: number | undefined;
}

/** Where a row is looked for: in the table of this time. */
interface AtTime {
  readonly at: RollingTime;
}

/** The time of a row, unless its key has it. */
type TimeOfKey<E extends AnyEntity, T extends string, O> = T extends keyof KeyOf<E>
  ? readonly [options?: O]
  : readonly [options: O & AtTime];

const AHEAD = 1;
const WAIT_SECONDS = 60;
const SORT_MOST = 100_000;
/** Up to so many tables are queried by name, without a list. */
const UNLISTED_MAX = 8;

function checkEntity(entity: AnyEntity, time: string): void {
  const { name, plan } = entity;
  const property = plan.byName.get(time)?.property;
  if (property?.edm !== 'DateTime' || property.presence !== 'required' || property.use !== 'plain')
    refuseDefinition(
      `${name}.${time}`,
      'the table of a row follows from a required property of the type t.instant()',
    );
  if (plan.derivations.some(each => !plan.indexes.some(({ kind }) => kind === each)))
    refuseDefinition(name, 'it has remote rows, which would stay when a table is dropped');
}

/** An entity in tables of an hour, a day or a month. */
export class RollingTables<E extends AnyEntity, T extends TimeName<E>, O extends OutsidePolicy = 'refuse'> {
  readonly entity: E;
  /** For batches and bulk writes in these tables. */
  readonly db: Db;
  readonly #time: T;
  readonly #outside: OutsidePolicy;
  readonly #onOutside: ((row: OutsideRow<E>) => void) | undefined;
  readonly #service: Service;
  readonly #schedule: Schedule;
  readonly #tables: TablesOnDemand;
  readonly #queries: QueryOptions | undefined;

  /** Throws DefinitionInvalid. */
  constructor(service: Service, entity: E, options: RollingOptions<E, T, O>) {
    const { time, every, keep, queries, outside = 'refuse', onOutside } = options;
    const { ahead = AHEAD, prefix = entity.table, generation = 1, waitForDeletion = WAIT_SECONDS } = options;
    checkEntity(entity, time);
    if (outside !== 'refuse' && outside !== 'drop')
      refuseDefinition(entity.name, `outside is refuse or drop, not ${outside}`);
    if (onOutside !== undefined && outside !== 'drop')
      refuseDefinition(entity.name, "onOutside is told of rows that are dropped: outside: 'drop'");
    if (!(waitForDeletion >= 0))
      refuseDefinition(entity.name, `waitForDeletion is a number of seconds from 0, not ${waitForDeletion}`);
    const schedule = new Schedule({ every, keep, ahead, prefix, generation }, service.surroundings);
    this.#tables = new TablesOnDemand({
      requests: service.requests,
      tables: new AccountTables(service.sender),
      schedule,
      entity,
      time,
      sleep: service.surroundings.sleep,
      waitForDeletion,
    });
    this.entity = entity;
    this.#time = time;
    this.#outside = outside;
    this.#onOutside = onOutside;
    this.#service = withRequests(service, this.#tables);
    this.db = new Db(this.#service);
    this.#schedule = schedule;
    this.#queries = queries;
  }

  /** The name of the table that has the time. */
  tableOf(at: RollingTime): string {
    return this.#schedule.nameOf(this.#schedule.periodOf(at));
  }

  /** The rows of the table that has the time. Rows of a time that is over are none, whether or not their table was dropped. */
  at(at: RollingTime): Repo<E> {
    return this.#repo(this.tableOf(at));
  }

  /** A new row in the table of its time. Throws AlreadyExists, and what `outside` says. */
  async create(value: NewOf<E>, options: CallOptions = {}): Promise<Taken<O, StoredOf<E>>> {
    return this.#taken(value, repo => repo.create(value, options));
  }

  /** Whatever row is there, in the table of its time, becomes the value. */
  async upsert(value: NewOf<E>, options: CallOptions = {}): Promise<Taken<O, StoredOf<E>>> {
    return this.#taken(value, repo => repo.upsert(value, options));
  }

  /** Whatever row is there, in the table of its time, gets the value's properties. */
  async upsertMerge(value: NewOf<E>, options: CallOptions = {}): Promise<Taken<O, RowRef<E>>> {
    return this.#taken(value, repo => repo.upsertMerge(value, options));
  }

  /** The row, of a time that is known; undefined if there is none or its time is over. */
  async get(key: KeyOf<E>, ...[options]: TimeOfKey<E, T, CallOptions>): Promise<StoredOf<E> | undefined> {
    const { signal } = (options ?? {}) as CallOptions;
    return this.find(key, this.#timeOf(key, options), { signal });
  }

  /** The same, whatever the key has. */
  async find(key: KeyOf<E>, at: RollingTime, options: CallOptions = {}): Promise<StoredOf<E> | undefined> {
    for (const table of this.#schedule.namesOf(this.#schedule.periodOf(at))) {
      const found = await this.#repo(table).get(key, options);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** Deletes the row from the tables of the time, in every generation. */
  async deleteAt(key: KeyOf<E>, at: RollingTime, options: CallOptions = {}): Promise<void> {
    for (const table of this.#schedule.namesOf(this.#schedule.periodOf(at)).toReversed())
      await this.#repo(table).deleteIfExists({ key, etag: '*' }, options);
  }

  /** Under the ETag of a row that was read, in its table: of the same time to the period. Throws Conflict, NotFound and Expired. */
  async replace(target: StoredOf<E>, value: NewOf<E>, options: CallOptions = {}): Promise<StoredOf<E>> {
    return this.#repo(target.table).replace(target, value, options);
  }

  /** The same of some properties. */
  async merge(target: StoredOf<E>, patch: GivenPatch<E>, options: CallOptions = {}): Promise<StoredOf<E>> {
    return this.#repo(target.table).merge(target, patch, options);
  }

  /** Throws Conflict and NotFound. */
  async delete(target: StoredOf<E>, options: DeleteOptions = {}): Promise<void> {
    return this.#repo(target.table).delete(target, options);
  }

  /** Under optimistic concurrency, in the table of the time. */
  async mutate(
    key: KeyOf<E>,
    change: Change<Of<E>, NewOf<E>>,
    ...[options]: TimeOfKey<E, T, MutateOptions>
  ): Promise<StoredOf<E> | undefined> {
    return this.at(this.#timeOf(key, options)).mutate(key, change, (options ?? {}) as MutateOptions);
  }

  /** Rows of one partition of the table that has the time, all or nothing. */
  batch(at: RollingTime, partition: PartitionOf<E>): Batch<[]> {
    return this.db.batch(this.entity, partition, { table: this.tableOf(at) });
  }

  /**
   * The results of a query of each existing kept table, for rows from one time up to another, which is excluded. In the order of time, by pages with which another process can continue:
   * `logins.span(from, to, repo => repo.partition({ user: 'ann' }))`.
   */
  span<R extends SpanRow = StoredOf<E>>(
    from: RollingTime,
    to: RollingTime,
    each: (repo: Repo<E>) => Results<R>,
    { order = 'time', newestFirst = false, sortMost = SORT_MOST }: SpanOptions = {},
  ): Results<R> {
    const [first, end] = [instantOf(from), instantOf(to)];
    if (end.ticks < first.ticks)
      refuseValue('to', 'a time that is not before from', `${end} is before ${first}`);
    if (order !== 'time' && order !== 'tables') refuseValue('order', 'time or tables', `it is ${order}`);
    checkWhole('sortMost', sortMost);
    const { prefix, every } = this.#schedule;
    const query = each(this.at(first)) as Results<R> & { explain?(): { filter?: string; class: string } };
    const plan = query.explain?.();
    const identity = JSON.stringify([
      'span',
      prefix,
      every,
      `${first}`,
      `${end}`,
      order,
      newestFirst,
      plan?.class ?? '',
      plan?.filter ?? '',
    ]);
    return new SpanResults<E, R>({
      entity: this.entity,
      time: this.#time,
      from: first,
      to: end,
      tables: options => this.#spanTables(first, end, each, newestFirst, options),
      order,
      newestFirst,
      sortMost,
      identity,
      secret: this.#queries?.tokenSecret ?? this.#service.queries.tokenSecret,
    });
  }

  /** Makes the current table and those that come next, so that the first writes of a period find theirs. Gives those that it made. */
  async prepare({ count = AHEAD, signal }: PrepareOptions = {}): Promise<readonly string[]> {
    checkWhole('count', count, 0);
    return this.#tables.prepare(count, { signal });
  }

  /** What stands, and what `prepare` and `expire` would do now, or at another time. Changes nothing. */
  async explain(now?: RollingTime, { count = AHEAD, signal }: PrepareOptions = {}): Promise<RollingPlan> {
    checkWhole('count', count, 0);
    return this.#tables.explain(count, now && instantOf(now), { signal });
  }

  /**
   * Drops the tables whose time is over, oldest first, and gives their names. By default it is the time of this program or of the service, whichever is earlier: a clock that is fast drops nothing too soon. Does what an
   * earlier call left; what other programs dropped is no failure.
   */
  expire(now?: RollingTime, { signal }: CallOptions = {}): Promise<readonly string[]> {
    return this.#tables.expire(now && instantOf(now), { signal });
  }

  /** For the library's other parts. */
  static scheduleOf<E extends AnyEntity, T extends TimeName<E>, O extends OutsidePolicy>(
    rows: RollingTables<E, T, O>,
  ): Schedule {
    return rows.#schedule;
  }

  #repo(table: string): Repo<E> {
    const { prefix } = this.#schedule;
    if (this.#schedule.read(table) === undefined)
      refuseValue('table', `one of ${prefix}'s`, `${table} is none`);
    return new Repo(this.#service, this.entity, { table, queries: this.#queries });
  }

  async #taken<R>(value: NewOf<E>, write: (repo: Repo<E>) => Promise<R>): Promise<Taken<O, R>> {
    const at = this.#timeIn(value as Values);
    const reason = this.#schedule.outside(this.#schedule.periodOf(at));
    if (reason === undefined || this.#outside === 'refuse') {
      const repo = this.at(at);
      this.#schedule.admit(repo.table);
      return (await write(repo)) as Taken<O, R>;
    }
    const retainedFrom = this.#schedule.startOf(this.#schedule.retained().first);
    this.#onOutside?.({ reason, value, at, retainedFrom });
    return undefined as Taken<O, R>;
  }

  #timeIn(value: Values): Instant {
    const at = value[this.#time];
    return isInstant(at) ? at : refuseValue(this.#time, 'a time', 'it decides in which table the row is');
  }

  #timeOf(key: KeyOf<E>, options: unknown): RollingTime {
    const { at } = (options ?? {}) as Partial<AtTime>;
    return at ?? this.#timeIn(key as Values);
  }

  /** A few periods are queried by name; for more, existing tables are listed. */
  async #spanTables<R extends SpanRow>(
    from: Instant,
    to: Instant,
    each: (repo: Repo<E>) => Results<R>,
    newestFirst: boolean,
    options: CallOptions,
  ): Promise<readonly SpanTables<R>[]> {
    if (from.equals(to)) return [];
    const first = Math.max(this.#schedule.periodOf(from), this.#schedule.retained().first);
    const last = this.#schedule.periodOf(to.plus(-1n));
    const periods = new Map<number, readonly string[]>();
    const count = Math.max(0, last - first + 1);
    if (count * this.#schedule.generation <= UNLISTED_MAX)
      for (let period = first; period <= last; period++) periods.set(period, this.#schedule.namesOf(period));
    else
      for (const { name, period } of (await this.#tables.list(first, last, options)).tables)
        periods.set(period, [...(periods.get(period) ?? []), name]);
    const all = [...periods].map(
      ([period, tables]): SpanTables<R> => ({
        period,
        isCut:
          this.#schedule.startOf(period).ticks < from.ticks || this.#schedule.endTicks(period) > to.ticks,
        queries: [...tables].sort().map(table => ({ table, query: () => each(this.#repo(table)) })),
      }),
    );
    return newestFirst ? all.reverse() : all;
  }
}
