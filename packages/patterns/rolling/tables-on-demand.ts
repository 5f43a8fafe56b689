// Requests for rows of tables that are made and dropped: the first write makes its table, a missing table has no rows, and an expired one is neither read nor written, whether or not it was dropped yet.
// Repositories, batches and bulk writes send through this as they do through the requests below.
//
// Maintenance makes the tables that will be written soon, and drops expired ones. Any number of programs may run it, at any time and as often as they like: work that another one finished stays done, and the next one
// does what is left.
import { type CallOptions, unlessAborted } from '../concurrency/abort.js';
import type { Surroundings } from '../concurrency/surroundings.js';
import type { AnyEntity, Field } from '../model/definition.js';
import type { AccountTables, CreatedTable } from '../transport/account-tables.js';
import type { GetOptions, PageAnswer, PageRequest, RowAnswer } from '../transport/row-source.js';
import type { RowWrite } from '../transport/row-write.js';
import type { ServiceRefusal } from '../transport/service-refusal.js';
import type { BatchOptions, RowRequests, WriteAnswer } from '../transport/table-requests.js';
import { Instant, isInstant } from '../values/instant.js';
import { PatternError, type RowAddress } from '../values/pattern-error.js';
import type { WireRow } from '../values/wire-property.js';
import { firstPeriod, lastPeriod, type NamedTable, type Schedule } from './schedule.js';

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

interface OnDemandParts {
  readonly requests: RowRequests;
  readonly tables: AccountTables;
  readonly schedule: Schedule;
  readonly entity: AnyEntity;
  /** The property with the time of a row. */
  readonly time: string;
  readonly sleep: Surroundings['sleep'];
  /** Seconds for which a name is waited for whose table is being deleted. */
  readonly waitForDeletion: number;
}

/** Between two attempts to use a name whose table is being deleted, or was dropped again at once. */
const PAUSE_MILLISECONDS = 1_000;
/** A table that is made and gone each time is being made and dropped by others. */
const MADE_MAX = 5;

const textIn = ({ properties }: WireRow, name: string): string | undefined => {
  const literal = properties.find(each => each.name === name)?.literal;
  const value: unknown = literal === undefined ? undefined : JSON.parse(literal);
  return typeof value === 'string' ? value : undefined;
};

/** Rows of indexes and of other entities have times of their own, or none. */
const isRowOf = ({ name, tag }: AnyEntity, row: WireRow): boolean => {
  const found = tag === undefined ? undefined : textIn(row, tag);
  return found === undefined || found.startsWith(`${name}.`);
};

function timeInKey({ plan }: AnyEntity, { name, rebuiltFrom }: Field, row: WireRow): Instant | undefined {
  try {
    const at = (
      rebuiltFrom === 'row' ? plan.row.decode(row.rowKey) : plan.partition.decode(row.partitionKey)
    )[name];
    return isInstant(at) ? at : undefined;
  } catch (thrown) {
    if (PatternError.is(thrown)) return undefined;
    throw thrown;
  }
}

/** Undefined for a write that does not contain the time. */
function timeOfRow(entity: AnyEntity, time: string, write: RowWrite): Instant | undefined {
  const field = entity.plan.byName.get(time);
  if (write.kind === 'delete' || field === undefined || !isRowOf(entity, write.row)) return undefined;
  if (field.rebuiltFrom !== undefined) return timeInKey(entity, field, write.row);
  const text = textIn(write.row, field.wire);
  return text === undefined ? undefined : Instant.parse(text);
}

const isNoTable = (code: string): boolean => code === 'TableNotFound' || code === 'TableBeingDeleted';

const isNoTableError = (thrown: unknown): boolean =>
  PatternError.is(thrown, 'TableNotFound') || PatternError.is(thrown, 'TableBeingDeleted');

const makesRow = ({ kind }: RowWrite): boolean =>
  kind === 'create' || kind === 'upsert' || kind === 'upsertMerge';

/** What the service answers where the table is there and the row is not. */
const NO_ROW = { status: 404, code: 'ResourceNotFound' } as const;

export class TablesOnDemand implements RowRequests {
  readonly #parts: OnDemandParts;
  /** Of this program, one request a table makes it. */
  readonly #making = new Map<string, Promise<CreatedTable>>();

  constructor(parts: OnDemandParts) {
    this.#parts = parts;
  }

  async get(address: RowAddress, options: GetOptions = {}): Promise<RowAnswer | undefined> {
    if (!this.#parts.schedule.isRetained(address.table)) return undefined;
    try {
      return await this.#parts.requests.get(address, options);
    } catch (thrown) {
      if (isNoTableError(thrown)) return undefined;
      throw thrown;
    }
  }

  async queryPage(request: PageRequest): Promise<PageAnswer> {
    const none: PageAnswer = { rows: [], next: undefined };
    if (!this.#parts.schedule.isRetained(request.table)) return none;
    try {
      return await this.#parts.requests.queryPage(request);
    } catch (thrown) {
      if (isNoTableError(thrown)) return none;
      throw thrown;
    }
  }

  async write(write: RowWrite, options: CallOptions = {}): Promise<WriteAnswer> {
    const { requests, schedule } = this.#parts;
    this.check(write);
    if (!makesRow(write)) {
      if (write.kind !== 'delete') schedule.admit(write.table);
      const answer = await requests.write(write, options);
      const isGone = answer.kind === 'refused' && isNoTable(answer.refusal.code);
      return isGone ? { ...answer, refusal: { ...answer.refusal, ...NO_ROW } } : answer;
    }
    // The row need not be there, so that it is the table which was not found.
    const isMissing = ({ code, status }: ServiceRefusal) => isNoTable(code) || status === 404;
    return this.#inTable(write.table, () => requests.write(write, options), isMissing, options);
  }

  /** Throws ValueInvalid for a row of another time than its table's: no read would find it there, and it would be dropped too soon or too late. */
  check(write: RowWrite): void {
    const { entity, time, schedule } = this.#parts;
    const at = timeOfRow(entity, time, write);
    if (at !== undefined) schedule.refuseOtherTable(write.table, time, at);
  }

  part(write: RowWrite): string {
    this.check(write);
    return this.#parts.requests.part(write);
  }

  async batch(parts: readonly string[], id: string, options: BatchOptions = {}): Promise<WriteAnswer> {
    const { table = '' } = options;
    const send = () => this.#parts.requests.batch(parts, id, options);
    return this.#inTable(table, send, ({ code }) => isNoTable(code), options);
  }

  /** Makes the table, once for concurrent callers. Throws TableBeingDeleted if the name is not free in time. */
  async make(table: string, { signal }: CallOptions = {}): Promise<CreatedTable> {
    signal?.throwIfAborted();
    const known = this.#making.get(table) ?? this.#make(table).finally(() => this.#making.delete(table));
    this.#making.set(table, known);
    // Others may wait for the same table, so making it continues.
    return unlessAborted(known, signal);
  }

  /** Of these periods, all generations, oldest first. */
  async list(first: number, last: number, options: CallOptions = {}): Promise<Listed> {
    const found: NamedTable[] = [];
    let { now } = this.#parts.schedule;
    for await (const page of this.#parts.tables.list(this.#parts.schedule.rangeOf(first, last), options)) {
      for (const name of page.names) {
        const named = this.#parts.schedule.read(name);
        if (named !== undefined && named.period >= first && named.period <= last) found.push(named);
      }
      const date = page.date === undefined ? now : Instant.fromDate(page.date);
      if (date.ticks < now.ticks) now = date;
    }
    return { tables: found.sort(byAge), now };
  }

  /** The table of now, and so many behind it. */
  async prepare(count: number, options: CallOptions): Promise<readonly string[]> {
    const { now } = this.#parts.schedule.retained();
    const made: string[] = [];
    for (let period = now; period <= now + count; period++) {
      const name = this.#parts.schedule.nameOf(period);
      if ((await this.make(name, options)) === 'made') made.push(name);
    }
    return made;
  }

  async explain(count: number, now: Instant | undefined, options: CallOptions): Promise<RollingPlan> {
    const { every } = this.#parts.schedule;
    const listed = await this.list(firstPeriod(every), lastPeriod(every), options);
    const { first, now: current } = this.#parts.schedule.retained(now ?? listed.now);
    const nameOf = ({ name }: NamedTable): string => name;
    const there = new Set(listed.tables.map(({ name }) => name.toLowerCase()));
    const wanted = Array.from({ length: count + 1 }, (_, at) => this.#parts.schedule.nameOf(current + at));
    return {
      retained: listed.tables.filter(({ period }) => period >= first).map(nameOf),
      dropped: listed.tables.filter(({ period }) => period < first).map(nameOf),
      made: wanted.filter(name => !there.has(name.toLowerCase())),
    };
  }

  /** Oldest first, so that what is left is always a span without gaps. */
  async expire(given: Instant | undefined, options: CallOptions): Promise<readonly string[]> {
    const ever = firstPeriod(this.#parts.schedule.every);
    const listed = await this.list(ever, this.#parts.schedule.retained(given).first - 1, options);
    const { first } = this.#parts.schedule.retained(given ?? listed.now);
    const dropped: string[] = [];
    // One that is gone, or being deleted, was dropped by another program.
    for (const { name } of listed.tables.filter(({ period }) => period < first))
      if ((await this.#parts.tables.delete(name, options)) === 'deleted') dropped.push(name);
    return dropped;
  }

  async #make(table: string): Promise<CreatedTable> {
    const { tables, sleep, waitForDeletion, schedule } = this.#parts;
    for (let waited = 0; ; waited += PAUSE_MILLISECONDS) {
      // It may have been waited for until its time was over.
      if (!schedule.isRetained(table)) schedule.admit(table);
      const created = await tables.create(table);
      if (created !== 'deleting') return created;
      if (waited >= waitForDeletion * 1_000) throw new PatternError('TableBeingDeleted', { table });
      await sleep(PAUSE_MILLISECONDS);
    }
  }

  async #inTable(
    table: string,
    send: () => Promise<WriteAnswer>,
    isMissing: (refusal: ServiceRefusal) => boolean,
    options: CallOptions,
  ): Promise<WriteAnswer> {
    this.#parts.schedule.admit(table);
    let isInDoubt = false;
    for (let made = 0; ; made++) {
      const answer = await send();
      isInDoubt ||= answer.isInDoubt;
      const refusal = answer.kind === 'done' || answer.kind === 'silence' ? undefined : answer.refusal;
      if (refusal === undefined || !isMissing(refusal) || made === MADE_MAX) return { ...answer, isInDoubt };
      if (made > 0) await this.#parts.sleep(PAUSE_MILLISECONDS, options.signal);
      await this.make(table, options);
    }
  }
}
