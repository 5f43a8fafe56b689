// Queries over rows as property bags, without an entity: for tables of other programs, and for tools that have no definition. A row of any shape is a result.

import type { CallOptions } from '../../concurrency/abort.js';
import { type Bag, decodeBag } from '../../model/bag.js';
import { type Condition, keyCondition, TRUE } from '../../model/filter/condition.js';
import type { Plan } from '../../model/filter/plan.js';
import type { Clause } from '../../model/filter/where.js';
import type { KeyRange } from '../../model/keys/key-range.js';
import type { WireObject } from '../../values/read-wire.js';
import { AnyRows, type TypedFields } from './any-rows.js';
import type { Scanning } from './query.js';
import type { Results } from './results.js';
import type { QuerySettings } from './table-query.js';

/** Bags of one partition. */
export interface BagQuery extends Results<Bag> {
  /** Narrows it: `where(p => p.string('City').eq('Rome').and(p.int32('Age').gt(30)))`. */
  where(build: (fields: TypedFields) => Clause): BagQuery;
  /** Those of the rows whose row keys are in the range. */
  rows(range: KeyRange): BagQuery;
  explain(): Plan;
}

/** Bags of many partitions: results only for a reason. */
export interface BagScan extends Scanning {
  where(build: (fields: TypedFields) => Clause): BagScan;
  allowScan(reason: string): BagQuery;
  explain(): Plan;
}

/** What is read of a table without an entity. */
export interface BagReads {
  get(partitionKey: string, rowKey: string, options?: CallOptions): Promise<Bag | undefined>;
  partition(partitionKey: string): BagQuery;
  scan(): BagScan;
}

/** Reads of a table without an entity. */
export function bagReads(table: string, settings: QuerySettings): BagReads {
  const decode = (row: WireObject): Bag => decodeBag(row, { table });
  const query = (condition: Condition): AnyRows<Bag> =>
    new AnyRows({ settings, table, condition, shape: 'bags', decode });
  return {
    get: async (partitionKey, rowKey, { signal } = {}) => {
      const found = await settings.source.get({ table, partitionKey, rowKey }, { signal });
      return found && decodeBag(found.row, { table, etag: found.etag });
    },
    partition: eq => query(keyCondition('PartitionKey', { eq })),
    scan: () => query(TRUE) as unknown as BagScan,
  };
}
