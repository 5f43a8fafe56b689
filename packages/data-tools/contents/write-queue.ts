// Writes one queue of an input: the queue itself, then its messages one after the other, to keep their order. Messages
// have no keys, so existing ones cannot be distinguished from new ones: a queue that has messages gets none in a mode
// that leaves existing data alone. The message that a killed run may have put and not recorded is put again, and
// reported.
import { type Messages, messageCount, putMessage, type QueueContent } from '../queues/queue-account.js';
import type { Endpoint } from '../source/endpoint.js';
import { offerSpace } from '../source/space.js';
import { addCounts, type ContentCounts, type MessageStep, NO_COUNTS } from './content-journal.js';
import type { WriteOptions } from './write-contents.js';

export class QueueWrite {
  readonly #queue: QueueContent;
  readonly #endpoint: Endpoint;
  readonly #options: WriteOptions;
  #counts: ContentCounts = NO_COUNTS;

  constructor(queue: QueueContent, endpoint: Endpoint, options: WriteOptions) {
    this.#queue = queue;
    this.#endpoint = endpoint;
    this.#options = options;
  }

  /** @throws ToolError */
  async run(): Promise<ContentCounts> {
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
    if (differs && mode === 'insert') this.#conflict('it has other metadata');
    const earlier = journal?.messages(name) ?? [];
    const isOccupied =
      earlier.length === 0 &&
      !replaces &&
      messages !== null &&
      messages.count > 0 &&
      (await messageCount(this.#endpoint, name)) > 0;
    if (isOccupied && mode === 'insert')
      this.#conflict('it has messages: those that came with it were not put');
    if (messages !== null && !isOccupied) await this.#putAll(messages, earlier);
    return this.#counts;
  }

  /** @param earlier what an earlier run did; empty if none had begun. */
  async #putAll({ all }: Messages, earlier: readonly MessageStep[]): Promise<void> {
    const { name } = this.#queue;
    const { context, journal } = this.#options;
    const { reporter, source } = context;
    const [begun, ...done] = earlier;
    // From now on the queue may have messages of this run.
    if (begun === undefined) journal?.append({ queue: name, message: 'begun' });
    let [place, maybeTwice] = [0, 0];
    const steps: MessageStep[] = [];
    for await (const message of all) {
      const known = done[place++];
      if (known !== undefined) {
        steps.push(known);
        continue;
      }
      source.signal?.throwIfAborted();
      const put = await putMessage(this.#endpoint, name, message, Date.now());
      if (put.kind === 'refused')
        reporter.tell('refused', { queue: name, message: place, reason: put.reason });
      const isAgain = begun !== undefined && place - 1 === done.length;
      if (put.kind === 'maybeTwice' || (put.kind === 'done' && isAgain)) maybeTwice++;
      const step = put.kind === 'refused' || put.kind === 'expired' ? put.kind : 'put';
      steps.push(step);
      journal?.append({ queue: name, message: step });
      reporter.rows(0);
    }
    const countOf = (wanted: MessageStep): number => steps.filter(step => step === wanted).length;
    this.#add({ messages: countOf('put'), refused: countOf('refused') });
    const expired = countOf('expired');
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
