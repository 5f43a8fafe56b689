// Queries over rows as property bags, without an entity: for tables of other programs, and for tools that have no definition. A row of any shape is a result.

import type { CallOptions } from '../../concurrency/abort.js';
import { type Bag, decodeBag } from '../../model/bag.js';
import { checkReason } from '../../model/filter/admit.js';
import { allOf, type Condition, TRUE } from '../../model/filter/condition.js';
import { keyCondition } from '../../model/filter/key-condition.js';
import { type Plan, type RowQuery, rowQuery } from '../../model/filter/plan.js';
import {
  built,
  type Clause,
  type Equality,
  type Order,
  plainField,
  type TextOrder,
} from '../../model/filter/where.js';
import type { KeyRange } from '../../model/keys/key-range.js';
import type { Instant } from '../../values/instant.js';
import { t } from '../../values/property.js';
import type { WireObject } from '../../values/read-wire.js';
import type { Scanning } from './query.js';
import type { Results } from './results.js';
import { type QuerySettings, TableQuery } from './table-query.js';

/** Properties by their types and their names in the table, to be compared: a comparison holds only for rows that have the property with this type. */
interface BagFields {
  string(name: string): TextOrder<string>;
  int32(name: string): Order<number>;
  int64(name: string): Order<bigint>;
  double(name: string): Order<number>;
  bool(name: string): Equality<boolean>;
  instant(name: string): Order<Instant>;
  guid(name: string): Order<string>;
  bytes(name: string): Equality<Uint8Array>;
}

const FIELDS: BagFields = {
  string: name => plainField(name, t.string()),
  int32: name => plainField(name, t.int32()),
  int64: name => plainField(name, t.int64()),
  double: name => plainField(name, t.double()),
  bool: name => plainField(name, t.bool()),
  instant: name => plainField(name, t.instant()),
  guid: name => plainField(name, t.guid()),
  bytes: name => plainField(name, t.bytes()),
};

/** Bags of one partition. */
export interface BagQuery extends Results<Bag> {
  /** Narrows it: `where(p => p.string('City').eq('Rome').and(p.int32('Age').gt(30)))`. */
  where(build: (fields: BagFields) => Clause): BagQuery;
  /** Those of the rows whose row keys are in the range. */
  rows(range: KeyRange): BagQuery;
  explain(): Plan;
}

/** Bags of many partitions: results only for a reason. */
export interface BagScan extends Scanning {
  where(build: (fields: BagFields) => Clause): BagScan;
  allowScan(reason: string): BagQuery;
  explain(): Plan;
}

/** What is read of a table without an entity. */
export interface BagReads {
  get(partitionKey: string, rowKey: string, options?: CallOptions): Promise<Bag | undefined>;
  partition(partitionKey: string): BagQuery;
  scan(): BagScan;
}

class RowBags extends TableQuery<Bag> implements BagQuery {
  override readonly rowQuery: RowQuery;
  protected override readonly shape = 'bags';

  constructor(table: string, settings: QuerySettings, condition: Condition, reason?: string) {
    super(settings, reason);
    this.rowQuery = rowQuery(table, condition, undefined);
  }

  where(build: (fields: BagFields) => Clause): RowBags {
    return this.#narrowed(built(build, FIELDS));
  }

  rows(range: KeyRange): RowBags {
    return this.#narrowed(keyCondition('RowKey', range));
  }

  allowScan(reason: string): RowBags {
    return this.#with(this.rowQuery.condition, checkReason(this.rowQuery, reason));
  }

  protected override decode(row: WireObject): Bag {
    return decodeBag(row, { table: this.rowQuery.table });
  }

  #narrowed(further: Condition): RowBags {
    return this.#with(allOf([this.rowQuery.condition, further]), this.reason);
  }

  #with(condition: Condition, reason: string | undefined): RowBags {
    return new RowBags(this.rowQuery.table, this.settings, condition, reason);
  }
}

/** Reads of a table without an entity. */
export const bagReads = (table: string, settings: QuerySettings): BagReads => ({
  get: async (partitionKey, rowKey, { signal } = {}) => {
    const found = await settings.source.get({ table, partitionKey, rowKey }, { signal });
    return found && decodeBag(found.row, { table, etag: found.etag });
  },
  partition: eq => new RowBags(table, settings, keyCondition('PartitionKey', { eq })),
  scan: () => new RowBags(table, settings, TRUE) as unknown as BagScan,
});
