// The outcomes of the Queue service's operations, as values. The wire renders them. All times are in ticks of
// 100 ns since 1970-01-01T00:00:00Z; the expiry of a message that never expires is limits.ts's `NEVER`, the end of the year 9999.
import type { Metadata, ServiceSettingsOutcome, SignedIdentifier } from '#account';

/** A message as a peek shows it. */
export interface SeenMessage {
  /** A GUID in lower case. */
  readonly id: string;
  readonly inserted: bigint;
  readonly expires: bigint;
  /** The number of gets, including the one that returns it. */
  readonly dequeueCount: number;
  readonly text: string;
}

/** A message as a get returns it: leased to the caller until it is visible again. */
export interface LeasedMessage extends SeenMessage {
  /** Opaque text in Base64, valid until the next get or update of the message. */
  readonly receipt: string;
  readonly visible: bigint;
}

/** A message as a put returns it. */
export interface PutReceipt {
  readonly id: string;
  readonly inserted: bigint;
  readonly expires: bigint;
  readonly receipt: string;
  readonly visible: bigint;
}

interface ListedQueue {
  readonly name: string;
  readonly metadata: Metadata;
}

export type Outcome =
  | { readonly kind: 'queues'; readonly queues: readonly ListedQueue[]; readonly next: string | undefined }
  | { readonly kind: 'queueCreated' }
  /** It existed already, with the same metadata: a success without a change. */
  | { readonly kind: 'queueExisted' }
  | { readonly kind: 'queueDeleted' }
  | { readonly kind: 'queueMetadata'; readonly metadata: Metadata; readonly approximateCount: number }
  | { readonly kind: 'queueMetadataSet' }
  | { readonly kind: 'acl'; readonly identifiers: readonly SignedIdentifier[] }
  | { readonly kind: 'aclSet' }
  | { readonly kind: 'messagePut'; readonly message: PutReceipt }
  | { readonly kind: 'messages'; readonly messages: readonly LeasedMessage[] }
  | { readonly kind: 'messagesPeeked'; readonly messages: readonly SeenMessage[] }
  | { readonly kind: 'messageUpdated'; readonly receipt: string; readonly visible: bigint }
  | { readonly kind: 'messageDeleted' }
  | { readonly kind: 'messagesCleared' }
  | ServiceSettingsOutcome;
