// Writes queues and containers of an input to an account. Of a queue the messages are written one after the other, to
// keep their order. Messages have no keys, so existing ones cannot be distinguished from new ones: a queue that has
// messages gets none in a mode that leaves existing data alone. The message that a killed run may have put and not
// recorded is put again, and reported.
import { BlobAccount } from '../blobs/blob-account.js';
import { BlobReplaced, inOneState } from '../blobs/blob-content.js';
import { type Blob, blobPath } from '../blobs/blob-record.js';
import { BlobWriter, type PutResult } from '../blobs/put-blob.js';
import { type Messages, messageCount, putMessage, type QueueContent } from '../queues/queue-account.js';
import type { Mode, ToolContext } from '../run/context.js';
import type { Address } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { offerSpace } from '../source/space.js';
import {
  addCounts,
  type ContentCounts,
  type ContentJournal,
  type MessageStep,
  NO_COUNTS,
} from './content-journal.js';
import {
  type BlobPlace,
  type ContentInput,
  type InputContainer,
  type InputPage,
  moveContainer,
} from './move-container.js';

class QueueWrite {
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

/** The endpoints of the services that are written to. */
export interface ContentTargets {
  readonly blobs: Endpoint | undefined;
  readonly queues: Endpoint | undefined;
}

interface WriteOptions {
  readonly context: ToolContext;
  readonly mode: Mode;
  /** Whether to delete blobs that the input lacks. */
  readonly mirror?: boolean | undefined;
  readonly journal: ContentJournal | undefined;
}

const ON_EXISTING = { insert: 'compare', skip: 'skip', upsert: 'replace', merge: 'replace' } as const;

/** @throws ToolError */
export async function writeContents(
  { containers = [], queues = [] }: ContentInput,
  { blobs, queues: endpoint }: ContentTargets,
  options: WriteOptions,
): Promise<ContentCounts> {
  const { reporter } = options.context;
  const writes = [
    ...(blobs ? containers.map(container => new ContainerWrite(container, blobs, options)) : []),
    ...(endpoint ? queues.map(queue => new QueueWrite(queue, endpoint, options)) : []),
  ];
  let counts = NO_COUNTS;
  for (const write of writes) {
    reporter.range('begins');
    counts = addCounts(counts, await write.run());
    reporter.range('done');
  }
  return counts;
}

/** The endpoints that are needed. @throws ToolError usage, if the address has none for a service. */
export const targetsOf = (
  { containers, queues }: { readonly containers?: unknown; readonly queues?: unknown },
  target: Address,
  { source }: ToolContext,
): ContentTargets => ({
  blobs: containers ? new Endpoint(target, 'blob', source) : undefined,
  queues: queues ? new Endpoint(target, 'queue', source) : undefined,
});

/** Their part of the last event. */
export const countsTold = (
  { containers, queues }: ContentInput,
  { blobs, messages, deleted }: ContentCounts,
  mirror?: boolean,
): object => ({
  ...(containers !== undefined && { containers: containers.length, blobs }),
  ...(queues !== undefined && { queues: queues.length, messages }),
  ...(containers !== undefined && mirror && { deletedBlobs: deleted }),
});

/** What would be written, a line each. */
export async function tellContents(
  { containers = [], queues = [] }: ContentInput,
  write: (text: string) => Promise<void>,
): Promise<void> {
  for (const { name: container, pages } of containers) {
    let count = 0;
    for await (const { blobs } of pages()) count += blobs.length;
    await write(`${JSON.stringify({ container, blobs: count })}\n`);
  }
  for (const { name, count } of queues)
    await write(`${JSON.stringify({ queue: name, messages: await count() })}\n`);
}

type Kind = PutResult['kind'];

class ContainerWrite implements BlobPlace<Kind> {
  readonly #container: InputContainer;
  readonly #endpoint: Endpoint;
  readonly #options: WriteOptions;
  readonly #writer: BlobWriter;
  #counts: ContentCounts = NO_COUNTS;
  /** All blobs of the input, for a mirror. */
  readonly #names = new Set<string>();

  constructor(container: InputContainer, endpoint: Endpoint, options: WriteOptions) {
    this.#container = container;
    this.#endpoint = endpoint;
    this.#options = options;
    this.#writer = new BlobWriter(endpoint, {
      container: container.name,
      onExisting: ON_EXISTING[options.mode],
      mayContinue: options.journal?.isResumed ?? false,
    });
  }

  /** @throws ToolError */
  async run(): Promise<ContentCounts> {
    const { context, mirror, journal } = this.#options;
    await moveContainer(this.#container, this, context, journal);
    if (mirror) await this.#deleteOthers();
    return this.#counts;
  }

  async begin(): Promise<void> {
    const { context, mode } = this.#options;
    const { name } = this.#container;
    const replaces = ON_EXISTING[mode] === 'replace';
    const offered = await offerSpace(this.#endpoint, 'Container', this.#container, replaces, context.source);
    for (const message of offered.notes) context.reporter.tell('note', { container: name, message });
    if (!offered.differs || mode === 'skip') return;
    context.reporter.tell('conflict', { container: name, reason: 'it has other metadata' });
    this.#add({ conflicts: 1 });
  }

  /** A mirror compares what is there now. */
  has(): boolean {
    return !this.#options.mirror;
  }

  async put(blob: Blob): Promise<Kind | undefined> {
    const result = await this.#putAsItIs(blob);
    if (result === undefined) return undefined;
    const { kind } = result;
    const place = { container: this.#container.name, blob: blob.name };
    const { reporter } = this.#options.context;
    if (kind === 'conflict') reporter.tell(kind, place);
    if (kind === 'refused') reporter.tell(kind, { ...place, reason: result.reason });
    return kind;
  }

  async #putAsItIs(blob: Blob): Promise<PutResult | undefined> {
    try {
      return await inOneState(blob, now => this.#writer.put(now));
    } catch (error) {
      if (blob.again === undefined || !(error instanceof BlobReplaced)) throw error;
      return { kind: 'refused', reason: 'it is replaced again and again while it is read' };
    }
  }

  async endPage({ blobs, skipped }: InputPage, kept: readonly Kind[]): Promise<void> {
    for (const { name } of [...blobs, ...skipped]) this.#names.add(name);
    const countOf = (wanted: Kind): number => kept.filter(kind => kind === wanted).length;
    this.#add({ blobs: kept.length, conflicts: countOf('conflict'), refused: countOf('refused') });
  }

  #add(more: Partial<ContentCounts>): void {
    this.#counts = addCounts(this.#counts, more);
  }

  /** Deletes blobs, with their snapshots, that the input lacks. */
  async #deleteOthers(): Promise<void> {
    const target = new BlobAccount(this.#endpoint);
    const { name: container } = this.#container;
    for await (const { blobs, skipped } of target.pages(container))
      for (const name of new Set([...blobs, ...skipped].map(each => each.name))) {
        if (this.#names.has(name)) continue;
        const sent = {
          method: 'DELETE',
          path: blobPath(container, name),
          headers: { 'x-ms-delete-snapshots': 'include' },
        };
        await this.#endpoint.expect(`the deletion of blob ${name} of ${container}`, sent, 404);
        this.#add({ deleted: 1 });
      }
  }
}
