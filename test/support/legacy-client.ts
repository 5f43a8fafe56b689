// The part of `azure-storage` 2.10.7, the predecessor of the official clients, that the scenarios call, with promises for
// callbacks. Declared here, because the package's own declarations are older than the compiler.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import type { RunningServer } from 'shelfmark';
import { queueEndpointOf } from './queue-clients.js';

/** A property in that client's form: value and type, such as `{ _: '5', $: 'Edm.Int64' }`. */
interface LegacyProperty {
  readonly _: unknown;
  readonly $?: string;
}

export interface LegacyEntity {
  readonly [name: string]: LegacyProperty | string | { readonly etag?: string };
}

type Stored = LegacyEntity & { readonly '.metadata': { readonly etag: string } };

interface Segment<T> {
  readonly entries: readonly T[];
  readonly continuationToken: object | null;
}

interface LegacyQuery {
  select(...names: string[]): LegacyQuery;
  top(count: number): LegacyQuery;
  where(condition: string, ...values: unknown[]): LegacyQuery;
  and(condition: string, ...values: unknown[]): LegacyQuery;
  or(condition: string, ...values: unknown[]): LegacyQuery;
}

/** Alone and in a batch. */
export type LegacyWrite =
  | 'insertEntity'
  | 'deleteEntity'
  | 'mergeEntity'
  | 'replaceEntity'
  | 'insertOrMergeEntity'
  | 'insertOrReplaceEntity';

type LegacyBatch = Record<LegacyWrite, (entity: LegacyEntity, options: object) => void> & {
  retrieveEntity(partitionKey: string, rowKey: string): void;
};

interface LegacyBatchResult {
  readonly response: { readonly statusCode: number };
  readonly entity?: LegacyEntity;
}

type Write = (table: string, entity: LegacyEntity) => Promise<Stored>;

interface LegacyTables extends Record<Exclude<LegacyWrite, 'insertEntity'>, Write> {
  createTable(table: string): Promise<unknown>;
  createTableIfNotExists(table: string): Promise<{ readonly created: boolean }>;
  doesTableExist(table: string): Promise<{ readonly exists: boolean }>;
  deleteTable(table: string): Promise<unknown>;
  deleteTableIfExists(table: string): Promise<boolean>;
  listTablesSegmentedWithPrefix(
    prefix: string,
    token: object | null,
    options: object,
  ): Promise<Segment<string>>;
  /** Echoes its content, with the entity. */
  insertEntity(table: string, entity: LegacyEntity, options: object): Promise<Stored>;
  retrieveEntity(table: string, partitionKey: string, rowKey: string): Promise<Stored>;
  queryEntities(
    table: string,
    query: LegacyQuery | null,
    token: object | null,
    options: object,
  ): Promise<Segment<LegacyEntity>>;
  executeBatch(table: string, batch: LegacyBatch): Promise<readonly LegacyBatchResult[]>;
}

interface LegacyMessage {
  readonly messageId: string;
  readonly popReceipt: string;
  readonly messageText?: string;
  readonly insertionTime?: string;
  readonly expirationTime?: string;
  readonly dequeueCount?: number;
}

interface LegacyQueue {
  readonly name: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly approximateMessageCount?: number;
  readonly created?: boolean;
  readonly exists?: boolean;
  readonly signedIdentifiers?: Readonly<Record<string, { readonly Permissions?: string }>>;
}

interface LegacyQueues {
  getServiceProperties(): Promise<{ readonly Logging: { readonly Version: string }; readonly Cors: unknown }>;
  setServiceProperties(properties: object): Promise<unknown>;
  listQueuesSegmentedWithPrefix(
    prefix: string,
    token: object | null,
    options: object,
  ): Promise<Segment<LegacyQueue>>;
  doesQueueExist(queue: string): Promise<LegacyQueue>;
  createQueue(queue: string, options: object): Promise<LegacyQueue>;
  createQueueIfNotExists(queue: string): Promise<LegacyQueue>;
  deleteQueue(queue: string): Promise<unknown>;
  deleteQueueIfExists(queue: string): Promise<boolean>;
  getQueueMetadata(queue: string): Promise<LegacyQueue>;
  setQueueMetadata(queue: string, metadata: object): Promise<LegacyQueue>;
  createMessage(queue: string, text: string, options: object): Promise<LegacyMessage>;
  getMessages(queue: string, options: object): Promise<readonly LegacyMessage[]>;
  getMessage(queue: string): Promise<LegacyMessage | undefined>;
  peekMessages(queue: string, options: object): Promise<readonly LegacyMessage[]>;
  peekMessage(queue: string): Promise<LegacyMessage | undefined>;
  deleteMessage(queue: string, id: string, receipt: string): Promise<unknown>;
  clearMessages(queue: string): Promise<unknown>;
  updateMessage(
    queue: string,
    id: string,
    receipt: string,
    visibilityTimeout: number,
    options: object,
  ): Promise<LegacyMessage>;
  getQueueAcl(queue: string): Promise<LegacyQueue>;
  setQueueAcl(queue: string, policies: object): Promise<LegacyQueue>;
  /** The one call without a callback. */
  generateSharedAccessSignature(queue: string, policy: object): string;
}

interface LegacyModule {
  createTableService(account: string, key: string, host: string): object;
  createQueueService(account: string, key: string, host: string): object;
  createQueueServiceWithSas(host: string, signature: string): object;
  readonly TableQuery: new () => LegacyQuery;
  readonly TableBatch: new () => LegacyBatch;
}

/** The old client's module; loaded by `require`, as its users load it. */
export const legacy: LegacyModule = createRequire(import.meta.url)('azure-storage');

/** The same calls, with promises. */
const promising = <Service extends object>(service: object): Service =>
  new Proxy(service as Service, {
    get(_, name) {
      const call: unknown = Reflect.get(service, name);
      if (typeof call !== 'function') return undefined;
      return name === 'generateSharedAccessSignature' ? call.bind(service) : promisify(call).bind(service);
    },
  });

export const legacyTables = ({ account, tableEndpoint }: RunningServer): LegacyTables =>
  promising(legacy.createTableService(account.name, account.key, tableEndpoint));

/** By the account's key unless a signature is given. */
export const legacyQueues = (server: RunningServer, signature?: string): LegacyQueues => {
  const [{ name, key }, host] = [server.account, queueEndpointOf(server)];
  return promising(
    signature === undefined
      ? legacy.createQueueService(name, key, host)
      : legacy.createQueueServiceWithSas(host, signature),
  );
};

/** The call is refused like this. */
export const fails = (promise: Promise<unknown>, statusCode: number, code: string): Promise<void> =>
  assert.rejects(promise, (error: unknown) => {
    assert(error instanceof Error && 'code' in error && 'statusCode' in error);
    assert.deepEqual([error.statusCode, error.code], [statusCode, code]);
    return true;
  });
