// Writes queues and containers of an input to an account, several blobs at once. A journal records what is done, so
// that a killed run can be resumed; a blob that is then written again is found to exist.
import { BlobReplaced, READS_MAX } from '../blobs/blob-account.js';
import type { Blob } from '../blobs/blob-record.js';
import { BlobWriter, type PutResult } from '../blobs/put-blob.js';
import { offerContainer } from '../blobs/target-container.js';
import type { ToolContext } from '../run/context.js';
import type { Address } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { addCounts, type ContentCounts, NO_COUNTS, type WriteOptions } from './content-journal.js';
import { inParallel } from './in-parallel.js';
import type { ContentInput, InputContainer } from './input.js';
import { tellSkipped } from './tell-skipped.js';
import { QueueWrite } from './write-queue.js';

const onExistingOf = (mode: WriteOptions['mode']): 'compare' | 'skip' | 'replace' =>
  mode === 'insert' ? 'compare' : mode === 'skip' ? 'skip' : 'replace';

/** @throws ToolError */
export async function writeContents(
  { containers, queues }: ContentInput,
  options: WriteOptions,
): Promise<ContentCounts> {
  const { reporter } = options.context;
  let counts = NO_COUNTS;
  const each = async (write: () => Promise<ContentCounts>): Promise<void> => {
    reporter.range('begins');
    counts = addCounts(counts, await write());
    reporter.range('done');
  };
  const { blobs: blobEndpoint, queues: queueEndpoint } = options;
  if (blobEndpoint !== undefined)
    for (const container of containers ?? [])
      await each(() => new ContainerWrite(container, blobEndpoint, options).run());
  if (queueEndpoint !== undefined)
    for (const queue of queues ?? []) await each(() => new QueueWrite(queue, queueEndpoint, options).run());
  return counts;
}

/** The endpoints that are needed. @throws ToolError usage, if the address has none for a service. */
export function endpointsOf(
  { containers, queues }: ContentInput,
  target: Address,
  { source }: ToolContext,
): Pick<WriteOptions, 'blobs' | 'queues'> {
  return {
    blobs: containers && new Endpoint(target, 'blob', source),
    queues: queues && new Endpoint(target, 'queue', source),
  };
}

/** Their part of the last event. */
export const countsTold = (
  { containers, queues }: ContentInput,
  { blobs, messages }: ContentCounts,
): object => ({
  ...(containers !== undefined && { containers: containers.length, blobs }),
  ...(queues !== undefined && { queues: queues.length, messages }),
});

class ContainerWrite {
  readonly #container: InputContainer;
  readonly #endpoint: Endpoint;
  readonly #options: WriteOptions;
  readonly #writer: BlobWriter;
  #counts: ContentCounts;
  /** Where an earlier run stopped. */
  readonly #place: string;
  readonly #isDone: boolean;
  readonly #doneBlobs: ReadonlySet<string>;

  constructor(container: InputContainer, endpoint: Endpoint, options: WriteOptions) {
    this.#container = container;
    this.#endpoint = endpoint;
    this.#options = options;
    const { name } = container;
    let [place, counts, isDone] = ['', NO_COUNTS, false];
    let done = new Set<string>();
    for (const entry of options.journal?.entries ?? []) {
      if (!('container' in entry) || entry.container !== name) continue;
      if ('blob' in entry) done.add(entry.blob);
      else if ('place' in entry) [place, counts, done] = [entry.place, entry.counts, new Set()];
      else [isDone, counts] = [true, entry.counts];
    }
    [this.#place, this.#counts, this.#isDone, this.#doneBlobs] = [place, counts, isDone, done];
    this.#writer = new BlobWriter(endpoint, {
      container: name,
      onExisting: onExistingOf(options.mode),
      mayContinue: (options.journal?.entries.length ?? 0) > 0,
    });
  }

  async run(): Promise<ContentCounts> {
    if (this.#isDone) return this.#counts;
    const { context, journal, mode, onContainer } = this.#options;
    const { name, pages } = this.#container;
    if (this.#place === '') await this.#offer(mode);
    const names = new Set<string>();
    for await (const { blobs, skipped, next } of pages(onContainer === undefined ? this.#place : '')) {
      tellSkipped(context, name, skipped);
      if (onContainer !== undefined) for (const blob of [...blobs, ...skipped]) names.add(blob.name);
      const open = blobs.filter(blob => !this.#doneBlobs.has(blob.name));
      this.#add({ blobs: blobs.length - open.length });
      await inParallel(open, context.parallel, blob => this.#put(blob));
      if (next !== undefined) journal?.append({ container: name, place: next, counts: this.#counts });
    }
    await onContainer?.(name, names);
    journal?.append({ container: name, isDone: true, counts: this.#counts });
    return this.#counts;
  }

  async #offer(mode: WriteOptions['mode']): Promise<void> {
    const { context } = this.#options;
    const { name } = this.#container;
    const replaces = mode === 'upsert' || mode === 'merge';
    const { notes, differs } = await offerContainer(
      this.#endpoint,
      this.#container,
      replaces,
      context.source,
    );
    for (const message of notes) context.reporter.tell('note', { container: name, message });
    if (!differs || mode === 'skip') return;
    context.reporter.tell('conflict', { container: name, reason: 'it has other metadata' });
    this.#add({ conflicts: 1 });
  }

  #add(more: Partial<ContentCounts>): void {
    this.#counts = addCounts(this.#counts, { ...NO_COUNTS, ...more });
  }

  /** Undefined if it is gone. A blob that is replaced during a read is read again. */
  async #putAsItIs(blob: Blob): Promise<PutResult | undefined> {
    let now: Blob | undefined = blob;
    for (let reads = 0; reads < READS_MAX && now !== undefined; reads++) {
      try {
        return await this.#writer.put(now);
      } catch (error) {
        if (!(error instanceof BlobReplaced)) throw error;
        now = await now.again?.();
      }
    }
    if (now === undefined) return undefined;
    return { kind: 'refused', reason: 'it is replaced again and again while it is read' };
  }

  async #put(blob: Blob): Promise<void> {
    const { context, journal } = this.#options;
    context.source.signal?.throwIfAborted();
    const result = await this.#putAsItIs(blob);
    if (result === undefined) return;
    const { name: container } = this.#container;
    if (result.kind === 'conflict') context.reporter.tell('conflict', { container, blob: blob.name });
    if (result.kind === 'refused')
      context.reporter.tell('refused', { container, blob: blob.name, reason: result.reason });
    this.#add({
      blobs: 1,
      conflicts: result.kind === 'conflict' ? 1 : 0,
      refused: result.kind === 'refused' ? 1 : 0,
    });
    if (result.kind === 'done') journal?.append({ container, blob: blob.name });
    context.reporter.rows(0);
  }
}
