// Indexes in the partition of their entity's rows. Their rows are written in one transaction with the row, so that they are never behind; it has the condition, so their own writes need none. What these are
// follows from the values before and after it.
//
// Rows of a non-unique index contain the entity's row key in theirs, so they cannot collide with another row's: they are upserted. The row of a unique key is created, and
// refused if there is one.
import type { CallOptions } from '../../concurrency/abort.js';
import { addressOfKey, isSameRow } from '../../model/address.js';
import { decodeEntity } from '../../model/decode-entity.js';
import type { AnyEntity, IndexPlan, NearKind } from '../../model/definition.js';
import { compileIndexes } from '../../model/index-plan.js';
import { encodeIndexRow, indexKeyOf, refuseBuilding, tableOfIndex } from '../../model/index-row.js';
import { beginsWithLiteral } from '../../model/keys/key.js';
import { EntityReads, type ReadsIndex } from '../../repo/read/reads.js';
import type { QuerySettings } from '../../repo/read/table-query.js';
import type { RowDerivation } from '../../repo/write/derivation.js';
import type { IndexWrite } from '../../repo/write/planned-write.js';
import type { RowAnswer, RowSource } from '../../transport/row-source.js';
import { addressOf, type RowWrite } from '../../transport/row-write.js';
import { PatternError, type RowAddress, refuseDefinition, refuseValue } from '../../values/pattern-error.js';
import { type WireRow, wireText } from '../../values/wire-property.js';

type Reading = Pick<RowSource, 'get'>;

/** The value of an entity's row before a write, and the version of the entity that wrote it. */
interface Before {
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

/** A write of an index row. */
export class NearWrite implements IndexWrite {
  readonly write: RowWrite;
  readonly owner: RowAddress;
  readonly #entity: AnyEntity;
  readonly #index: IndexPlan;

  constructor(entity: AnyEntity, index: IndexPlan, owner: RowAddress, write: RowWrite) {
    this.#entity = entity;
    this.#index = index;
    this.owner = owner;
    this.write = write;
  }

  joined(later: IndexWrite): IndexWrite {
    const other = later as NearWrite;
    const [freed, taken] = this.write.kind === 'delete' ? [this, other] : [other, this];
    if (freed.write.kind !== 'delete' || taken.write.kind !== 'create') throw other.#violation();
    const { table, row } = taken.write;
    return taken.#as({ kind: 'replace', table, row, etag: whatever });
  }

  async mended(requests: Reading, refused: PatternError, options: CallOptions): Promise<IndexWrite> {
    const { write } = this;
    // A delete may find no row.
    if (write.kind === 'delete') throw refused;
    const { table, row } = write;
    const created = this.#as({ kind: 'create', table, row });
    if (PatternError.is(refused, 'NotFound')) return created;
    if (!PatternError.is(refused, 'AlreadyExists') && !PatternError.is(refused, 'Conflict')) throw refused;
    const found = await requests.get(addressOf(write), options);
    if (found === undefined) return created;
    if (await this.#isHeld(requests, found, options)) throw this.#violation();
    return this.#as({ kind: 'replace', table, row, etag: found.etag ?? whatever });
  }

  #as(write: RowWrite): NearWrite {
    return new NearWrite(this.#entity, this.#index, this.owner, write);
  }

  /** Whether the index row belongs to a living row that should have it. An unreadable row counts as one that does. */
  async #isHeld(requests: Reading, found: RowAnswer, options: CallOptions): Promise<boolean> {
    const { table, rowKey } = addressOf(this.write);
    const index = this.#index;
    try {
      const hit = decodeEntity(index.entity, found.row, { table, etag: found.etag });
      const holder = addressOfKey(this.#entity, table, hit.value as never);
      // The batch has the condition that the owner is as it was, and then it should not have had this row.
      if (isSameRow(holder, this.owner)) return false;
      const living = await requests.get(holder, options);
      if (living === undefined) return false;
      const { value } = decodeEntity(this.#entity, living.row, { table, etag: living.etag });
      return encodeIndexRow(index, value)?.rowKey === rowKey;
    } catch (thrown) {
      if (!PatternError.is(thrown)) throw thrown;
      throw this.#violation(thrown);
    }
  }

  /** The error of a key that another row has. */
  #violation(cause?: unknown): PatternError {
    const { write } = this;
    const index = this.#index;
    const key = 'row' in write && 'value' in write.row ? indexKeyOf(index, write.row.value) : {};
    const detail = { ...addressOf(write), entity: this.#entity.name, index: index.name, key };
    return new PatternError('UniqueViolation', detail, { cause });
  }
}

/** The writes that make the index rows of `before` those of `after`: undefined where there is no row. Throws KeyInvalid, ValueInvalid and TooLarge. */
const indexWrites = (
  entity: AnyEntity,
  owner: RowAddress,
  before: Before | undefined,
  after: unknown,
): readonly IndexWrite[] =>
  entity.plan.indexes.flatMap(index =>
    writesOf(entity, index, owner, before, after).map(write => new NearWrite(entity, index, owner, write)),
  );

/** Literals distinguish the rows of an index from all others in their partition. */
const checkLiterals: NearKind['checkLiterals'] = ({ name, row: ofOwner }, index, { row }) => {
  if (!beginsWithLiteral(ofOwner))
    refuseDefinition(
      `${name}.row`,
      'the row key of an entity with indexes begins with a literal, so that queries of its rows leave out those of indexes',
    );
  if (!beginsWithLiteral(row))
    refuseDefinition(
      `${name}.${index}.row`,
      'the key of an index begins with a literal, by which its rows are told apart',
    );
};

/** The rows of an index, read as those of an entity. Throws DefinitionInvalid for an index that is being built, and for one with a table of its own of rows in another table than its entity's. */
export function hitsOf(
  { entity, table }: Pick<EntityReads<AnyEntity>, 'entity' | 'table'>,
  index: IndexPlan,
  settings: QuerySettings,
): EntityReads<AnyEntity> {
  refuseBuilding(entity, index);
  return new EntityReads(index.entity, { ...settings, table: tableOfIndex(entity, index, table) });
}

/** The kind of an index whose rows stand in the partition of the entity's row, and are written in one transaction with it: `{ kind: near, row }`. */
export const near: NearKind = /* @__PURE__ */ Object.freeze({
  kind: 'same-partition',
  name: 'indexes',
  reads: [],
  writes: [],
  compile: compileIndexes,
  checkLiterals,
  follow: ({ entity, address, before, after }) => ({
    indexWrites: indexWrites(entity, address, before, after),
  }),
  readIndex: (owner, index, settings, reading) => {
    if (reading !== undefined) refuseValue('reading', 'not given', 'rows of the index are never behind');
    return hitsOf(owner, index, settings);
  },
} satisfies NearKind & RowDerivation & ReadsIndex);
