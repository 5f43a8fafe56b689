// Compares rows derived from an entity's rows with the rows stored: for each row of the entity the derived rows that it should have, then for each derived row whether some row should have it. Others may
// write during the audit, so each finding is re-checked before it is reported. Repairs are conditional on the rows read.

import { allInOrder } from '../../concurrency/in-order.js';
import { addressOfKey, isSameRow } from '../../model/address.js';
import type { AnyEntity, KeyOf } from '../../model/definition.js';
import { encodeEntity } from '../../model/encode-entity.js';
import type { Condition } from '../../model/filter/condition.js';
import type { Stored, StoredOf } from '../../model/stored.js';
import { POINT_CONCURRENCY } from '../../repo/read/table-query.js';
import type { Service } from '../../repo/write/service.js';
import type { RowAddress } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { wireText } from '../../values/wire-property.js';
import { checkRecord, RECORDS } from './aborted-records.js';
import { AuditedRows, type Read, readOrFault, unreadable, unreadableRow } from './audited-rows.js';
import type { DerivedRows, ExpectedRow, Fault, Finding } from './derived-rows.js';
import { type CheckResult, recheck } from './recheck.js';
import { type AuditOptions, type Progress, phase, walk } from './walk.js';

/** The state of an audit after a page. Its phases are the entity's name, then the names of its indexes, and `transaction records` if one of them is unique over partitions. */
export interface AuditProgress<E extends AnyEntity = AnyEntity> extends Progress<Finding<E>> {}

/** What is walked, and by which names. */
export interface AuditPlan<E extends AnyEntity> {
  /** A backfill reads only the entity's rows: it writes missing rows, and finds no orphans. */
  readonly work: 'audit' | 'backfill';
  readonly entity: E;
  readonly table: string;
  /** Where the entity's rows stand. */
  readonly condition: Condition;
  readonly derived: readonly DerivedRows<E>[];
  /** Where records of transactions stand, if old ones are looked for. */
  readonly records: Condition | undefined;
  /** Of the flow by which some of it follows. */
  readonly queues: readonly string[];
}

/** A derived row that is wrong, and the row found in its place. */
interface Wrong {
  readonly expected: ExpectedRow;
  readonly found: Read<Stored<unknown>> | undefined;
  readonly fault: Exclude<Fault, 'orphan' | 'unreadable'>;
}

export class Audit<E extends AnyEntity> {
  readonly #service: Service;
  readonly #plan: AuditPlan<E>;
  readonly #options: AuditOptions;
  readonly #rows: AuditedRows;

  constructor(service: Service, plan: AuditPlan<E>, options: AuditOptions) {
    this.#service = service;
    this.#plan = plan;
    this.#options = options;
    this.#rows = new AuditedRows(service, options);
  }

  run(): AsyncGenerator<AuditProgress<E>, void, undefined> {
    const { work, entity, table, condition, derived, records, queues } = this.#plan;
    const walked = work === 'backfill' ? [] : derived.filter(({ findsOrphans }) => findsOrphans);
    const phases = [
      phase(entity.name, this.#rows.all(entity, table, condition), rows =>
        this.#checkedAll(rows, row => this.#checkOwner(row)),
      ),
      ...walked.map(kind =>
        phase(kind.name, this.#rows.all(kind.entity, kind.table, kind.condition), rows =>
          this.#checkedAll(rows, row => this.#checkDerived(kind, row)),
        ),
      ),
      ...(records === undefined
        ? []
        : [
            phase(RECORDS, this.#rows.all(entity, table, records), rows =>
              this.#checkedAll(rows, row => this.#checkRecord(row)),
            ),
          ]),
    ];
    const subject = JSON.stringify([work, table, entity.name, condition, derived.map(({ name }) => name)]);
    return walk(this.#service, { subject, phases, queues }, this.#options);
  }

  async #checkedAll(
    rows: readonly WireObject[],
    check: (row: WireObject) => Promise<readonly Finding<E>[]>,
  ): Promise<readonly Finding<E>[]> {
    const { concurrency = POINT_CONCURRENCY, signal } = this.#options;
    return (await allInOrder(rows, { concurrency, signal }, check)).flat();
  }

  async #checkOwner(row: WireObject): Promise<readonly Finding<E>[]> {
    const { entity, table, derived } = this.#plan;
    const of = entity.name;
    const read = this.#rows.decoded(entity, table, row);
    if ('fault' in read) return [{ ...unreadableRow(row, table, read.fault), of, key: undefined }];
    const findings: Finding<E>[] = [];
    for (const kind of derived) {
      const found = await readOrFault(() => this.#checkExpected(kind, read.row));
      const key = read.row.value as KeyOf<E>;
      if ('fault' in found) findings.push({ ...unreadable(read.row, found.fault), of, key });
      else if (found.row !== undefined) findings.push(found.row);
    }
    return findings;
  }

  /** Of one kind. Throws what encoding its row throws. */
  #checkExpected(kind: DerivedRows<E>, first: StoredOf<E>): Promise<Finding<E> | undefined> {
    const { repair } = this.#options;
    let owner = first;
    const check = async (times: number): Promise<CheckResult<Finding<E>>> => {
      const wrong = await this.#wrongOf(kind, owner);
      if (wrong === undefined) return 'right';
      // A repair requires that the row is unchanged, so the first check need not check that.
      if (times > 0 || repair !== true) {
        const now = await this.#rows.now(this.#plan.entity, owner);
        if (now === undefined || 'fault' in now) return 'right';
        const isAsRead = now.row.etag === owner.etag;
        owner = now.row;
        if (!isAsRead) return 'changed';
      }
      return this.#sightOf(kind, owner, wrong);
    };
    return recheck(check, repair);
  }

  async #wrongOf(kind: DerivedRows<E>, owner: StoredOf<E>): Promise<Wrong | undefined> {
    const expected = kind.expected(owner);
    if (expected === undefined) return undefined;
    const found = await this.#rows.now(kind.entity, expected.address);
    const fault = this.#faultOf(kind, expected, found, owner);
    return fault && { expected, found, fault };
  }

  /** The fault of a derived row that should exist. A row of another owner, or an unreadable one, does not count as it. */
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

  /** An unreadable row occupies the place of the expected one, and stays. */
  #sightOf(
    kind: DerivedRows<E>,
    owner: StoredOf<E>,
    { expected, found, fault }: Wrong,
  ): CheckResult<Finding<E>> {
    const reason = found !== undefined && 'fault' in found ? found.fault : undefined;
    const key = owner.value as KeyOf<E>;
    const finding = { ...expected.address, fault, of: kind.name, key, isRepaired: false, reason };
    if (reason !== undefined) return { finding };
    const etag = found !== undefined && 'row' in found && fault === 'stale' ? found.row.etag : undefined;
    return { finding, repair: () => kind.put(owner, expected, etag, this.#options) };
  }

  async #checkDerived(kind: DerivedRows<E>, row: WireObject): Promise<readonly Finding<E>[]> {
    const { table, name: of } = kind;
    const read = this.#rows.decoded(kind.entity, table, row);
    if ('fault' in read) return [{ ...unreadableRow(row, table, read.fault), of, key: undefined }];
    let derived = read.row;
    const check = async (times: number): Promise<CheckResult<Finding<E>>> => {
      if (times > 0) {
        const now = await this.#rows.now(kind.entity, derived);
        if (now === undefined || 'fault' in now) return 'right';
        derived = now.row;
      }
      return this.#orphanSight(kind, derived);
    };
    const found = await readOrFault(() => recheck(check, this.#options.repair));
    if ('fault' in found) return [{ ...unreadable(read.row, found.fault), of, key: undefined }];
    return found.row === undefined ? [] : [found.row];
  }

  async #checkRecord(row: WireObject): Promise<readonly Finding<E>[]> {
    const check = () => checkRecord<E>(this.#service, this.#plan.table, row, this.#options);
    const found = await recheck(check, this.#options.repair);
    return found === undefined ? [] : [found];
  }

  /** Whether some row should have the derived row. Throws what the owner's key throws. */
  async #orphanSight(kind: DerivedRows<E>, derived: Stored<unknown>): Promise<CheckResult<Finding<E>>> {
    const { entity, table } = this.#plan;
    const key = kind.ownerOf(derived);
    const owner = await this.#rows.now(entity, addressOfKey(entity, table, key));
    if (this.#reservation(kind, derived) === 'underWay') return 'right';
    if (owner !== undefined && (await this.#mayExpect(kind, owner, derived))) return 'right';
    const now = await this.#rows.now(kind.entity, derived);
    if (now === undefined || 'fault' in now) return 'right';
    if (now.row.etag !== derived.etag) return 'changed';
    const { partitionKey, rowKey, etag } = derived;
    const address = { table: kind.table, partitionKey, rowKey };
    const finding = {
      ...address,
      fault: 'orphan',
      of: kind.name,
      key,
      isRepaired: false,
      reason: undefined,
    } as const;
    return { finding, repair: () => kind.remove({ ...address, etag }, key, this.#options) };
  }

  /** Unknown for an owner that cannot be read; the phase over the owners reported it. */
  async #mayExpect(kind: DerivedRows<E>, owner: Read<StoredOf<E>>, derived: RowAddress): Promise<boolean> {
    if ('fault' in owner) return true;
    const expected = await readOrFault(() => kind.expected(owner.row));
    return 'fault' in expected || (expected.row !== undefined && isSameRow(expected.row.address, derived));
  }
}
