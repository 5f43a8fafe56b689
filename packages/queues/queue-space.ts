// A queue's space in the store: its address and its metadata.
//
//   metadata of a queue's space
//   +---------------------+------------------------------------------------------------+
//   | generation, u32 BE  | {"version":1,"value":{"metadata":[["k","v"]],"acl":…}}     |
//   +---------------------+------------------------------------------------------------+
//
// The generation names the partition that holds the messages (message-rows.ts). It comes first, so that operations on
// messages skip the rest.
import {
  type DeletionDelay,
  decodeIdentifiers,
  decodeVersioned,
  encodeIdentifiers,
  encodeVersioned,
  type Metadata,
  type SignedIdentifier,
} from '#account';
import { type Space, type SpaceAddress, type Store, StoreError } from '#store';
import { QueueError } from './queue-error.js';

/** The context of an operation. */
export interface QueueContext {
  readonly store: Store;
  readonly account: string;
  /** Gives new GUIDs in lower case, which cannot be guessed. */
  readonly ids: () => string;
  /** Absent where a deleted queue's name is free at once. */
  readonly deletion?: DeletionDelay | undefined;
}

/** Names of queues have no upper case (protocol: queues#names). */
export const queueAddress = (account: string, queue: string): SpaceAddress => ({
  account,
  service: 'queue',
  name: queue,
});

export interface QueueMetadata {
  /** Rises with each clear. */
  readonly generation: number;
  readonly metadata: Metadata;
  readonly identifiers: readonly SignedIdentifier[];
}

const VERSION = 1;
const GENERATION_BYTES = 4;

export function encodeQueueMetadata({ generation, metadata, identifiers }: QueueMetadata): Buffer {
  const front = Buffer.alloc(GENERATION_BYTES);
  front.writeUInt32BE(generation);
  const value = {
    metadata: metadata.map(pair => [pair.name, pair.value]),
    acl: encodeIdentifiers(identifiers).toString(),
  };
  return Buffer.concat([front, encodeVersioned(VERSION, value)]);
}

/** @throws StoreError `corrupt` or `unsupported`. */
export function decodeQueueMetadata(bytes: Buffer): QueueMetadata {
  const generation = decodeGeneration(bytes);
  return decodeVersioned(VERSION, bytes.subarray(GENERATION_BYTES), "A queue's metadata", value => {
    const stored = value as { readonly metadata: readonly [string, string][]; readonly acl: string };
    return {
      generation,
      metadata: stored.metadata.map(([name, text]) => ({ name, value: text })),
      identifiers: decodeIdentifiers(Buffer.from(stored.acl)),
    };
  });
}

export function decodeGeneration(metadata: Buffer): number {
  if (metadata.length < GENERATION_BYTES) throw new StoreError('corrupt', "A queue's metadata is cut short.");
  return metadata.readUInt32BE();
}

/**
 * The refusal of an operation on a queue that does not exist. A queue that is being deleted counts as missing, except for a create
 * (protocol: queues#create-and-delete).
 */
export const missingQueue = (): QueueError => new QueueError('QueueNotFound');

/** @throws QueueError QueueNotFound. */
export async function openQueue(context: QueueContext, queue: string): Promise<Space> {
  const space = await context.store.getSpace(queueAddress(context.account, queue));
  if (!space) throw missingQueue();
  return space;
}
