// A query of the rows of a table, of whichever entity: for property bags, rows of several entities, and audits. The caller decides what becomes of a row.

import { allOf, type Condition, keyCondition } from '../../model/filter/condition.js';
import { checkReason, type RowQuery, rowQuery } from '../../model/filter/plan.js';
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
