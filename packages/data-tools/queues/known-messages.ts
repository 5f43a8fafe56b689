// Whether a message that may have been put exists. A put has no key of its own: when its answer is lost, or a run is
// killed before its journal has it, only the queue can show it, and it shows 32 messages at most. So this keeps the ids
// of earlier messages and of those that were put; a message with the same text and another id is the one in question.
// In a longer queue that cannot be known.
import type { Endpoint } from '../source/endpoint.js';
import { peekMessages, SHOWN_MAX } from './queue-account.js';
import type { Message } from './queue-record.js';

export type Whether = { readonly id: string } | 'missing' | 'unknown';

export class KnownMessages {
  readonly #endpoint: Endpoint;
  readonly #queue: string;
  /** Null if there are too many to distinguish. */
  #ids: Set<string> | null = null;

  /** @param ids all existing ones; null if unknown. */
  constructor(endpoint: Endpoint, queue: string, ids: readonly string[] | null) {
    this.#endpoint = endpoint;
    this.#queue = queue;
    this.#ids = ids && new Set(ids);
  }

  /** Undefined if they are no longer known. */
  get ids(): readonly string[] | undefined {
    return this.#ids === null ? undefined : [...this.#ids];
  }

  /** @param id undefined if the answer did not contain it. */
  add(id: string | undefined): void {
    if (id === undefined || this.#ids === null || this.#ids.size + 1 >= SHOWN_MAX) this.#ids = null;
    else this.#ids.add(id);
  }

  /**
   * Missing means: not there while all others are, so that no client can have taken it. @param now milliseconds since
   * 1970. @throws ToolError
   */
  async find({ text, visible }: Message, now: number): Promise<Whether> {
    // A peek does not show hidden messages.
    const ids = visible !== null && Date.parse(visible) > now ? null : this.#ids;
    const shown = ids && (await peekMessages(this.#endpoint, this.#queue));
    if (!ids || !shown) return 'unknown';
    const found = shown.find(message => message.text === text && !ids.has(message.id));
    if (found !== undefined) return { id: found.id };
    const there = new Set(shown.map(({ id }) => id));
    return shown.length < SHOWN_MAX && [...ids].every(id => there.has(id)) ? 'missing' : 'unknown';
  }
}

/** For a queue as it is: the number of its messages shows whether all are seen. */
export async function knownAt(endpoint: Endpoint, queue: string, count: number): Promise<KnownMessages> {
  const shown = await peekMessages(endpoint, queue);
  const isWhole = shown !== undefined && shown.length < SHOWN_MAX && count <= shown.length;
  return new KnownMessages(endpoint, queue, isWhole ? shown.map(({ id }) => id) : null);
}
