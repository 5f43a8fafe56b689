// Compares what follows from an entity's rows with what is stored: for each row of the entity what should follow from it, then for everything stored whether some row should have it. Others may write
// during the audit, so each suspect is looked at again for as long as others write it, repaired if asked to, and looked at once more. Rows of indexes, ids of lists and copies are `Derived`, each in a file.

import { allInOrder } from '../../concurrency/in-order.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity, KeyOf } from '../../model/definition.js';
import { type Condition, keysCondition } from '../../model/filter/condition.js';
import { refuseNewer } from '../../model/row-fault.js';
import { readAddress } from '../../model/row-head.js';
import type { StoredOf } from '../../model/stored.js';
import { isLost, refusalOf } from '../../repo/optimistic.js';
import { AnyRows } from '../../repo/read/any-rows.js';
import type { Page, PageOptions } from '../../repo/read/results.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import { querySettings, type Service } from '../../repo/write/service.js';
import {
  type AnyPatternError,
  PatternError,
  type PatternErrorCode,
  type RowAddress,
} from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { type AuditOptions, type Phase, type Progress, walk } from './walk.js';

/**
 * `missing`: it should follow from a row, and is not there. `stale`: it is not what it should be. `orphan`: it follows from no row. `dangling`: the source of the row is gone although its deletion is refused;
 * an audit does not repair that. `unreadable`: the audit can only report the address.
 */
export type Fault = 'missing' | 'stale' | 'orphan' | 'dangling' | 'unreadable';

/** A finding of an audit, with the address of the faulty row; for a list in a blob, its container and the blob's name. `K` is what names it: the key of the entity's row, or of the list. */
export interface Finding<E extends AnyEntity = AnyEntity, K = KeyOf<E>> extends RowAddress {
  readonly fault: Fault;
  /** The name of the index, the list or the copies; the entity's name for one of its own rows. */
  readonly of: string;
  /** Undefined if unknown. */
  readonly key: K | undefined;
  /** The id in a list. */
  readonly id?: string | undefined;
  readonly isRepaired: boolean;
  /** Why it was not repaired or could not be read: `UniqueViolation` if two living rows should have it. */
  readonly reason: AnyPatternError | undefined;
}

/** The state of an audit after a page. Its phases are the entity's name, then the names of what follows from its rows, and `transaction records` if one of its indexes is unique over partitions. */
export interface AuditProgress<E extends AnyEntity = AnyEntity, K = KeyOf<E>>
  extends Progress<Finding<E, K>> {}

/** A fault, and its repair. */
export interface Wrong extends Pick<Finding, 'fault' | 'id'> {
  readonly address: RowAddress;
  /** Given where it is not the key of the entity's row. */
  readonly key?: unknown;
  readonly reason?: AnyPatternError | undefined;
  /** Throws what a write throws. */
  readonly repair?: (() => Promise<unknown>) | undefined;
}

/** Something stored that follows from a row, or is an orphan. */
export interface Member<E extends AnyEntity> {
  readonly address: RowAddress;
  /** Where its row stands; undefined if it names none. */
  owner(): RowAddress | undefined;
  /** Whether that row should have it. Throws what encoding throws. */
  isOf(row: StoredOf<E>): boolean;
  /** The fault that it is an orphan; undefined if it is gone, or a write under way decides. */
  orphan(): Promise<Wrong | 'changed' | undefined>;
}

/** Shared by the first looks at the rows of one page. */
export type Seen = Map<string, unknown>;

/** Something derived from an entity's rows, as an audit sees it. */
export interface Derived<E extends AnyEntity = AnyEntity> {
  readonly name: string;
  /** A repair is refused if the entity's row was changed since it was read. */
  readonly isGuarded: boolean;
  /** What is wrong for a row of the entity. Throws what encoding throws. */
  wrongOf(row: StoredOf<E>, seen: Seen | undefined): Promise<Wrong | undefined>;
  /** What is stored, page by page, where the audit looks for orphans, and what is in each item. */
  readonly stock?:
    | {
        pages(options: PageOptions): AsyncGenerator<Page<unknown>, void, undefined>;
        membersOf(item: never): Promise<readonly (Member<E> | Wrong)[]>;
      }
    | undefined;
}

/** A result from a row, or why there is none. */
export type Read<T> = { readonly row: T } | { readonly fault: AnyPatternError };

/** Errors that concern one row: an audit reports them and continues. All others end it. */
const OF_ONE_ROW: ReadonlySet<PatternErrorCode> = new Set<PatternErrorCode>([
  'WrongEntity',
  'TypeDrift',
  'NewerVersion',
  'RowUnreadable',
  'KeyInvalid',
  'ValueInvalid',
  'TooLarge',
  'UniqueViolation',
  'Contention',
]);

/** Undefined for errors that should end an audit. */
function faultOfRow(thrown: unknown): AnyPatternError | undefined {
  const cause = refusalOf(thrown);
  return PatternError.is(cause) && OF_ONE_ROW.has(cause.code) ? cause : undefined;
}

/** Rethrows errors that should end an audit. */
export async function readOrFault<T>(read: () => T | Promise<T>): Promise<Read<T>> {
  try {
    return { row: await read() };
  } catch (thrown) {
    const fault = faultOfRow(thrown);
    if (fault === undefined) throw thrown;
    return { fault };
  }
}

/** All rows of an entity, in one partition or in all. */
export const conditionOf = ({ plan }: AnyEntity, partitionKey?: string): Condition =>
  keysCondition(
    partitionKey === undefined ? plan.partition.range({}) : { eq: partitionKey },
    plan.row.range({}),
  );

/** The rows that an audit reads: all of an entity as a stream, and single ones. A row that cannot be read is reported and does not end the audit. */
export class AuditedRows {
  readonly service: Service;
  readonly options: AuditOptions;

  constructor(service: Service, options: AuditOptions) {
    this.service = service;
    this.options = options;
  }

  /** Of an entity; of some of its partitions by a condition. Undecoded, so that unreadable rows are seen, too. */
  all(entity: AnyEntity, table: string, condition = conditionOf(entity)): AnyRows<WireObject> {
    return new AnyRows({
      settings: querySettings(this.service, table),
      table,
      condition,
      shape: `audit ${entity.name}`,
      decode: row => row,
      reason: 'an audit reads all rows',
    });
  }

  decoded<E extends AnyEntity>(entity: E, table: string, row: WireObject, etag?: string): Read<StoredOf<E>> {
    try {
      const stored = decodeEntity(entity, row, { table, onDrift: this.service.onDrift, etag });
      refuseNewer(entity, stored);
      return { row: stored };
    } catch (thrown) {
      if (PatternError.is(thrown)) return { fault: thrown };
      throw thrown;
    }
  }

  /** The current row; undefined if there is none. */
  async now<E extends AnyEntity>(entity: E, address: RowAddress): Promise<Read<StoredOf<E>> | undefined> {
    const found = await this.service.requests.get(address, this.options);
    return found && this.decoded(entity, address.table, found.row, found.etag);
  }
}

/** What a look at a suspect finds: no fault, a change by others during the look, or a fault. */
type Look = 'right' | 'changed' | Wrong;

/** Times that a row is looked at because others write it. */
const LOOKS_MAX = 8;

/** The fault, repaired if requested; undefined if there is none, or others fixed it. After a repair with an unknown outcome it is looked at, too: if the fault is gone, it counts as repaired. */
async function settled(
  look: (times: number) => Promise<Look>,
  isToRepair: boolean | undefined,
): Promise<(Wrong & Pick<Finding, 'isRepaired'>) | undefined> {
  let found: (Wrong & Pick<Finding, 'isRepaired'>) | undefined;
  for (let times = 0; times < LOOKS_MAX; times++) {
    const seen = await look(times);
    if (seen === 'changed') continue;
    if (seen === 'right') return found && { ...found, isRepaired: true, reason: undefined };
    if (isToRepair !== true || seen.repair === undefined) return { ...seen, isRepaired: false };
    try {
      await seen.repair();
      found = { ...seen, isRepaired: true };
    } catch (thrown) {
      if (isLost(thrown)) continue;
      const isUnknown = PatternError.is(thrown, 'OutcomeUnknown');
      const reason = isUnknown ? thrown : faultOfRow(thrown);
      if (reason === undefined) throw thrown;
      found = { ...seen, isRepaired: false, reason };
      if (!isUnknown) return found;
    }
  }
  return found;
}

const findingOf = <E extends AnyEntity>(
  of: string,
  { fault, address, key, id, reason, isRepaired = false }: Wrong & Partial<Pick<Finding, 'isRepaired'>>,
): Finding<E> => {
  const { table, partitionKey, rowKey } = address;
  const own = { fault, of, key: key as KeyOf<E> | undefined, ...(id !== undefined && { id }) };
  return { table, partitionKey, rowKey, ...own, isRepaired, reason };
};

/** What is walked, and by which names. */
interface AuditPlan<E extends AnyEntity> {
  /** What distinguishes this audit from others. */
  readonly subject: readonly unknown[];
  readonly entity: E;
  readonly table: string;
  /** Where the entity's rows stand; undefined for the whole table. */
  readonly condition?: Condition;
  readonly derived: readonly Derived<E>[];
  /** Of the flow by which some of it follows. */
  readonly queues: readonly string[];
}

/** An audit of what follows from rows, as the caller consumes its progress. */
export const auditOf = <E extends AnyEntity, K = KeyOf<E>>(
  plan: AuditPlan<E>,
  rows: AuditedRows,
): AsyncGenerator<AuditProgress<E, K>, void, undefined> =>
  new Audit(plan, rows).run() as AsyncGenerator<AuditProgress<E, K>, void, undefined>;

class Audit<E extends AnyEntity> {
  readonly #plan: AuditPlan<E>;
  readonly #rows: AuditedRows;

  constructor(plan: AuditPlan<E>, rows: AuditedRows) {
    this.#plan = plan;
    this.#rows = rows;
  }

  run(): AsyncGenerator<AuditProgress<E>, void, undefined> {
    const { subject, entity, table, condition, derived, queues } = this.#plan;
    const owners: Phase<Finding<E>> = {
      name: entity.name,
      rows: this.#rows.all(entity, table, condition),
      check: rows => {
        const seen: Seen[] = derived.map(() => new Map());
        return this.#each(rows, row => this.#checkRow(row as WireObject, seen));
      },
    };
    const stored = derived.flatMap((each): readonly Phase<Finding<E>>[] => {
      const { name, stock: rows } = each;
      const check = (items: readonly unknown[]) => this.#each(items, item => this.#checkStored(each, item));
      return rows === undefined ? [] : [{ name, rows, check }];
    });
    const plan = { subject: JSON.stringify(subject), phases: [owners, ...stored], queues };
    return walk(this.#rows.service, plan, this.#rows.options);
  }

  async #each<T, R>(items: readonly T[], work: (item: T) => Promise<readonly R[]>): Promise<readonly R[]> {
    const { concurrency = POINT_CONCURRENCY, signal } = this.#rows.options;
    return (await allInOrder(items, { concurrency, signal }, work)).flat();
  }

  async #checkRow(row: WireObject, seen: readonly Seen[]): Promise<readonly Finding<E>[]> {
    const { entity, table, derived } = this.#plan;
    const read = this.#rows.decoded(entity, table, row);
    if ('fault' in read) {
      const address = readAddress(row, table);
      return [findingOf(entity.name, { fault: 'unreadable', address, reason: read.fault })];
    }
    const findings: Finding<E>[] = [];
    for (const [at, each] of derived.entries()) {
      const look = this.#lookAtRow(each, read.row, seen[at]);
      findings.push(...(await this.#checked(each.name, look, entity.name, read.row, read.row.value)));
    }
    return findings;
  }

  /** The finding of `of`; or, if a look throws for one row, that the row of `ofRow` at this address is unreadable. */
  async #checked(
    of: string,
    look: (times: number) => Promise<Look>,
    ofRow: string,
    address: RowAddress,
    key?: unknown,
  ): Promise<readonly Finding<E>[]> {
    const found = await readOrFault(() => settled(look, this.#rows.options.repair));
    if ('fault' in found)
      return [findingOf(ofRow, { fault: 'unreadable', address, key, reason: found.fault })];
    return found.row === undefined ? [] : [findingOf(of, found.row)];
  }

  /** Looks throw what encoding throws. */
  #lookAtRow(
    derived: Derived<E>,
    first: StoredOf<E>,
    seen: Seen | undefined,
  ): (times: number) => Promise<Look> {
    let owner = first;
    return async times => {
      const wrong = await derived.wrongOf(owner, times === 0 ? seen : undefined);
      if (wrong === undefined) return 'right';
      if (times > 0 || this.#rows.options.repair !== true || !derived.isGuarded) {
        const now = await this.#rows.now(this.#plan.entity, owner);
        if (now === undefined || 'fault' in now) return 'right';
        const isAsRead = now.row.etag === owner.etag;
        owner = now.row;
        if (!isAsRead) return 'changed';
      }
      return { key: owner.value, ...wrong };
    };
  }

  async #checkStored({ name, stock }: Derived<E>, item: unknown): Promise<readonly Finding<E>[]> {
    const members = (await stock?.membersOf(item as never)) ?? [];
    return this.#each(members, async member =>
      'fault' in member
        ? [findingOf<E>(name, member)]
        : this.#checked(name, () => this.#lookAtMember(member), name, member.address),
    );
  }

  /** Its row is the same before and after it was looked at, and should not have it. Throws what its row's key throws. */
  async #lookAtMember(member: Member<E>): Promise<Look> {
    const before = await this.#ownerOf(member);
    if (before !== undefined && (await mayHave(before, member))) return 'right';
    const wrong = await member.orphan();
    if (wrong === undefined || wrong === 'changed') return wrong ?? 'right';
    return etagOf(await this.#ownerOf(member)) === etagOf(before) ? wrong : 'changed';
  }

  async #ownerOf(member: Member<E>): Promise<Read<StoredOf<E>> | undefined> {
    const owner = member.owner();
    return owner && this.#rows.now(this.#plan.entity, owner);
  }
}

const etagOf = (read: Read<StoredOf<AnyEntity>> | undefined): string | undefined =>
  read !== undefined && 'row' in read ? read.row.etag : undefined;

/** Unknown for a row that cannot be read; the phase over the rows reported it. */
async function mayHave<E extends AnyEntity>(owner: Read<StoredOf<E>>, member: Member<E>): Promise<boolean> {
  if ('fault' in owner) return true;
  const is = await readOrFault(() => member.isOf(owner.row));
  return 'fault' in is || is.row;
}
