// The maintenance of rolling tables: makes those that will be written soon, and drops expired ones. Any number of programs may run it, at any time and as often as they like: work that another one finished
// stays done, and the next one does what is left.
import type { CallOptions } from '../concurrency/abort.js';
import type { AccountTables } from '../transport/account-tables.js';
import { Instant } from '../values/instant.js';
import { firstPeriod, lastPeriod, type NamedTable, type Schedule } from './schedule.js';
import type { TablesOnDemand } from './tables-on-demand.js';

/** What stands, and what would be done. */
export interface RollingPlan {
  /** Tables that are there and stay, oldest first. */
  readonly retained: readonly string[];
  /** Tables that `expire` would drop, oldest first. */
  readonly dropped: readonly string[];
  /** Tables that `prepare` would make, of those that it was asked for. */
  readonly made: readonly string[];
}

const byAge = (a: NamedTable, b: NamedTable): number => a.period - b.period || a.generation - b.generation;

interface Listed {
  readonly tables: readonly NamedTable[];
  /** When they were listed, by the earlier of two clocks: the program's and the service's. */
  readonly now: Instant;
}

export class Maintenance {
  readonly #schedule: Schedule;
  readonly #tables: AccountTables;
  readonly #onDemand: TablesOnDemand;

  constructor(schedule: Schedule, tables: AccountTables, onDemand: TablesOnDemand) {
    this.#schedule = schedule;
    this.#tables = tables;
    this.#onDemand = onDemand;
  }

  /** Of these periods, all generations, oldest first. */
  async list(first: number, last: number, options: CallOptions = {}): Promise<Listed> {
    const found: NamedTable[] = [];
    let { now } = this.#schedule;
    for await (const page of this.#tables.list(this.#schedule.rangeOf(first, last), options)) {
      for (const name of page.names) {
        const named = this.#schedule.read(name);
        if (named !== undefined && named.period >= first && named.period <= last) found.push(named);
      }
      const date = page.date === undefined ? now : Instant.fromDate(page.date);
      if (date.ticks < now.ticks) now = date;
    }
    return { tables: found.sort(byAge), now };
  }

  /** The table of now, and so many behind it. */
  async prepare(count: number, options: CallOptions): Promise<readonly string[]> {
    const { now } = this.#schedule.retained();
    const made: string[] = [];
    for (let period = now; period <= now + count; period++) {
      const name = this.#schedule.nameOf(period);
      if ((await this.#onDemand.make(name, options)) === 'made') made.push(name);
    }
    return made;
  }

  async explain(count: number, now: Instant | undefined, options: CallOptions): Promise<RollingPlan> {
    const { every } = this.#schedule;
    const listed = await this.list(firstPeriod(every), lastPeriod(every), options);
    const { first, now: current } = this.#schedule.retained(now ?? listed.now);
    const nameOf = ({ name }: NamedTable): string => name;
    const there = new Set(listed.tables.map(({ name }) => name.toLowerCase()));
    const wanted = Array.from({ length: count + 1 }, (_, at) => this.#schedule.nameOf(current + at));
    return {
      retained: listed.tables.filter(({ period }) => period >= first).map(nameOf),
      dropped: listed.tables.filter(({ period }) => period < first).map(nameOf),
      made: wanted.filter(name => !there.has(name.toLowerCase())),
    };
  }

  /** Oldest first, so that what is left is always a span without gaps. */
  async expire(given: Instant | undefined, options: CallOptions): Promise<readonly string[]> {
    const ever = firstPeriod(this.#schedule.every);
    const listed = await this.list(ever, this.#schedule.retained(given).first - 1, options);
    const { first } = this.#schedule.retained(given ?? listed.now);
    const dropped: string[] = [];
    // One that is gone, or being deleted, was dropped by another program.
    for (const { name } of listed.tables.filter(({ period }) => period < first))
      if ((await this.#tables.delete(name, options)) === 'deleted') dropped.push(name);
    return dropped;
  }
}
