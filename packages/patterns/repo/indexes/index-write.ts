// The writes of index rows that belong to a write of their entity's row, from the values before and after it. Pure. They go in one entity group
// transaction with the entity's row, which carries the condition: an index row changes only with its entity's row, so its own write needs none.
//
// Rows of a non-unique index contain the entity's row key in theirs, so they cannot collide with another row's: they are upserted. The row of a unique key is created, and
// refused if there is one.
import type { AnyEntity, IndexPlan } from '../../model/definition.js';
import { encodeIndexRow } from '../../model/index-row.js';
import type { RowWrite } from '../../transport/row-write.js';
import type { RowAddress } from '../../values/pattern-error.js';
import { type WireRow, wireText } from '../../values/wire-property.js';

/** A write of an index row, and the entity's row it belongs to. */
export interface IndexWrite {
  readonly write: RowWrite;
  readonly entity: AnyEntity;
  readonly index: IndexPlan;
  /** The entity's row that is written with it. */
  readonly owner: RowAddress;
}

/** The value of an entity's row before a write, and the version of the entity that wrote it. */
export interface Before {
  readonly value: unknown;
  readonly version: number;
}

const whatever = '*';

/** The write of an index row over one with this ETag; over none, if there is none. */
export const indexRowWrite = (
  { unique }: IndexPlan,
  table: string,
  row: WireRow,
  found: string | undefined,
): RowWrite => {
  if (!unique) return { kind: 'upsert', table, row };
  return found === undefined ? { kind: 'create', table, row } : { kind: 'replace', table, row, etag: found };
};

function writesOf(
  { version }: AnyEntity,
  index: IndexPlan,
  { table, partitionKey }: RowAddress,
  before: Before | undefined,
  after: unknown,
): readonly RowWrite[] {
  const old = before === undefined ? undefined : encodeIndexRow(index, before.value);
  const row = after === undefined ? undefined : encodeIndexRow(index, after);
  const isSameKey = old !== undefined && row !== undefined && old.rowKey === row.rowKey;
  if (isSameKey && before?.version === version && wireText(old) === wireText(row)) return [];
  const writes: RowWrite[] = [];
  if (old !== undefined && !isSameKey)
    writes.push({ kind: 'delete', table, partitionKey, rowKey: old.rowKey, etag: whatever });
  if (row !== undefined) writes.push(indexRowWrite(index, table, row, isSameKey ? whatever : undefined));
  return writes;
}

/** The writes that make the index rows of `before` those of `after`: undefined where there is no row. Throws KeyInvalid, ValueInvalid and TooLarge. */
export const indexWrites = (
  entity: AnyEntity,
  owner: RowAddress,
  before: Before | undefined,
  after: unknown,
): readonly IndexWrite[] =>
  entity.plan.indexes.flatMap(index =>
    writesOf(entity, index, owner, before, after).map(write => ({ write, entity, index, owner })),
  );
