// Queries of the rows of a table, of whichever entity: for rows of several entities and for audits, which decide what becomes of a row; and as property bags, for tables of other programs and for tools that have no
// definition.

import type { CallOptions } from '../../concurrency/abort.js';
import { type Bag, decodeBag } from '../../model/bag.js';
import { allOf, type Condition, keyCondition, TRUE } from '../../model/filter/condition.js';
import { checkReason, type Plan, type RowQuery, rowQuery } from '../../model/filter/plan.js';
import {
  built,
  type Clause,
  type Equality,
  type Order,
  plainField,
  type TextOrder,
} from '../../model/filter/where.js';
import type { KeyRange } from '../../model/keys/compiled-key.js';
import type { Instant } from '../../values/instant.js';
import { t } from '../../values/property.js';
import type { WireObject } from '../../values/read-wire.js';
import type { Scanning } from './query.js';
import type { Results } from './results.js';
import { type QuerySettings, TableQuery } from './table-query.js';

/** Properties by their types and their names in the table, to be compared: a comparison holds only for rows that have the property with this type. */
export interface TypedFields {
  string(name: string): TextOrder<string>;
  int32(name: string): Order<number>;
  int64(name: string): Order<bigint>;
  double(name: string): Order<number>;
  bool(name: string): Equality<boolean>;
  instant(name: string): Order<Instant>;
  guid(name: string): Order<string>;
  bytes(name: string): Equality<Uint8Array>;
}

const FIELDS: TypedFields = {
  string: name => plainField(name, t.string()),
  int32: name => plainField(name, t.int32()),
  int64: name => plainField(name, t.int64()),
  double: name => plainField(name, t.double()),
  bool: name => plainField(name, t.bool()),
  instant: name => plainField(name, t.instant()),
  guid: name => plainField(name, t.guid()),
  bytes: name => plainField(name, t.bytes()),
};

/** A query of rows, as a value. */
interface AnyRowsSpec<R> {
  readonly settings: QuerySettings;
  readonly table: string;
  readonly condition: Condition;
  /** What distinguishes these results from others of the same query. */
  readonly shape: string;
  /** Undefined for a row that is none of the results. */
  readonly decode: (row: WireObject) => R | undefined;
  readonly reason?: string | undefined;
}

export class AnyRows<R> extends TableQuery<R> {
  override readonly rowQuery: RowQuery;
  protected override readonly shape: string;
  readonly #spec: AnyRowsSpec<R>;

  constructor(spec: AnyRowsSpec<R>) {
    super(spec.settings, spec.reason);
    this.rowQuery = rowQuery(spec.table, spec.condition, undefined);
    this.shape = spec.shape;
    this.#spec = spec;
  }

  /** The same query of the rows that also meet this. */
  narrowed(further: Condition): AnyRows<R> {
    return new AnyRows({ ...this.#spec, condition: allOf([this.#spec.condition, further]) });
  }

  where(build: (fields: TypedFields) => Clause): AnyRows<R> {
    return this.narrowed(built(build, FIELDS));
  }

  /** Those of the rows whose row keys are in the range. */
  rows(range: KeyRange): AnyRows<R> {
    return this.narrowed(keyCondition('RowKey', range));
  }

  allowScan(reason: string): AnyRows<R> {
    return new AnyRows({ ...this.#spec, reason: checkReason(this.rowQuery, reason) });
  }

  protected override decode(row: WireObject): R | undefined {
    return this.#spec.decode(row);
  }
}

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
