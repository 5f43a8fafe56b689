// The part of `azure-storage` 2.10.7, the predecessor of @azure/data-tables, that the scenarios call, with promises for
// callbacks. Declared here, because the package's own declarations are older than the compiler.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { RunningServer } from 'shelfmark';

/** A property in that client's form: value and type, such as `{ _: '5', $: 'Edm.Int64' }`. */
interface LegacyProperty {
  readonly _: unknown;
  readonly $?: string;
}

export interface LegacyEntity {
  readonly [name: string]: LegacyProperty | string | { readonly etag?: string };
}

interface LegacyError extends Error {
  readonly code?: string;
  readonly statusCode?: number;
}

type Callback<T> = (error: LegacyError | null, result: T) => void;
/** For an insert that echoes its content, with the entity. */
type LegacyWritten = LegacyEntity & { readonly '.metadata': { readonly etag: string } };
type Token = {
  readonly nextPartitionKey?: string;
  readonly nextRowKey?: string;
  readonly nextTableName?: string;
};

interface Segment<T> {
  readonly entries: readonly T[];
  readonly continuationToken: Token | null;
}

interface LegacyQuery {
  select(...names: string[]): LegacyQuery;
  top(count: number): LegacyQuery;
  where(condition: string, ...values: unknown[]): LegacyQuery;
  and(condition: string, ...values: unknown[]): LegacyQuery;
  or(condition: string, ...values: unknown[]): LegacyQuery;
}

interface LegacyBatch {
  retrieveEntity(partitionKey: string, rowKey: string): void;
  insertEntity(entity: LegacyEntity, options: { readonly echoContent: boolean }): void;
  deleteEntity(entity: LegacyEntity): void;
  mergeEntity(entity: LegacyEntity): void;
  replaceEntity(entity: LegacyEntity): void;
  insertOrReplaceEntity(entity: LegacyEntity): void;
  insertOrMergeEntity(entity: LegacyEntity): void;
}

export interface LegacyBatchResult {
  readonly error: LegacyError | null;
  readonly response: { readonly statusCode: number };
  readonly entity?: LegacyEntity;
}

interface ListOptions {
  readonly maxResults?: number;
}

interface LegacyTableService {
  createTable(table: string, callback: Callback<{ readonly TableName: string }>): void;
  createTableIfNotExists(table: string, callback: Callback<{ readonly created: boolean }>): void;
  doesTableExist(table: string, callback: Callback<{ readonly exists: boolean }>): void;
  deleteTable(table: string, callback: Callback<unknown>): void;
  deleteTableIfExists(table: string, callback: Callback<boolean>): void;
  listTablesSegmentedWithPrefix(
    prefix: string,
    token: Token | null,
    options: ListOptions,
    callback: Callback<Segment<string>>,
  ): void;
  insertEntity(table: string, entity: LegacyEntity, options: object, callback: Callback<LegacyWritten>): void;
  insertOrReplaceEntity(table: string, entity: LegacyEntity, callback: Callback<LegacyWritten>): void;
  insertOrMergeEntity(table: string, entity: LegacyEntity, callback: Callback<LegacyWritten>): void;
  replaceEntity(table: string, entity: LegacyEntity, callback: Callback<LegacyWritten>): void;
  mergeEntity(table: string, entity: LegacyEntity, callback: Callback<LegacyWritten>): void;
  deleteEntity(table: string, entity: LegacyEntity, callback: Callback<unknown>): void;
  retrieveEntity(table: string, partitionKey: string, rowKey: string, callback: Callback<LegacyEntity>): void;
  queryEntities(
    table: string,
    query: LegacyQuery | null,
    token: Token | null,
    options: object,
    callback: Callback<Segment<LegacyEntity>>,
  ): void;
  executeBatch(table: string, batch: LegacyBatch, callback: Callback<readonly LegacyBatchResult[]>): void;
  getServiceProperties(callback: Callback<{ readonly Logging: { readonly Version: string } }>): void;
}

interface LegacyModule {
  createTableService(account: string, key: string, host: string): LegacyTableService;
  createTableService(connectionString: string): LegacyTableService;
  readonly TableQuery: new () => LegacyQuery;
  readonly TableBatch: new () => LegacyBatch;
}

/** The old client's module; loaded by `require`, as its users load it. */
export const legacy: LegacyModule = createRequire(import.meta.url)('azure-storage');

type Promising<Service> = {
  readonly [Name in keyof Service]: Service[Name] extends (
    ...args: [...infer Args, (error: unknown, result: infer Result) => void]
  ) => void
    ? (...args: Args) => Promise<Result>
    : never;
};

/** The same calls, with promises. */
export const promising = <Service extends object>(service: Service): Promising<Service> =>
  new Proxy(service as Promising<Service>, {
    get(_, name) {
      const call: unknown = Reflect.get(service, name);
      return typeof call === 'function' ? promisify(call).bind(service) : undefined;
    },
  });

type LegacyClient = Promising<LegacyTableService>;

export const legacyClient = (server: RunningServer): LegacyClient =>
  promising(legacy.createTableService(server.account.name, server.account.key, server.tableEndpoint));

export const legacyClientOf = (connectionString: string): LegacyClient =>
  promising(legacy.createTableService(connectionString));

/** The call is refused like this. */
export const fails = (promise: Promise<unknown>, statusCode: number, code: string): Promise<void> =>
  assert.rejects(promise, (error: unknown) => {
    assert(error instanceof Error && 'code' in error && 'statusCode' in error);
    assert.deepEqual([error.statusCode, error.code], [statusCode, code]);
    return true;
  });
