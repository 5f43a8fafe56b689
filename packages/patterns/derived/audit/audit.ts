// Compares what follows from an entity's rows with what is stored: for each row of the entity what should follow from it, then for everything stored whether some row should have it. Others may write
// during the audit, so each finding is re-checked before it is reported.

import { allInOrder } from '../../concurrency/in-order.js';
import type { AnyEntity, KeyOf } from '../../model/definition.js';
import type { Condition } from '../../model/filter/condition.js';
import type { StoredOf } from '../../model/stored.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import type { WireObject } from '../../values/read-wire.js';
import { type AuditedRows, type Read, readOrFault, unreadable, unreadableRow } from './audited-rows.js';
import type { Derived, Finding, Member, Seen, Wrong } from './derived.js';
import { type CheckResult, recheck } from './recheck.js';
import { type Phase, type Progress, walk } from './walk.js';

/** The state of an audit after a page. Its phases are the entity's name, then the names of what follows from its rows, and `transaction records` if one of its indexes is unique over partitions. */
export interface AuditProgress<E extends AnyEntity = AnyEntity, K = KeyOf<E>>
  extends Progress<Finding<E, K>> {}

/** What is walked, and by which names. */
interface AuditPlan<E extends AnyEntity> {
  /** A text of what distinguishes this audit from others. */
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
    const owners: Phase<Finding<E>, WireObject> = {
      name: entity.name,
      rows: this.#rows.all(entity, table, condition),
      check: rows => {
        const seen: Seen[] = derived.map(() => new Map());
        return this.#each(rows, row => this.#checkRow(row, seen));
      },
    };
    const stored = derived.flatMap((each): readonly Phase<Finding<E>>[] => {
      const { name, stock: rows } = each;
      const check = (items: readonly unknown[]) => this.#each(items, item => this.#checkStored(each, item));
      return rows === undefined ? [] : [{ name, rows, check }];
    });
    const phases = [owners as Phase<Finding<E>>, ...stored];
    const plan = { subject: JSON.stringify(subject), phases, queues };
    return walk(this.#rows.service, plan, this.#rows.options);
  }

  async #each<T, R>(items: readonly T[], work: (item: T) => Promise<readonly R[]>): Promise<readonly R[]> {
    const { concurrency = POINT_CONCURRENCY, signal } = this.#rows.options;
    return (await allInOrder(items, { concurrency, signal }, work)).flat();
  }

  async #checkRow(row: WireObject, seen: readonly Seen[]): Promise<readonly Finding<E>[]> {
    const { entity, table, derived } = this.#plan;
    const of = entity.name;
    const read = this.#rows.decoded(entity, table, row);
    if ('fault' in read) return [{ ...unreadableRow(row, table, read.fault), of, key: undefined }];
    const findings: Finding<E>[] = [];
    for (const [at, each] of derived.entries()) {
      const found = await readOrFault(() => this.#checkFollowing(each, read.row, seen[at]));
      const key = read.row.value as KeyOf<E>;
      if ('fault' in found) findings.push({ ...unreadable(read.row, found.fault), of, key });
      else if (found.row !== undefined) findings.push(found.row);
    }
    return findings;
  }

  /** Throws what encoding throws. */
  #checkFollowing(
    derived: Derived<E>,
    first: StoredOf<E>,
    seen: Seen | undefined,
  ): Promise<Finding<E> | undefined> {
    const { repair } = this.#rows.options;
    let owner = first;
    const check = async (times: number): Promise<CheckResult<Finding<E>>> => {
      const wrong = await derived.wrongOf(owner, times === 0 ? seen : undefined);
      if (wrong === undefined) return 'right';
      if (times > 0 || repair !== true || !derived.isGuarded) {
        const now = await this.#rows.now(this.#plan.entity, owner);
        if (now === undefined || 'fault' in now) return 'right';
        const isAsRead = now.row.etag === owner.etag;
        owner = now.row;
        if (!isAsRead) return 'changed';
      }
      return { finding: findingOf(derived, wrong, owner.value), repair: wrong.repair };
    };
    return recheck(check, repair);
  }

  async #checkStored({ name, stock }: Derived<E>, item: unknown): Promise<readonly Finding<E>[]> {
    const members = (await stock?.membersOf(item as never)) ?? [];
    return this.#each(members, async member => {
      if ('fault' in member) return [findingOf<E>({ name }, member)];
      const found = await readOrFault(() =>
        recheck(() => this.#checkMember(name, member), this.#rows.options.repair),
      );
      if ('fault' in found) return [{ ...unreadable(member.address, found.fault), of: name, key: undefined }];
      return found.row === undefined ? [] : [found.row];
    });
  }

  /** Its row is the same before and after it was looked at, and should not have it. Throws what its row's key throws. */
  async #checkMember(name: string, member: Member<E>): Promise<CheckResult<Finding<E>>> {
    const before = await this.#ownerOf(member);
    if (before !== undefined && (await mayHave(before, member))) return 'right';
    const wrong = await member.orphan();
    if (wrong === undefined) return 'right';
    if (wrong === 'changed') return wrong;
    if (etagOf(await this.#ownerOf(member)) !== etagOf(before)) return 'changed';
    return { finding: findingOf({ name }, wrong), repair: wrong.repair };
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

const findingOf = <E extends AnyEntity>(
  { name }: Pick<Derived, 'name'>,
  { fault, address: { table, partitionKey, rowKey }, id, reason, ...wrong }: Wrong,
  ofOwner?: unknown,
): Finding<E> => ({
  table,
  partitionKey,
  rowKey,
  fault,
  of: name,
  key: ('key' in wrong ? wrong.key : ofOwner) as KeyOf<E> | undefined,
  ...(id !== undefined && { id }),
  isRepaired: false,
  reason,
});
