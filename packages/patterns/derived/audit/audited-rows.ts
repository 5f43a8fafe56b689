// The rows that an audit reads: all of an entity as a stream, and single ones. A row that cannot be read is reported and does not end the audit.

import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity } from '../../model/definition.js';
import { type Condition, keysCondition } from '../../model/filter/condition.js';
import { refuseNewer } from '../../model/row-fault.js';
import { readAddress } from '../../model/row-head.js';
import type { StoredOf } from '../../model/stored.js';
import { AnyRows } from '../../repo/read/any-rows.js';
import { querySettings, type Service } from '../../repo/write/service.js';
import { type AnyPatternError, PatternError, type RowAddress } from '../../values/pattern-error.js';
import type { WireObject } from '../../values/read-wire.js';
import { faultOfRow } from './recheck.js';
import type { AuditOptions } from './walk.js';

/** A result from a row, or why there is none. */
export type Read<T> = { readonly row: T } | { readonly fault: AnyPatternError };

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

/** The rows of tables, for one audit. */
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

/** The common fields of an unreadable row's finding, in every audit. */
export const unreadable = (address: RowAddress, reason: AnyPatternError) => {
  const { table, partitionKey, rowKey } = address;
  return { table, partitionKey, rowKey, fault: 'unreadable', isRepaired: false, reason } as const;
};

export const unreadableRow = (row: WireObject, table: string, reason: AnyPatternError) =>
  unreadable(readAddress(row, table), reason);
