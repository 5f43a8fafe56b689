// The official client of queues for the scenarios, and a clock that moves between two requests.
import {
  type QueueClient,
  QueueServiceClient,
  type StoragePipelineOptions,
  StorageSharedKeyCredential,
} from '@azure/storage-queue';
import type { RunningServer } from 'shelfmark';
import type { Subject } from './targets.js';

/** Without retries, so that a refusal surfaces at once. */
const OPTIONS: StoragePipelineOptions = { retryOptions: { maxTries: 1 } };
const TICKS_A_SECOND = 10_000_000n;

export const queueCredential = ({ account }: RunningServer): StorageSharedKeyCredential =>
  new StorageSharedKeyCredential(account.name, account.key);

export const queueEndpointOf = ({ queueEndpoint }: RunningServer): string => {
  if (queueEndpoint === undefined) throw new Error('The server has no Queue service.');
  return queueEndpoint;
};

export const queueServiceClient = (server: RunningServer): QueueServiceClient =>
  new QueueServiceClient(queueEndpointOf(server), queueCredential(server), OPTIONS);

export const queueClient = (server: RunningServer, queue: string): QueueClient =>
  queueServiceClient(server).getQueueClient(queue);

/** Of a shared access signature. */
export const queueSasClient = (server: RunningServer, queue: string, signature: string): QueueClient =>
  new QueueServiceClient(`${queueEndpointOf(server)}?${signature}`, undefined, OPTIONS).getQueueClient(queue);

/** A queue of its own, made. */
export async function makeQueue({ server, newTableName }: Subject): Promise<QueueClient> {
  const client = queueClient(server, newTableName());
  await client.create();
  return client;
}

/** The system's clock, moved forward. Requests are dated by the real one, so not by more than a quarter of an hour. */
export class MovedClock {
  #ahead = 0n;
  readonly clock = (): bigint => BigInt(Date.now()) * 10_000n + this.#ahead;

  passSeconds(seconds: number): void {
    this.#ahead += BigInt(seconds) * TICKS_A_SECOND;
  }
}
