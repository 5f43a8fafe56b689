// A tool's record of a queue and of its messages.
import type { Policy } from '../source/policies.js';

export interface QueueRecord {
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** Null if the source did not include them. */
  readonly policies: readonly Policy[] | null;
}

export interface Message {
  readonly text: string;
  /** When it expires, as a time; null for never. */
  readonly expires: string | null;
  /** Hidden until this time; null if visible. */
  readonly visible: string | null;
}

/** In order. */
export interface QueueContent extends QueueRecord {
  /** Null if they were not taken. */
  readonly messages: (() => AsyncIterable<Message>) | null;
  readonly count: number;
}
