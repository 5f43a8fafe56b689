// What an operation of the Queue service came to, as a value. Rendering it is the wire's matter. All times are in ticks of
// 100 ns since 1970-01-01T00:00:00Z; the expiry of what never expires is limits.ts's `NEVER`, the end of the year 9999.
import type { ServiceProperties, SignedIdentifier } from '#account';
import type { Metadata } from './operation.js';

/** What a peek shows of a message. */
export interface SeenMessage {
  /** A GUID in lower case. */
  readonly id: string;
  readonly inserted: bigint;
  readonly expires: bigint;
  /** How often it was got; the get that shows it is counted. */
  readonly dequeueCount: number;
  readonly text: string;
}

/** What a get shows: the caller holds the message until it is visible again. */
export interface HeldMessage extends SeenMessage {
  /** Opaque text in Base64, good until the message is got or updated again. */
  readonly receipt: string;
  readonly visible: bigint;
}

/** What a put shows. */
export interface PutReceipt {
  readonly id: string;
  readonly inserted: bigint;
  readonly expires: bigint;
  readonly receipt: string;
  readonly visible: bigint;
}

export interface ListedQueue {
  readonly name: string;
  readonly metadata: Metadata;
}

export type Outcome =
  | { readonly kind: 'queues'; readonly queues: readonly ListedQueue[]; readonly next: string | undefined }
  | { readonly kind: 'queueCreated' }
  /** It was there already, with the same metadata: a success that changed nothing. */
  | { readonly kind: 'queueExisted' }
  | { readonly kind: 'queueDeleted' }
  | { readonly kind: 'queueMetadata'; readonly metadata: Metadata; readonly approximateCount: number }
  | { readonly kind: 'queueMetadataSet' }
  | { readonly kind: 'acl'; readonly identifiers: readonly SignedIdentifier[] }
  | { readonly kind: 'aclSet' }
  | { readonly kind: 'messagePut'; readonly message: PutReceipt }
  | { readonly kind: 'messages'; readonly messages: readonly HeldMessage[] }
  | { readonly kind: 'messagesPeeked'; readonly messages: readonly SeenMessage[] }
  | { readonly kind: 'messageUpdated'; readonly receipt: string; readonly visible: bigint }
  | { readonly kind: 'messageDeleted' }
  | { readonly kind: 'messagesCleared' }
  | { readonly kind: 'serviceProperties'; readonly properties: ServiceProperties }
  | { readonly kind: 'servicePropertiesSet' }
  | { readonly kind: 'serviceStats'; readonly lastSync: bigint };
