// The official clients of an account, by what this library needs of each: addresses and pipelines. sender.ts sends through the tables' client.
import type { Pipeline } from '@azure/core-rest-pipeline';

/** What is needed of a `TableServiceClient` of `@azure/data-tables`, which is one of these. */
export interface TablesConnection {
  readonly url: string;
  readonly pipeline: Pipeline;
}

/** What is needed of a `QueueServiceClient` of `@azure/storage-queue`, which is one of these. */
interface QueuesConnection {
  readonly url: string;
  readonly accountName: string;
  getQueueClient(queueName: string): object;
}

/** What is needed of a `BlobServiceClient` of `@azure/storage-blob`, which is one of these. */
interface BlobsConnection {
  readonly url: string;
  readonly accountName: string;
  getContainerClient(containerName: string): object;
}

/** The clients of one account. Patterns that need a queue or a blob document it where they take them; all others need tables alone. */
export interface Clients {
  readonly tables: TablesConnection;
  readonly queues?: QueuesConnection | undefined;
  readonly blobs?: BlobsConnection | undefined;
}

/** The clients of `open`, and what its options say of their calls. */
export interface Connected extends Clients {
  /** How long a call may be without an answer; 60,000 by default. */
  readonly timeoutMilliseconds?: number | undefined;
}
