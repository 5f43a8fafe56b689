// What a request asks of the Queue service, as a value: one member for each REST operation, limits already checked by
// limits.ts. How it was asked (whether a listing shows metadata) is the wire's matter and not in here.
import type { ServicePropertiesChange, SignedIdentifier } from '#account';

/** One pair of a queue's metadata. Names are compared without case and kept with it; values are compared as they are. */
export interface MetadataPair {
  readonly name: string;
  readonly value: string;
}

/** In the order in which they were sent. */
export type Metadata = readonly MetadataPair[];

export interface OnQueue<Kind extends string> {
  readonly kind: Kind;
  readonly queue: string;
}

export interface ListQueues {
  readonly kind: 'listQueues';
  /** Empty for all. */
  readonly prefix: string;
  /** The first name to look at, from a marker; no queue need have it. */
  readonly from: string | undefined;
  /** Queues of the page, 1 to 5,000. */
  readonly top: number;
}

export interface CreateQueue extends OnQueue<'createQueue'> {
  readonly metadata: Metadata;
}

export interface SetQueueMetadata extends OnQueue<'setQueueMetadata'> {
  readonly metadata: Metadata;
}

export interface SetQueueAcl extends OnQueue<'setQueueAcl'> {
  readonly identifiers: readonly SignedIdentifier[];
}

export interface PutMessage extends OnQueue<'putMessage'> {
  readonly text: string;
  /** Until the message is seen first: 0 to 604,800, less than its time to live. */
  readonly visibilitySeconds: number;
  /** Undefined for a message that never expires. */
  readonly timeToLiveSeconds: number | undefined;
}

export interface GetMessages extends OnQueue<'getMessages'> {
  /** Messages at most, 1 to 32. */
  readonly count: number;
  /** Until they are seen again, 1 to 604,800. */
  readonly visibilitySeconds: number;
}

export interface PeekMessages extends OnQueue<'peekMessages'> {
  readonly count: number;
}

/** A message that somebody holds. Id and receipt come as the client sent them; the domain says what is wrong with them. */
export interface OnMessage<Kind extends string> extends OnQueue<Kind> {
  readonly id: string;
  readonly receipt: string;
}

export interface UpdateMessage extends OnMessage<'updateMessage'> {
  /** From now until it is seen again: 0 to 604,800, not beyond its expiry. */
  readonly visibilitySeconds: number;
  /** Undefined keeps the text. */
  readonly text: string | undefined;
}

export interface SetServiceProperties {
  readonly kind: 'setServiceProperties';
  readonly change: ServicePropertiesChange;
}

export type Operation =
  | ListQueues
  | CreateQueue
  | OnQueue<'deleteQueue'>
  | OnQueue<'getQueueMetadata'>
  | SetQueueMetadata
  | OnQueue<'getQueueAcl'>
  | SetQueueAcl
  | PutMessage
  | GetMessages
  | PeekMessages
  | UpdateMessage
  | OnMessage<'deleteMessage'>
  | OnQueue<'clearMessages'>
  | { readonly kind: 'getServiceProperties' }
  | SetServiceProperties
  | { readonly kind: 'getServiceStats' };

export type OperationKind = Operation['kind'];
