// The queues of `azure-storage` 2.10.7, the predecessor of @azure/storage-queue, as the scenarios call them, with
// promises for callbacks. Declared here, because the package's own declarations are older than the compiler.
import { createRequire } from 'node:module';
import type { RunningServer } from 'shelfmark';
import { promising } from './legacy-client.js';
import { queueEndpointOf } from './queue-clients.js';

type Callback<T> = (error: Error | null, result: T) => void;

interface LegacyMessage {
  readonly messageId: string;
  readonly popReceipt: string;
  readonly messageText?: string;
  readonly insertionTime?: string;
  readonly expirationTime?: string;
  readonly timeNextVisible?: string;
  readonly dequeueCount?: number;
}

interface LegacyQueue {
  readonly name: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly approximateMessageCount?: number;
  readonly created?: boolean;
  readonly exists?: boolean;
  readonly signedIdentifiers?: Readonly<Record<string, LegacyPolicy>>;
}

interface LegacyPolicy {
  readonly Start?: Date;
  readonly Expiry?: Date;
  readonly Permissions?: string;
}

interface Segment {
  readonly entries: readonly LegacyQueue[];
  readonly continuationToken: object | null;
}

interface MessageOptions {
  readonly messageTimeToLive?: number;
  readonly visibilityTimeout?: number;
  readonly numOfMessages?: number;
  readonly messageText?: string;
}

interface LegacyQueueService {
  getServiceStats(callback: Callback<{ readonly GeoReplication?: object }>): void;
  getServiceProperties(
    callback: Callback<{ readonly Logging: { readonly Version: string }; readonly Cors: unknown }>,
  ): void;
  setServiceProperties(properties: object, callback: Callback<unknown>): void;
  listQueuesSegmentedWithPrefix(
    prefix: string,
    token: object | null,
    options: { readonly maxResults?: number; readonly include?: 'metadata' },
    callback: Callback<Segment>,
  ): void;
  doesQueueExist(queue: string, callback: Callback<LegacyQueue>): void;
  createQueue(queue: string, options: object, callback: Callback<LegacyQueue>): void;
  createQueueIfNotExists(queue: string, callback: Callback<LegacyQueue>): void;
  deleteQueue(queue: string, callback: Callback<unknown>): void;
  deleteQueueIfExists(queue: string, callback: Callback<boolean>): void;
  getQueueMetadata(queue: string, callback: Callback<LegacyQueue>): void;
  setQueueMetadata(queue: string, metadata: object, callback: Callback<LegacyQueue>): void;
  createMessage(
    queue: string,
    text: string,
    options: MessageOptions,
    callback: Callback<LegacyMessage>,
  ): void;
  getMessages(queue: string, options: MessageOptions, callback: Callback<readonly LegacyMessage[]>): void;
  getMessage(queue: string, callback: Callback<LegacyMessage | undefined>): void;
  peekMessages(queue: string, options: MessageOptions, callback: Callback<readonly LegacyMessage[]>): void;
  peekMessage(queue: string, callback: Callback<LegacyMessage | undefined>): void;
  deleteMessage(queue: string, id: string, receipt: string, callback: Callback<unknown>): void;
  clearMessages(queue: string, callback: Callback<unknown>): void;
  updateMessage(
    queue: string,
    id: string,
    receipt: string,
    visibilityTimeout: number,
    options: MessageOptions,
    callback: Callback<LegacyMessage>,
  ): void;
  getQueueAcl(queue: string, callback: Callback<LegacyQueue>): void;
  setQueueAcl(queue: string, policies: object, callback: Callback<LegacyQueue>): void;
  generateSharedAccessSignature(queue: string, policy: object): string;
}

interface LegacyModule {
  createQueueService(account: string, key: string, host: string): LegacyQueueService;
  createQueueService(connectionString: string): LegacyQueueService;
  createQueueServiceWithSas(host: string, signature: string): LegacyQueueService;
}

const legacy: LegacyModule = createRequire(import.meta.url)('azure-storage');

type LegacyQueues = ReturnType<typeof promising<LegacyQueueService>>;

export const legacyQueues = (server: RunningServer): LegacyQueues =>
  promising(legacy.createQueueService(server.account.name, server.account.key, queueEndpointOf(server)));

export const legacyQueuesOf = (connectionString: string): LegacyQueues =>
  promising(legacy.createQueueService(connectionString));

export const legacyQueuesBy = (server: RunningServer, signature: string): LegacyQueues =>
  promising(legacy.createQueueServiceWithSas(queueEndpointOf(server), signature));

export const legacySignature = (server: RunningServer, queue: string, policy: object): string =>
  legacy
    .createQueueService(server.account.name, server.account.key, queueEndpointOf(server))
    .generateSharedAccessSignature(queue, policy);
