// Writes one queue of an input: the queue itself, then its messages one after the other, to keep their order. Messages
// have no keys, so existing ones cannot be distinguished from new ones: a queue that has messages gets none in a mode
// that leaves existing data alone. A resumed run looks for the message that the previous one may have put and not
// recorded.
import { KnownMessages, knownAt } from '../queues/known-messages.js';
import { messageCount } from '../queues/queue-account.js';
import type { Message, QueueContent } from '../queues/queue-record.js';
import { type PutMessage, putMessage } from '../queues/target-queue.js';
import type { Endpoint } from '../source/endpoint.js';
import { offerSpace } from '../source/space.js';
import { addCounts, type ContentCounts, NO_COUNTS } from './content-journal.js';
import type { WriteOptions } from './write-contents.js';

export class QueueWrite {
  readonly #queue: QueueContent;
  readonly #endpoint: Endpoint;
  readonly #options: WriteOptions;
  #counts: ContentCounts = NO_COUNTS;
  /** Messages that an earlier run put. */
  #done = 0;
  #isDone = false;
  /** Undefined until messages are put. */
  #known: KnownMessages | undefined;
  #maybeTwice = 0;

  constructor(queue: QueueContent, endpoint: Endpoint, options: WriteOptions) {
    this.#queue = queue;
    this.#endpoint = endpoint;
    this.#options = options;
    for (const entry of options.journal?.entries ?? []) {
      if (!('queue' in entry) || 'step' in entry || entry.queue !== queue.name) continue;
      this.#counts = entry.counts;
      if ('isDone' in entry) this.#isDone = true;
      else if ('there' in entry) this.#known = new KnownMessages(endpoint, queue.name, entry.there);
      else {
        this.#done = entry.messages;
        // One that was not put has no id.
        if (entry.id !== undefined) this.#known?.add(entry.id ?? undefined);
      }
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
    const isNew = this.#known === undefined;
    if (isNew && differs && mode === 'insert') this.#conflict('it has other metadata');
    const there =
      isNew && messages !== null && messages.count > 0
        ? ((await messageCount(this.#endpoint, name)) ?? 0)
        : 0;
    const isOccupied = !replaces && there > 0;
    if (isOccupied && mode === 'insert')
      this.#conflict('it has messages: those that came with it were not put');
    if (messages !== null && !isOccupied) await this.#putAll(messages.all, there);
    journal?.append({ queue: name, isDone: true, counts: this.#counts });
    return this.#counts;
  }

  /** Finds the known messages; the journal records that the queue may have messages of this run from now on. */
  async #begin(count: number): Promise<KnownMessages> {
    const { name } = this.#queue;
    const known = await knownAt(this.#endpoint, name, count);
    this.#options.journal?.append({ queue: name, there: known.ids ?? null, counts: this.#counts });
    return known;
  }

  async #putAll(messages: AsyncIterable<Message>, there: number): Promise<void> {
    const { name } = this.#queue;
    const { context, journal } = this.#options;
    const { reporter, source } = context;
    const goesOn = this.#known !== undefined;
    this.#known ??= await this.#begin(there);
    const known = this.#known;
    let [place, expired] = [0, 0];
    for await (const message of messages) {
      if (place++ < this.#done) continue;
      source.signal?.throwIfAborted();
      const isAsked = goesOn && place === this.#done + 1;
      const put = (isAsked && (await this.#found(known, message))) || (await this.#put(known, message));
      let id: string | null | undefined;
      if (put.kind === 'refused') {
        reporter.tell('refused', { queue: name, message: place, reason: put.reason });
        this.#add({ refused: 1 });
      } else if (put.kind === 'expired') expired++;
      else {
        this.#add({ messages: 1 });
        known.add(put.id);
        id = put.id ?? null;
      }
      if (put.kind === 'maybeTwice') this.#maybeTwice++;
      journal?.append({
        queue: name,
        messages: place,
        ...(id !== undefined && { id }),
        counts: this.#counts,
      });
      reporter.rows(0);
    }
    if (expired > 0) this.#note(`${expired} messages of queue ${name} have expired and were not put.`);
    if (this.#maybeTwice > 0)
      this.#note(
        `A run was killed or answers were lost, and queue ${name} cannot tell what it had taken: up to ${this.#maybeTwice} messages may be there twice.`,
      );
  }

  #put(known: KnownMessages, message: Message): Promise<PutMessage> {
    const now = this.#options.context.source.surroundings.now();
    return putMessage(this.#endpoint, this.#queue.name, message, now, known);
  }

  /** The message that an earlier run was about to put, if it did; if that cannot be known, it is put again, and reported. */
  async #found(known: KnownMessages, message: Message): Promise<PutMessage | undefined> {
    const found = await known.find(message, this.#options.context.source.surroundings.now());
    if (found === 'unknown') this.#maybeTwice++;
    return typeof found === 'string' ? undefined : { kind: 'done', id: found.id };
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
