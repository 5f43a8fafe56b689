// The operations of the Queue service as values: a discriminated union with one member for each REST operation, limits already checked by
// limits.ts. Options of the rendering (whether a listing shows metadata) belong to the wire.
import type { Metadata, ServiceSettings, SignedIdentifier } from '#account';

export interface OnQueue<Kind extends string> {
  readonly kind: Kind;
  readonly queue: string;
}

export interface ListQueues {
  readonly kind: 'listQueues';
  /** Empty for all. */
  readonly prefix: string;
  /** The name where the page begins, from a marker; such a queue need not exist. */
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
  /** Seconds until the message becomes visible: 0 to 604,800, less than its time to live. */
  readonly visibilitySeconds: number;
  /** Undefined for a message that never expires. */
  readonly timeToLiveSeconds: number | undefined;
}

export interface GetMessages extends OnQueue<'getMessages'> {
  /** Maximum number of messages, 1 to 32. */
  readonly count: number;
  /** Seconds until they are visible again, 1 to 604,800. */
  readonly visibilitySeconds: number;
}

export interface PeekMessages extends OnQueue<'peekMessages'> {
  readonly count: number;
}

/** A leased message. Id and receipt are as the client sent them; the domain checks them. */
export interface OnMessage<Kind extends string> extends OnQueue<Kind> {
  readonly id: string;
  readonly receipt: string;
}

export interface UpdateMessage extends OnMessage<'updateMessage'> {
  /** Seconds until it is visible again: 0 to 604,800, not beyond its expiry. */
  readonly visibilitySeconds: number;
  /** Undefined keeps the text. */
  readonly text: string | undefined;
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
  | ServiceSettings;

export type OperationKind = Operation['kind'];
