// Compares what follows from an entity's rows with what stands there: for each row of the entity the derived rows that it should have, then for each derived row whether some row should have it. Others
// write meanwhile: what is wrong is looked at again before it is told. Repairs are conditional on what was read.
import type { Condition } from '../filter/condition.js';
import { type RowQuery, rowQuery } from '../filter/plan.js';
import { allInOrder } from '../flow/in-order.js';
import { isLost, refusalOf, unlessLost } from '../flow/optimistic.js';
import { addressOfKey, isSameRow } from '../model/address.js';
import { decodeEntity } from '../model/decode-entity.js';
import { encodeEntity } from '../model/encode-entity.js';
import type { AnyEntity, KeyOf } from '../model/entity.js';
import { refuseNewer } from '../model/refuse-newer.js';
import { readAddress } from '../model/row-head.js';
import type { Stored, StoredOf } from '../model/stored.js';
import { formatToken, parseToken } from '../read/resume-token.js';
import { POINT_CONCURRENCY, type QuerySettings, TableQuery } from '../read/table-query.js';
import type { ReadOptions } from '../transport/table-requests.js';
import { isObject } from '../values/is-object.js';
import { type AnyPatternError, PatternError, type RowAddress, refuseValue } from '../values/pattern-error.js';
import type { WireObject } from '../values/read-wire.js';
import { wireText } from '../values/wire-property.js';
import { querySettings, type Service } from '../write/service.js';
import type { DerivedRows, ExpectedRow, Fault, Finding } from './derived-rows.js';

/** What an audit does with what it finds, and where it goes on. */
export interface AuditOptions extends ReadOptions {
  /** Sets right what is wrong, unless others write it meanwhile. */
  readonly repair?: boolean | undefined;
  /** The `next` of the last progress that was seen. */
  readonly resume?: string | undefined;
  /** Rows of a page; 100 by default. */
  readonly size?: number | undefined;
  /** Rows that are looked at at once: 16 by default. */
  readonly concurrency?: number | undefined;
  /** Rows a second at most, of those that `checked` counts; as many as there are by default. */
  readonly rate?: number | undefined;
}

/** Where an audit is after a page. Counts are of all pages since the start, or since the token that was given. */
export interface AuditProgress<E extends AnyEntity = AnyEntity> {
  /** What was looked at: the entity's name, then the names of its indexes. */
  readonly phase: string;
  /** Rows that were read, of the entity and derived ones. */
  readonly checked: number;
  readonly repaired: number;
  /** Of this page. */
  readonly findings: readonly Finding<E>[];
  /** By which to go on; undefined at the end. */
  readonly next: string | undefined;
}

const PAGE_SIZE = 100;
/** Times that a row is looked at again because others write it. */
const LOOKS = 8;

/** Rows as they come, so that those which nobody can read are seen. */
class RawRows extends TableQuery<WireObject> {
  override readonly rowQuery: RowQuery;
  protected override readonly shape: string;

  constructor(settings: QuerySettings, table: string, { name }: AnyEntity, condition: Condition) {
    super(settings, 'an audit reads all rows');
    this.rowQuery = rowQuery(table, condition, undefined);
    this.shape = `audit ${name}`;
  }

  protected override decode(row: WireObject): WireObject {
    return row;
  }
}

/** What is walked, and by which names. */
export interface AuditPlan<E extends AnyEntity> {
  /** A backfill looks at the entity's rows alone: it makes what is missing, and finds no orphans. */
  readonly work: 'audit' | 'backfill';
  readonly entity: E;
  readonly table: string;
  /** Where the entity's rows stand. */
  readonly condition: Condition;
  readonly derived: readonly DerivedRows<E>[];
}

/** A row that has been read, or why it cannot be. */
type Read<T> = { readonly row: T } | { readonly fault: AnyPatternError };

/** A derived row that is not as it should be, and what stands in its place. */
interface Wrong {
  readonly expected: ExpectedRow;
  readonly found: Read<Stored<unknown>> | undefined;
  readonly fault: Exclude<Fault, 'orphan' | 'unreadable'>;
}

export class Audit<E extends AnyEntity> {
  readonly #service: Service;
  readonly #plan: AuditPlan<E>;
  readonly #options: AuditOptions;
  #checked = 0;
  #repaired = 0;

  /** Throws ValueInvalid for a rate that nothing could have. */
  constructor(service: Service, plan: AuditPlan<E>, options: AuditOptions) {
    const { rate } = options;
    if (rate !== undefined && !(rate > 0)) refuseValue('rate', 'rows a second, more than 0', `it is ${rate}`);
    this.#service = service;
    this.#plan = plan;
    this.#options = options;
  }

  /** Throws what a read or a write throws, but for what is wrong with single rows. */
  async *run(): AsyncGenerator<AuditProgress<E>, void, undefined> {
    const { entity, derived, work } = this.#plan;
    const walked = work === 'backfill' ? [] : derived.filter(({ findsOrphans }) => findsOrphans);
    const phases = [undefined, ...walked];
    const from = await this.#placeOf(this.#options.resume);
    const { now } = this.#service.surroundings;
    for (let at = from.phase; at < phases.length; at++) {
      const kind = phases[at];
      const phase = kind?.name ?? entity.name;
      const resume = at === from.phase ? from.page : undefined;
      const { size = PAGE_SIZE, signal } = this.#options;
      let isDone = false;
      let since = now();
      for await (const { items, next } of this.#rows(kind).pages({ size, resume, signal })) {
        const findings = await this.#checkedAll(kind, items);
        this.#checked += items.length;
        isDone = next === undefined;
        const token = isDone ? this.#afterPhase(at, phases.length) : this.#tokenOf(at, next);
        yield this.#progress(phase, findings, await token);
        if (!isDone) await this.#slowDown(items.length, since);
        since = now();
      }
      if (!isDone) yield this.#progress(phase, [], await this.#afterPhase(at, phases.length));
    }
  }

  /** Waits until so many rows may have been looked at since. */
  async #slowDown(rows: number, since: number): Promise<void> {
    const { rate, signal } = this.#options;
    if (rate === undefined) return;
    const { now, sleep } = this.#service.surroundings;
    const pause = (rows * 1_000) / rate - (now() - since);
    if (pause > 0) await sleep(pause, signal);
  }

  #progress(phase: string, findings: readonly Finding<E>[], next: string | undefined): AuditProgress<E> {
    this.#repaired += findings.filter(({ isRepaired }) => isRepaired).length;
    return { phase, checked: this.#checked, repaired: this.#repaired, findings, next };
  }

  #afterPhase(at: number, phases: number): Promise<string | undefined> {
    return at + 1 < phases ? this.#tokenOf(at + 1, undefined) : Promise.resolve(undefined);
  }

  #rows(kind: DerivedRows<E> | undefined): RawRows {
    const { entity, condition, table } = kind ?? this.#plan;
    return new RawRows(querySettings(this.#service, table), table, entity, condition);
  }

  /** What a token is of: the place in one audit is none in another. */
  get #query(): string {
    const { work, entity, table, condition, derived } = this.#plan;
    return JSON.stringify([work, table, entity.name, condition, derived.map(({ name }) => name)]);
  }

  #tokenOf(phase: number, page: string | undefined): Promise<string> {
    return formatToken(this.#query, { phase, page }, this.#service.queries.tokenSecret);
  }

  async #placeOf(token: string | undefined): Promise<{ phase: number; page: string | undefined }> {
    if (token === undefined) return { phase: 0, page: undefined };
    const at = await parseToken(token, this.#query, this.#service.queries.tokenSecret);
    const { phase, page } = isObject(at) ? at : {};
    return { phase: Number(phase ?? 0), page: typeof page === 'string' ? page : undefined };
  }

  async #checkedAll(
    kind: DerivedRows<E> | undefined,
    rows: readonly WireObject[],
  ): Promise<readonly Finding<E>[]> {
    const { concurrency = POINT_CONCURRENCY, signal } = this.#options;
    const found = await allInOrder(rows, { concurrency, signal }, row =>
      kind === undefined ? this.#checkOwner(row) : this.#checkDerived(kind, row),
    );
    return found.flat();
  }

  #decoded<T extends AnyEntity>(entity: T, table: string, row: WireObject, etag?: string): Read<StoredOf<T>> {
    try {
      const stored = decodeEntity(entity, row, { table, onDrift: this.#service.onDrift, etag });
      refuseNewer(entity, stored);
      return { row: stored };
    } catch (thrown) {
      if (PatternError.is(thrown)) return { fault: thrown };
      throw thrown;
    }
  }

  /** The row there now; undefined if there is none. */
  async #look<T extends AnyEntity>(entity: T, address: RowAddress): Promise<Read<StoredOf<T>> | undefined> {
    const found = await this.#service.requests.get(address, this.#options);
    return found && this.#decoded(entity, address.table, found.row, found.etag);
  }

  #unreadable(of: string, table: string, row: WireObject, reason: AnyPatternError): Finding<E> {
    const address = readAddress(row, table);
    return { ...address, fault: 'unreadable', of, key: undefined, isRepaired: false, reason };
  }

  async #checkOwner(row: WireObject): Promise<readonly Finding<E>[]> {
    const { entity, table, derived } = this.#plan;
    const read = this.#decoded(entity, table, row);
    if ('fault' in read) return [this.#unreadable(entity.name, table, row, read.fault)];
    const findings: Finding<E>[] = [];
    for (const kind of derived) findings.push(...(await this.#checkExpected(kind, read.row)));
    return findings;
  }

  /** Of one kind. Looks again as often as the row changes meanwhile, and after each repair, which changes it too. */
  async #checkExpected(kind: DerivedRows<E>, first: StoredOf<E>): Promise<readonly Finding<E>[]> {
    const findings: Finding<E>[] = [];
    let owner = first;
    for (let look = 0; look < LOOKS; look++) {
      const wrong = await this.#wrongOf(kind, owner);
      if (wrong.length === 0) break;
      // A repair has the condition that the row is as it was read, which the first look need not find out.
      const isFirstRepair = look === 0 && this.#options.repair === true;
      const now = isFirstRepair ? { row: owner } : await this.#look(this.#plan.entity, owner);
      if (now === undefined || 'fault' in now) break;
      const isAsRead = now.row.etag === owner.etag;
      owner = now.row;
      if (!isAsRead) continue;
      const settled: Finding<E>[] = [];
      let wasWritten = false;
      for (const each of wrong) {
        const finding = await this.#settle(kind, owner, each);
        if (finding !== undefined) settled.push(finding);
        wasWritten = finding === undefined || finding.isRepaired;
        if (wasWritten) break;
      }
      findings.push(...settled.filter(({ isRepaired }) => isRepaired || !wasWritten));
      if (!wasWritten) break;
    }
    return findings;
  }

  async #wrongOf(kind: DerivedRows<E>, owner: StoredOf<E>): Promise<readonly Wrong[]> {
    const wrong: Wrong[] = [];
    for (const expected of kind.expected(owner)) {
      const found = await this.#look(kind.entity, expected.address);
      const fault = this.#faultOf(kind, expected, found, owner);
      if (fault !== undefined) wrong.push({ expected, found, fault });
    }
    return wrong;
  }

  /** What is wrong with a derived row that should be there. One of another row, or that cannot be read, is not the one that should be there. */
  #faultOf(
    kind: DerivedRows<E>,
    { row }: ExpectedRow,
    found: Read<Stored<unknown>> | undefined,
    owner: RowAddress,
  ): Wrong['fault'] | undefined {
    if (found === undefined || 'fault' in found) return 'missing';
    const { entity, table } = this.#plan;
    if (!isSameRow(addressOfKey(entity, table, kind.ownerOf(found.row)), owner)) return 'missing';
    const isRight = wireText(encodeEntity(kind.entity, found.row.value as never)) === wireText(row);
    return isRight && this.#reservation(kind, found.row) !== 'left' ? undefined : 'stale';
  }

  /** Whether a write may yet be done that reserved the row, or has left it so. */
  #reservation(kind: DerivedRows<E>, found: Stored<unknown>): 'none' | 'underWay' | 'left' {
    const since = kind.reservedSince?.(found);
    if (since === undefined) return 'none';
    const { surroundings, reservedFor } = this.#service;
    return surroundings.now() - since.toDate().getTime() < reservedFor ? 'underWay' : 'left';
  }

  /** The finding, repaired if it is to be; undefined if others were faster, or where it is not known: then it is looked at again. */
  async #settle(
    kind: DerivedRows<E>,
    owner: StoredOf<E>,
    { expected, found, fault }: Wrong,
  ): Promise<Finding<E> | undefined> {
    const key = owner.value as KeyOf<E>;
    const base = { ...expected.address, fault, of: kind.name, key };
    const reason = found !== undefined && 'fault' in found ? found.fault : undefined;
    if (this.#options.repair !== true || reason !== undefined) return { ...base, isRepaired: false, reason };
    const etag = found !== undefined && 'row' in found && fault === 'stale' ? found.row.etag : undefined;
    try {
      await kind.put(owner, expected, etag, this.#options);
      return { ...base, isRepaired: true, reason: undefined };
    } catch (thrown) {
      if (isLost(thrown) || PatternError.is(thrown, 'OutcomeUnknown')) return undefined;
      const cause = refusalOf(thrown);
      if (!PatternError.is(cause, 'UniqueViolation')) throw thrown;
      return { ...base, isRepaired: false, reason: cause };
    }
  }

  async #checkDerived(kind: DerivedRows<E>, row: WireObject): Promise<readonly Finding<E>[]> {
    const { table } = kind;
    const read = this.#decoded(kind.entity, table, row);
    if ('fault' in read) return [this.#unreadable(kind.name, table, row, read.fault)];
    const { partitionKey, rowKey, etag } = read.row;
    const key = kind.ownerOf(read.row);
    const { entity } = this.#plan;
    const owner = await this.#look(entity, addressOfKey(entity, this.#plan.table, key));
    if (this.#reservation(kind, read.row) === 'underWay') return [];
    // Of an owner that cannot be read nothing is known; it was told where owners were looked at.
    if (owner !== undefined && ('fault' in owner || this.#expects(kind, owner.row, read.row))) return [];
    const now = await this.#look(kind.entity, read.row);
    if (now === undefined || 'fault' in now || now.row.etag !== etag) return [];
    const finding = { table, partitionKey, rowKey, fault: 'orphan', of: kind.name, key } as const;
    if (this.#options.repair !== true) return [{ ...finding, isRepaired: false, reason: undefined }];
    const removed = await unlessLost(async (): Promise<Finding<E>> => {
      await kind.remove({ table, partitionKey, rowKey, etag }, key, this.#options);
      return { ...finding, isRepaired: true, reason: undefined };
    });
    return removed === undefined ? [] : [removed];
  }

  #expects(kind: DerivedRows<E>, owner: StoredOf<E>, row: RowAddress): boolean {
    return kind.expected(owner).some(({ address }) => isSameRow(address, row));
  }
}
