// The door to the library: the clients of an account in, repositories and batches out. What they do is in the files of their names.
import type { AnyEntity, PartitionOf } from './model/entity.js';
import { type BagReads, bagReads } from './read/bags.js';
import { Lookup, type LookupOptions } from './read/lookup.js';
import { type MixedReads, mixedReads } from './read/mixed.js';
import type { Clients } from './transport/clients.js';
import { Batch } from './write/batch.js';
import { BatchWriter, type WriterOptions } from './write/batch-writer.js';
import type { RowChange } from './write/change.js';
import {
  type DeletableRows,
  type DeleteProgress,
  type DeleteRowsOptions,
  deleteRows,
} from './write/delete-rows.js';
import { type RebucketOptions, type RebucketProgress, rebucket } from './write/rebucket.js';
import { Repo, type RepoOptions } from './write/repo.js';
import { connect, querySettings, type Service, type ServiceOptions } from './write/service.js';
import type { WriteReport } from './write/write-load.js';

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

  /** Rows of a table as property bags, without an entity. */
  bags(table: string): BagReads {
    return bagReads(table, querySettings(this.#service, table));
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
  ): Batch<[]> {
    return new Batch(this.#service, { table, partitionKey: entity.plan.partition.encode(partition) });
  }

  /**
   * Does any number of changes, in batches by partition, and says of each what became of it. It goes on as reports are taken. If the source throws, what it gave before is
   * done and reported, and then the error is thrown.
   */
  writeAll(
    changes: Iterable<RowChange> | AsyncIterable<RowChange>,
    options: WriterOptions = {},
  ): AsyncGenerator<WriteReport, void, undefined> {
    return new BatchWriter(this.#service, changes, options).reports();
  }

  /**
   * Moves an entity's rows to their buckets after the number of these was changed: `codec.hash(16, { also: [4] })`. It goes on as progress is taken. Programs read and write
   * meanwhile; when it has ended, the earlier number need not be named any more.
   */
  rebucket<E extends AnyEntity>(
    entity: E,
    { table, ...options }: RebucketOptions & Pick<RepoOptions, 'table'> = {},
  ): AsyncGenerator<RebucketProgress, void, undefined> {
    const rows = this.repo(entity, { table }).scan().allowScan('rebucketing');
    return rebucket(this.#service, entity, rows, options);
  }

  /** Deletes what a query gives. It goes on as progress is taken. */
  deleteRows(
    rows: DeletableRows,
    options: DeleteRowsOptions,
  ): AsyncGenerator<DeleteProgress, void, undefined> {
    return deleteRows(this.#service, rows, options);
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
