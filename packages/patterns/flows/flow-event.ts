// A worker's reports of its messages, for logs, metrics and alarms. They decide nothing.

interface OfMessage {
  readonly flow: string;
  /** Of the flow's run; undefined for a text that could not be read. */
  readonly id: string | undefined;
  /** Of the message in its queue. */
  readonly message: string;
  /** Since the message was sent, in milliseconds, when it was received: so old was what the flow derives. */
  readonly age: number;
}

/** What became of a message, or of a poll for messages. */
export type FlowEvent =
  /** All steps were done, and the message is gone. */
  | ({ readonly kind: 'done' } & OfMessage)
  /** All steps were done after another worker had had the message, and it comes back once more: that worker may be stalled, and write late. */
  | ({ readonly kind: 'redelivery' } & OfMessage)
  /** The write that the message announced has not been seen; the message comes back. */
  | ({ readonly kind: 'pending' } & OfMessage)
  /** The write was not seen within the grace period: the steps were done for what is there, and the message is gone. */
  | ({ readonly kind: 'abandoned' } & OfMessage)
  /** A step threw; the message comes back. */
  | ({ readonly kind: 'failed'; readonly attempt: number; readonly error: unknown } & OfMessage)
  /** The message was put aside. */
  | ({ readonly kind: 'poisoned'; readonly reason: string } & OfMessage)
  /** Another worker has the message. */
  | ({ readonly kind: 'lost' } & OfMessage)
  | ({ readonly kind: 'noted'; readonly step: string; readonly note: string } & OfMessage)
  /** No messages could be received, or the queue could not be updated after a message, which it will deliver again. */
  | { readonly kind: 'unreachable'; readonly flow: string; readonly queue: string; readonly error: unknown };

/** Called with everything that happens to messages. */
export type FlowReport = (event: FlowEvent) => void;
