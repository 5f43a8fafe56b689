// All reads of one entity: rows by their keys, and the beginnings of queries.

import type { CallOptions } from '../../concurrency/abort.js';
import { allInOrder } from '../../concurrency/in-order.js';
import { addresses } from '../../model/address.js';
import type { AnyEntity, IndexPlan, KeyOf, PartitionOf } from '../../model/definition.js';
import { keysCondition } from '../../model/filter/condition.js';
import type {
  IndexEntity,
  IndexReason,
  LocalIndexName,
  ReadyIndexName,
  RemoteIndexName,
} from '../../model/index-plan.js';
import { indexNamed } from '../../model/index-row.js';
import type { StoredOf } from '../../model/stored.js';
import type { Refused } from '../../values/pattern-error.js';
import { findRow } from '../find-row.js';
import { EntityPartition, type PartitionQuery } from './partition-query.js';
import { EntityQuery, type Query } from './query.js';
import { POINT_CONCURRENCY, type QuerySettings } from './table-query.js';
import type { VerifiedOptions, VerifiedReads } from './verified-reads.js';

/** How many rows are read at once. */
export interface ManyOptions extends CallOptions {
  /** Rows that are asked for at once: 16 by default. */
  readonly concurrency?: number | undefined;
}

/** What can be read of an entity: rows by their keys, partitions and scans. */
export interface Reads<E extends AnyEntity> {
  /** The row; undefined if there is none. */
  get(key: KeyOf<E>, options?: CallOptions): Promise<StoredOf<E> | undefined>;
  /** A row for each key, in their order, undefined where there is none. Asks for each by itself, and never by `or`. */
  getMany(keys: Iterable<KeyOf<E>>, options?: ManyOptions): Promise<readonly (StoredOf<E> | undefined)[]>;
  partition(key: PartitionOf<E>): PartitionQuery<E>;
  /** All of the entity's rows in the table. */
  scan(): Query<E, StoredOf<E>, 'table-scan'>;
  /** The rows of an index, which are read as an entity's: `repo.get(hit.value)` gives the entity of one. Throws DefinitionInvalid for one that is being built. */
  index<I extends ReadyIndexName<E> & LocalIndexName<E>>(name: I): Reads<IndexEntity<E, I>>;
  /** The same of an index in other partitions or another table, as its flow has left it: it may be behind by as much as the flow's oldest message is old. */
  index<I extends ReadyIndexName<E> & RemoteIndexName<E>>(
    name: I,
    reading: 'index-only',
  ): Reads<IndexEntity<E, I>>;
  /** The entity's rows by such an index, each read for itself: what the row no longer says is left out. */
  index<I extends ReadyIndexName<E> & RemoteIndexName<E>>(
    name: I,
    reading: 'verified',
    options?: VerifiedOptions<E, I>,
  ): VerifiedReads<E, I>;
  /** For the compiler only: it takes none, and prints why. */
  index<I extends string>(name: I & Refused<IndexReason<E, I>>, reading?: unknown, options?: unknown): never;
  /** All buckets of a partition that `codec.hash` spreads, for `fanOut` of shelfmark-patterns/fan-out: what is given is the rest of its key. */
  buckets(key: Partial<PartitionOf<E>>): readonly PartitionQuery<E>[];
}

/** How the rows of indexes of one kind are read. */
export interface ReadsIndex {
  /** Throws ValueInvalid where the kind has no such reading, and DefinitionInvalid for an index that is being built. */
  readIndex(
    owner: EntityReads<AnyEntity>,
    index: IndexPlan,
    settings: QuerySettings,
    reading: unknown,
    options: unknown,
  ): unknown;
}

/** What a repository reads. Writes are repo.ts's matter. */
export class EntityReads<E extends AnyEntity> implements Reads<E> {
  readonly entity: E;
  /** Where the rows stand. */
  readonly table: string;
  readonly #settings: QuerySettings;

  constructor(entity: E, settings: QuerySettings) {
    this.entity = entity;
    this.table = settings.table ?? entity.table;
    this.#settings = settings;
  }

  /** The row; undefined if there is none. Throws TypeDrift, WrongEntity and ServiceRefused. */
  async get(key: KeyOf<E>, options?: CallOptions): Promise<StoredOf<E> | undefined> {
    const { table, entity } = this;
    const { source } = this.#settings;
    return findRow(source, entity, addresses(entity, table, key), this.#settings, options);
  }

  async getMany(
    keys: Iterable<KeyOf<E>>,
    { concurrency = this.#settings.concurrency ?? POINT_CONCURRENCY, signal }: ManyOptions = {},
  ): Promise<readonly (StoredOf<E> | undefined)[]> {
    const { partition, row } = this.entity.plan;
    const asked = [...keys].map(key => ({ key, text: `${partition.encode(key)}\n${row.encode(key)}` }));
    const distinct = new Map(asked.map(({ key, text }) => [text, key]));
    const found = await allInOrder(distinct, { concurrency, signal }, async ([text, key], each) => ({
      text,
      stored: await this.get(key, { signal: each }),
    }));
    const byText = new Map(found.map(({ text, stored }) => [text, stored]));
    return asked.map(({ text }) => byText.get(text));
  }

  partition(key: PartitionOf<E>): PartitionQuery<E> {
    return this.#partition(this.entity.plan.partition.encodeAll(key));
  }

  scan(): Query<E, StoredOf<E>, 'table-scan'> {
    const { partition, row } = this.entity.plan;
    const conditions = [keysCondition(partition.range({}), row.range({}))] as const;
    const spec = { entity: this.entity, settings: this.#settings, select: undefined, conditions };
    return new EntityQuery<E, StoredOf<E>>(spec) as unknown as Query<E, StoredOf<E>, 'table-scan'>;
  }

  index<I extends ReadyIndexName<E> & LocalIndexName<E>>(name: I): Reads<IndexEntity<E, I>>;
  index<I extends ReadyIndexName<E> & RemoteIndexName<E>>(
    name: I,
    reading: 'index-only',
  ): Reads<IndexEntity<E, I>>;
  index<I extends ReadyIndexName<E> & RemoteIndexName<E>>(
    name: I,
    reading: 'verified',
    options?: VerifiedOptions<E, I>,
  ): VerifiedReads<E, I>;
  index<I extends string>(name: I & Refused<IndexReason<E, I>>, reading?: unknown, options?: unknown): never;
  index(name: string, reading?: unknown, options?: unknown): unknown {
    const index = indexNamed(this.entity, name);
    const kind = index.kind as unknown as ReadsIndex;
    return kind.readIndex(this as unknown as EntityReads<AnyEntity>, index, this.#settings, reading, options);
  }

  buckets(key: Partial<PartitionOf<E>>): readonly PartitionQuery<E>[] {
    return this.entity.plan.partition.everyBucket(key).map(text => this.#partition([text]));
  }

  #partition(texts: readonly string[]): PartitionQuery<E> {
    const [first = '', ...others] = texts;
    const query = new EntityPartition(this.entity, this.#settings, [first, ...others]);
    return query as unknown as PartitionQuery<E>;
  }
}
