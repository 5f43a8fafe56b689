// A tool's record of a queue and of its messages.
import type { SpaceRecord } from '../source/space.js';

export interface Message {
  readonly text: string;
  /** When it expires, as a time; null for never. */
  readonly expires: string | null;
  /** Hidden until this time; null if visible. */
  readonly visible: string | null;
}

/** The messages of a queue, in order. */
export interface Messages {
  readonly count: number;
  readonly all: AsyncIterable<Message>;
}

export interface QueueContent extends SpaceRecord {
  readonly count: () => Promise<number>;
  /** Null if messages are left out. */
  readonly read: () => Promise<Messages | null>;
}
