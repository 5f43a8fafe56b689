// All that can be read of one entity: rows by their keys, and where queries begin.
import { allOf } from './condition.js';
import { decodeEntity } from './decode-entity.js';
import type { AnyEntity, KeyOf, Of, PartitionOf } from './entity.js';
import { FanOut, type FanOutOptions } from './fan-out.js';
import { allInOrder } from './in-order.js';
import type { RowPlace } from './merge.js';
import { EntityPartition, type PartitionQuery } from './partition-query.js';
import { PatternError } from './pattern-error.js';
import { EntityQuery, POINT_CONCURRENCY, type Query, type QuerySettings } from './query.js';
import type { ReadingOptions, Run } from './run.js';
import type { Stored } from './stored.js';
import { keyCondition } from './where.js';

export interface ManyOptions extends ReadingOptions {
  /** Rows that are asked for at once: 16 unless something else is said. */
  readonly concurrency?: number | undefined;
}

/** A query of one partition, whatever it asks of it. */
type PartitionPart<E extends AnyEntity, R> =
  | Query<E, R, 'point'>
  | Query<E, R, 'range'>
  | Query<E, R, 'partition-scan'>;

export interface Reads<E extends AnyEntity> {
  /** The row; undefined if there is none. */
  get(key: KeyOf<E>, options?: ReadingOptions): Promise<Stored<Of<E>> | undefined>;
  /** A row for each key, in their order, undefined where there is none. Asks for each by itself, and never by `or`. */
  getMany(keys: Iterable<KeyOf<E>>, options?: ManyOptions): Promise<readonly (Stored<Of<E>> | undefined)[]>;
  partition(key: PartitionOf<E>): PartitionQuery<E>;
  /** All of the entity's rows in the table. */
  everywhere(): Query<E, Stored<Of<E>>, 'table-scan'>;
  /** The same of many partitions at once; what is asked of each is all of it, unless something else is said. */
  fanOut(keys: Iterable<PartitionOf<E>>, options?: FanOutOptions): Run<Stored<Of<E>>>;
  fanOut<R extends RowPlace>(
    keys: Iterable<PartitionOf<E>>,
    options: FanOutOptions & { readonly each: (partition: PartitionQuery<E>) => PartitionPart<E, R> },
  ): Run<R>;
  /** All buckets of a partition that `codec.hash` spreads: what is given is the rest of its key. */
  buckets(key: Partial<PartitionOf<E>>, options?: FanOutOptions): Run<Stored<Of<E>>>;
  buckets<R extends RowPlace>(
    key: Partial<PartitionOf<E>>,
    options: FanOutOptions & { readonly each: (partition: PartitionQuery<E>) => PartitionPart<E, R> },
  ): Run<R>;
}

type Each<E extends AnyEntity, R> = { readonly each?: (partition: PartitionQuery<E>) => PartitionPart<E, R> };

/** One class for reads of any entity; `Reads` is what its users see. */
export class EntityReads<E extends AnyEntity> {
  readonly entity: E;
  readonly #settings: QuerySettings;

  constructor(entity: E, settings: QuerySettings) {
    this.entity = entity;
    this.#settings = settings;
  }

  async get(key: KeyOf<E>, { signal }: ReadingOptions = {}): Promise<Stored<Of<E>> | undefined> {
    const { partition, row } = this.entity.plan;
    const { source, table = this.entity.table, onDrift, mark } = this.#settings;
    // Where a number of buckets was changed, rows may still stand where they were put before.
    for (const partitionKey of partition.encodeAll(key))
      for (const rowKey of row.encodeAll(key)) {
        const found = await source.get({ table, partitionKey, rowKey }, { signal });
        if (found !== undefined)
          return decodeEntity(this.entity, found.row, { table, onDrift, mark, etag: found.etag });
      }
    return undefined;
  }

  async getMany(
    keys: Iterable<KeyOf<E>>,
    { concurrency = this.#settings.concurrency ?? POINT_CONCURRENCY, signal }: ManyOptions = {},
  ): Promise<readonly (Stored<Of<E>> | undefined)[]> {
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

  partition(key: PartitionOf<E>): EntityPartition<E> {
    return this.#partition(this.entity.plan.partition.encode(key));
  }

  everywhere(): EntityQuery<E, Stored<Of<E>>> {
    const { partition, row } = this.entity.plan;
    const condition = allOf([
      keyCondition('PartitionKey', partition.range({})),
      keyCondition('RowKey', row.range({})),
    ]);
    return new EntityQuery({
      entity: this.entity,
      settings: this.#settings,
      select: undefined,
      condition,
    });
  }

  fanOut<R extends RowPlace>(
    keys: Iterable<PartitionOf<E>>,
    options: FanOutOptions & Each<E, R> = {},
  ): FanOut<E, R> {
    const texts = [...keys].map(key => this.entity.plan.partition.encode(key));
    return this.#fanOut(texts, options);
  }

  buckets<R extends RowPlace>(
    key: Partial<PartitionOf<E>>,
    options: FanOutOptions & Each<E, R> = {},
  ): FanOut<E, R> {
    return this.#fanOut(this.entity.plan.partition.everyBucket(key), options);
  }

  #partition(partitionKey: string): EntityPartition<E> {
    return new EntityPartition(this.entity, this.#settings, partitionKey);
  }

  #fanOut<R extends RowPlace>(texts: readonly string[], options: FanOutOptions & Each<E, R>): FanOut<E, R> {
    const { each } = options;
    const parts = texts.map(partitionKey => {
      const partition = this.#partition(partitionKey);
      const query: unknown = each === undefined ? partition : each(partition as unknown as PartitionQuery<E>);
      if (!(query instanceof EntityQuery))
        throw new PatternError('ValueInvalid', {
          property: 'each',
          expected: 'a query of the partition that it gets',
          reason: 'it gives something else',
        });
      return { partitionKey, query: query as EntityQuery<E, R> };
    });
    return new FanOut(parts, options, this.#settings.tokenSecret);
  }
}

/** The reads of an entity. */
export const readsOf = <E extends AnyEntity>(entity: E, settings: QuerySettings): Reads<E> =>
  new EntityReads(entity, settings) as unknown as Reads<E>;
