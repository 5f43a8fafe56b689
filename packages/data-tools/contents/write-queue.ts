// Writes one queue of an input: the queue itself, then its messages one after the other, to keep their order. Messages
// have no keys, so existing ones cannot be distinguished from new ones: a queue that has messages gets none in a mode
// that leaves existing data alone. The message that a killed run may have put and not recorded is put again, and
// reported.
import { messageCount } from '../queues/queue-account.js';
import type { Message, QueueContent } from '../queues/queue-record.js';
import { putMessage } from '../queues/target-queue.js';
import type { Endpoint } from '../source/endpoint.js';
import { offerSpace } from '../source/space.js';
import { addCounts, type ContentCounts, NO_COUNTS } from './content-journal.js';
import type { WriteOptions } from './write-contents.js';

export class QueueWrite {
  readonly #queue: QueueContent;
  readonly #endpoint: Endpoint;
  readonly #options: WriteOptions;
  #counts: ContentCounts = NO_COUNTS;
  /** Messages that an earlier run put or reported; undefined if none had begun. */
  #done: number | undefined;
  #isDone = false;

  constructor(queue: QueueContent, endpoint: Endpoint, options: WriteOptions) {
    this.#queue = queue;
    this.#endpoint = endpoint;
    this.#options = options;
    for (const entry of options.journal?.put(queue.name) ?? []) {
      this.#counts = entry.counts;
      if ('isDone' in entry) this.#isDone = true;
      else this.#done = entry.messages ?? 0;
    }
  }

  /** @throws ToolError */
  async run(): Promise<ContentCounts> {
    if (this.#isDone) return this.#counts;
    const { name } = this.#queue;
    const { context, mode, journal } = this.#options;
    const replaces = mode === 'upsert' || mode === 'merge';
    const { notes, differs } = await offerSpace(
      this.#endpoint,
      'Queue',
      this.#queue,
      replaces,
      context.source,
    );
    for (const message of notes) this.#note(message);
    const messages = await this.#queue.read();
    const isNew = this.#done === undefined;
    if (isNew && differs && mode === 'insert') this.#conflict('it has other metadata');
    const isOccupied =
      isNew &&
      !replaces &&
      messages !== null &&
      messages.count > 0 &&
      (await messageCount(this.#endpoint, name)) > 0;
    if (isOccupied && mode === 'insert')
      this.#conflict('it has messages: those that came with it were not put');
    if (messages !== null && !isOccupied) await this.#putAll(messages.all);
    journal?.append({ queue: name, isDone: true, counts: this.#counts });
    return this.#counts;
  }

  async #putAll(messages: AsyncIterable<Message>): Promise<void> {
    const { name } = this.#queue;
    const { context, journal } = this.#options;
    const { reporter, source } = context;
    const done = this.#done;
    // From now on the queue may have messages of this run.
    if (done === undefined) journal?.append({ queue: name, counts: this.#counts });
    let [place, expired, maybeTwice] = [0, 0, 0];
    for await (const message of messages) {
      if (place++ < (done ?? 0)) continue;
      source.signal?.throwIfAborted();
      const put = await putMessage(this.#endpoint, name, message, Date.now());
      if (put.kind === 'refused') {
        reporter.tell('refused', { queue: name, message: place, reason: put.reason });
        this.#add({ refused: 1 });
      } else if (put.kind === 'expired') expired++;
      else {
        this.#add({ messages: 1 });
        if (put.kind === 'maybeTwice' || place - 1 === done) maybeTwice++;
      }
      journal?.append({ queue: name, messages: place, counts: this.#counts });
      reporter.rows(0);
    }
    if (expired > 0) this.#note(`${expired} messages of queue ${name} have expired and were not put.`);
    if (maybeTwice > 0)
      this.#note(
        `A run was killed or answers were lost, and queue ${name} cannot tell what it had taken: up to ${maybeTwice} messages may be there twice.`,
      );
  }

  #add(more: Partial<ContentCounts>): void {
    this.#counts = addCounts(this.#counts, more);
  }

  #note(message: string): void {
    this.#options.context.reporter.tell('note', { queue: this.#queue.name, message });
  }

  #conflict(reason: string): void {
    this.#options.context.reporter.tell('conflict', { queue: this.#queue.name, reason });
    this.#add({ conflicts: 1 });
  }
}
