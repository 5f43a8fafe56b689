// An answer of the Queue service before it is written: the facts that headers are made of. Writing it is format-queue-response.ts's.
import type { Header } from '../shared/answer.js';

export interface QueueAnswer {
  readonly status: number;
  /** The phrase of the status line where it is not the standard one. */
  readonly reason: string | undefined;
  /** A document in XML. */
  readonly body: string | undefined;
  /** Not cacheable: the answers of reads (protocol: responses#queue-service). */
  readonly isRead: boolean;
  readonly more: readonly Header[];
  readonly errorCode: string | undefined;
  /** Answers to invalid headers do not have the version (protocol: responses#queue-service). */
  readonly isAnonymous: boolean;
}
