// The rows of an index, for an audit: index-row.ts maps a value to the row that should exist. In the entity's partition a repair is one transaction with a condition check of the entity's row, so that it
// never wins against a writer. In other partitions it does what the worker of the index's flow does: it makes the index row match the entity's row, and checks that row again.

import { addressOfKey, isSameRow } from '../../model/address.js';
import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import { encodeEntity } from '../../model/encode-entity.js';
import { type Condition, keysCondition } from '../../model/filter/condition.js';
import { type ExpectedIndexRow, expectedIndexRow, tableOfIndex } from '../../model/index-row.js';
import { readAddress } from '../../model/row-head.js';
import type { Stored, StoredOf } from '../../model/stored.js';
import { newIdentity, planConditionCheck, planDelete } from '../../repo/write/plan-write.js';
import { writeTogether } from '../../repo/write/write-planned.js';
import { PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { wireText } from '../../values/wire-property.js';
import { indexRowWrite, NearWrite } from '../near/near.js';
import { settleRemoteRows } from '../remote/remote-rows.js';
import { ageOf, isReservation, RECORD_PREFIX, Reservations, stateIn } from '../remote/reserve.js';
import {
  type AuditedRows,
  conditionOf,
  type Derived,
  type Fault,
  type Member,
  type Read,
  readOrFault,
  type Wrong,
} from './audit.js';

/** An index, and where the rows of its entity stand. */
interface AuditedIndex<E extends AnyEntity> {
  readonly entity: E;
  readonly index: IndexPlan;
  readonly table: string;
  /** Of one partition of the entity alone. */
  readonly partitionKey: string | undefined;
  readonly findsOrphans: boolean;
}

/** What an audit compares of the rows of an index. Throws DefinitionInvalid. */
export class IndexRows<E extends AnyEntity> implements Derived<E> {
  readonly name: string;
  readonly isGuarded = true;
  readonly stock: Derived<E>['stock'];
  readonly #rows: AuditedRows;
  readonly #audited: AuditedIndex<E>;
  readonly #isRemote: boolean;

  constructor(audited: AuditedIndex<E>, rows: AuditedRows) {
    const { entity, index, table, partitionKey, findsOrphans } = audited;
    this.name = index.name;
    this.#rows = rows;
    this.#audited = audited;
    this.#isRemote = index.definition.kind === 'remote';
    const home = tableOfIndex(entity, index, table);
    const condition = conditionOf(index.entity, this.#isRemote ? undefined : partitionKey);
    // Remote rows of one partition are mixed with those of all others.
    const isWalked = findsOrphans && !(this.#isRemote && partitionKey !== undefined);
    this.stock = isWalked
      ? {
          pages: page => rows.all(index.entity, home, condition).pages(page),
          membersOf: (row: WireObject) => this.#membersOf(row, home),
        }
      : undefined;
  }

  async wrongOf(owner: StoredOf<E>): Promise<Wrong | undefined> {
    const { entity, index, table } = this.#audited;
    const expected = expectedIndexRow(entity, index, table, owner.value);
    if (expected === undefined) return undefined;
    const found = await this.#rows.now(index.entity, expected.address);
    const fault = this.#faultOf(expected, found, owner);
    if (fault === undefined) return undefined;
    const { address } = expected;
    // An unreadable row occupies the place of the expected one, and stays.
    if (found !== undefined && 'fault' in found) return { fault, address, reason: found.fault };
    const etag = fault === 'stale' ? found?.row.etag : undefined;
    return { fault, address, repair: () => this.#put(owner, expected, etag) };
  }

  /** A row of another owner, or an unreadable one, does not count as the expected one. */
  #faultOf(
    { row }: ExpectedIndexRow,
    found: Read<Stored<unknown>> | undefined,
    owner: RowAddress,
  ): Fault | undefined {
    if (found === undefined || 'fault' in found || !isSameRow(this.#ownerOf(found.row), owner))
      return 'missing';
    const { entity } = this.#audited.index;
    const isRight = wireText(encodeEntity(entity, found.row.value as never)) === wireText(row);
    return isRight && this.#reservation(found.row) !== 'left' ? undefined : 'stale';
  }

  #ownerOf({ value }: Stored<unknown>): RowAddress {
    const { entity, table } = this.#audited;
    return addressOfKey(entity, table, value as never);
  }

  /** Whether a write may yet be done that reserved the row, or has left it so. */
  #reservation({ unknown, timestamp }: Stored<unknown>): 'none' | 'underWay' | 'left' {
    if (!this.#isRemote || timestamp === undefined || !unknown.some(isReservation)) return 'none';
    const { surroundings, reservedFor } = this.#rows.service;
    return surroundings.now() - timestamp.toDate().getTime() < reservedFor ? 'underWay' : 'left';
  }

  async #membersOf(row: WireObject, home: string): Promise<readonly (Member<E> | Wrong)[]> {
    const { entity, index, table } = this.#audited;
    const address = readAddress(row, home);
    const unreadable = (reason: Wrong['reason']): readonly Wrong[] => [
      { fault: 'unreadable', address, key: undefined, reason },
    ];
    const read = this.#rows.decoded(index.entity, home, row);
    if ('fault' in read) return unreadable(read.fault);
    let stored: Stored<unknown> = read.row;
    const owner = await readOrFault(() => this.#ownerOf(stored));
    if ('fault' in owner) return unreadable(owner.fault);
    const orphan = async (): Promise<Wrong | 'changed' | undefined> => {
      const now = await this.#rows.now(index.entity, address);
      if (now === undefined || 'fault' in now) return undefined;
      const isAsRead = now.row.etag === stored.etag;
      stored = now.row;
      if (!isAsRead) return 'changed';
      if (this.#reservation(stored) === 'underWay') return undefined;
      const { etag, value } = stored;
      const ownerNow = this.#ownerOf(stored);
      const repair = () => this.#remove({ ...address, etag }, ownerNow);
      return { fault: 'orphan', address, key: value, repair };
    };
    const isOf = ({ value }: StoredOf<E>): boolean => {
      const expected = expectedIndexRow(entity, index, table, value);
      return expected !== undefined && isSameRow(expected.address, address);
    };
    return [{ address, owner: () => this.#ownerOf(stored), isOf, orphan }];
  }

  async #put(owner: StoredOf<E>, expected: ExpectedIndexRow, found: string | undefined): Promise<void> {
    if (this.#isRemote) return this.#settle(owner, expected.address);
    const { entity, index } = this.#audited;
    const check = planConditionCheck(owner, newIdentity(this.#rows.service));
    const write = indexRowWrite(index, expected.address.table, expected.row, found);
    const indexWrites = [new NearWrite(entity, index, owner, write)];
    await writeTogether(this.#rows.service, { ...check, indexWrites }, [], this.#rows.options);
  }

  async #remove(stored: RowAddress & { readonly etag: string }, owner: RowAddress): Promise<void> {
    if (this.#isRemote) return this.#settle(owner, stored);
    await this.#rows.service.writes.write(planDelete(stored, stored.etag), this.#rows.options);
  }

  /** Throws UniqueViolation, and Conflict for a key that a write under way has reserved. */
  async #settle(owner: RowAddress, place: RowAddress): Promise<void> {
    const { entity, index, table } = this.#audited;
    const { partitionKey, rowKey } = place;
    const service = this.#rows.service;
    if (!index.unique) {
      const keys = [[index.name, partitionKey, rowKey]] as const;
      await settleRemoteRows(service, { entity, indexes: [index], owner }, keys, this.#rows.options);
      return;
    }
    const unique = { entity, table, index };
    const keys = new Reservations(service);
    const settled = [
      await keys.settle(unique, place, this.#rows.options),
      await keys.keep(unique, owner, this.#rows.options),
    ];
    if (settled.includes('pending')) throw new PatternError('Conflict', { ...place, etag: '' });
  }
}

/** Where records of transactions stand: in one partition, or in all. */
const recordsCondition = (partitionKey: string | undefined): Condition =>
  keysCondition(
    partitionKey === undefined ? {} : { eq: partitionKey },
    // The next character behind the last of the prefix.
    { ge: RECORD_PREFIX, lt: RECORD_PREFIX.replace(/!$/, '"') },
  );

/**
 * Records of transactions that were aborted: each keeps a request from doing its work that arrives late, and is of no use when it is so old, by the service's clock, that no request can be under way any more. Those
 * of transactions that were done are the flow's to delete.
 */
export function transactionRecords<E extends AnyEntity>(
  { entity, table, partitionKey }: { entity: E; table: string; partitionKey: string | undefined },
  rows: AuditedRows,
): Derived<E> {
  const { options, service } = rows;
  const { requests, writes, surroundings, abortedFor } = service;
  const orphan = async (address: RowAddress): Promise<Wrong | undefined> => {
    const found = await requests.get(address, options);
    if (found === undefined || stateIn(found) !== 'aborted') return undefined;
    if (ageOf(found, surroundings.now) < abortedFor) return undefined;
    const repair = () => writes.write(planDelete(address, found.etag ?? '*'), options);
    return { fault: 'orphan', address, key: undefined, repair };
  };
  return {
    name: 'transaction records',
    isGuarded: true,
    wrongOf: async () => undefined,
    stock: {
      pages: page => rows.all(entity, table, recordsCondition(partitionKey)).pages(page),
      membersOf: async (row: WireObject) => {
        const address = readAddress(row, table);
        return [{ address, owner: () => undefined, isOf: () => false, orphan: () => orphan(address) }];
      },
    },
  };
}
