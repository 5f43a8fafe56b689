// The door to the library: a client of the Table service in, repositories and batches out. What they do is in the files of their names.
import { Batch } from './batch.js';
import type { AnyEntity, PartitionOf } from './entity.js';
import { Lookup, type LookupOptions } from './lookup.js';
import { type MixedReads, mixedReads } from './mixed.js';
import { Repo, type RepoOptions } from './repo.js';
import type { TablesConnection } from './sender.js';
import { connect, querySettings, type Service, type ServiceOptions } from './service.js';

/** The tables of an account. */
export class Db {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** The rows of an entity. */
  repo<E extends AnyEntity>(entity: E, options: RepoOptions = {}): Repo<E> {
    return new Repo(this.#service, entity, options);
  }

  /** Rows of several entities of a table, read together. */
  mixed<const E extends readonly AnyEntity[]>(...entities: E): MixedReads<E> {
    return mixedReads(entities, querySettings(this.#service, undefined));
  }

  /** Rows of a small table, remembered for a while. */
  lookup<E extends AnyEntity>(entity: E, options: LookupOptions & RepoOptions): Lookup<E> {
    return new Lookup(entity, this.repo(entity, options), options);
  }

  /** Operations on rows of one partition that are done all or not at all. Rows of other entities in that partition may be among them. */
  batch<E extends AnyEntity>(
    entity: E,
    partition: PartitionOf<E>,
    { table = entity.table }: RepoOptions = {},
  ): Batch {
    return new Batch(this.#service, { table, partitionKey: entity.plan.partition.encode(partition) });
  }
}

/**
 * Opens the tables of an account.
 *
 * ```ts
 * const db = open(TableServiceClient.fromConnectionString(connectionString));
 * ```
 *
 * Policies that are added to the client's pipeline later do not count here.
 */
export const open = (connection: TablesConnection, options: ServiceOptions = {}): Db =>
  new Db(connect(connection, options));
