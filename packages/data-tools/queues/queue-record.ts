// What a tool keeps of a queue and of its messages.
import type { Policy } from '../source/policies.js';

export interface QueueRecord {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Null where the source did not tell. */
  readonly policies: readonly Policy[] | null;
}

export interface Message {
  readonly text: string;
  /** When it ends, as a time; null for never. */
  readonly expires: string | null;
  /** Before this time nobody sees it; null for at once. */
  readonly visible: string | null;
}

/** In the order in which they come. */
export interface QueueContent extends QueueRecord {
  /** Null where they were not taken. */
  readonly messages: (() => AsyncIterable<Message>) | null;
  readonly count: number;
}
