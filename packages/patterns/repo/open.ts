// The door to the library: the clients of an account in, repositories and batches out. What they do is in the files of their names.
import type { AnyEntity, PartitionOf } from '../model/definition.js';
import type { Clients } from '../transport/clients.js';
import { Batch } from './write/batch.js';
import { connect } from './write/connect.js';
import { Repo, type RepoOptions } from './write/repo.js';
import type { Service, ServiceOptions } from './write/service.js';

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

  /** Operations on rows of one partition that are done all or not at all. Rows of other entities in that partition may be among them. */
  batch<E extends AnyEntity>(
    entity: E,
    partition: PartitionOf<E>,
    { table = entity.table }: RepoOptions = {},
  ): Batch<[]> {
    return new Batch(this.#service, { table, partitionKey: entity.plan.partition.encode(partition) });
  }

  /** For the library's other entries: what the program's requests share. */
  static serviceOf(db: Db): Service {
    return db.#service;
  }
}

/**
 * Opens the tables of an account.
 *
 * ```ts
 * const db = open({ tables: TableServiceClient.fromConnectionString(connectionString) });
 * ```
 *
 * `queues` and `blobs` are needed by the patterns that use them, and by no others. Policies that are added to a client's pipeline later do not count here.
 */
export const open = (clients: Clients, options: ServiceOptions = {}): Db => new Db(connect(clients, options));
