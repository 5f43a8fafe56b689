// Writes queues and containers of an input to an account. Of a queue the messages are written one after the other, to
// keep their order. Messages have no keys, so existing ones cannot be distinguished from new ones: a queue that has
// messages gets none in a mode that leaves existing data alone. The message that a killed run may have put and not
// recorded is put again, and reported.
import { BlobAccount } from '../blobs/blob-account.js';
import { BlobReplaced, inOneState } from '../blobs/blob-content.js';
import { type Blob, blobPath, isSkipped } from '../blobs/blob-record.js';
import { BlobWriter, type PutResult } from '../blobs/put-blob.js';
import { type Messages, messageCount, putMessage, type QueueContent } from '../queues/queue-account.js';
import type { Mode, ToolContext } from '../run/context.js';
import type { Address } from '../source/address.js';
import { Endpoint } from '../source/endpoint.js';
import { offerSpace, type SpaceKind } from '../source/space.js';
import type { ContentJournal, MessageStep } from './content-journal.js';
import { type BlobPlace, type ContentInput, type InputContainer, movedPages } from './move-container.js';

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

interface ContentCounts {
  blobs: number;
  messages: number;
  conflicts: number;
  refused: number;
  /** Blobs that a mirror deleted. */
  deleted: number;
}

/** One that is written, with the counts of all. */
interface Write extends WriteOptions {
  readonly endpoint: Endpoint;
  readonly counts: ContentCounts;
}

const ON_EXISTING = { insert: 'compare', skip: 'skip', upsert: 'replace', merge: 'replace' } as const;

/** @throws ToolError */
export async function writeContents(
  { containers = [], queues = [] }: ContentInput,
  targets: ContentTargets,
  options: WriteOptions,
): Promise<ContentCounts> {
  const { reporter } = options.context;
  const counts: ContentCounts = { blobs: 0, messages: 0, conflicts: 0, refused: 0, deleted: 0 };
  const each = async <T>(
    all: readonly T[],
    endpoint: Endpoint | undefined,
    write: (one: T, to: Write) => Promise<void>,
  ): Promise<void> => {
    if (endpoint === undefined) return;
    for (const one of all) {
      reporter.range('begins');
      await write(one, { ...options, endpoint, counts });
      reporter.range('done');
    }
  };
  await each(containers, targets.blobs, writeContainer);
  await each(queues, targets.queues, writeQueue);
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
  { write }: ToolContext,
): Promise<void> {
  for (const { name: container, blobs } of containers) {
    let count = 0;
    for await (const blob of blobs()) if (!isSkipped(blob)) count++;
    await write(`${JSON.stringify({ container, blobs: count })}\n`);
  }
  for (const { name, count } of queues)
    await write(`${JSON.stringify({ queue: name, messages: await count() })}\n`);
}

/** Creates the queue or container where it is missing; reports what differs. */
async function offer(
  kind: SpaceKind,
  space: QueueContent | InputContainer,
  { endpoint, context, mode, counts }: Write,
): Promise<void> {
  const { source, reporter } = context;
  const replaces = ON_EXISTING[mode] === 'replace';
  const { notes, differs } = await offerSpace(endpoint, kind, space, replaces, source);
  const place = { [kind.toLowerCase()]: space.name };
  for (const message of notes) reporter.tell('note', { ...place, message });
  if (!differs || mode === 'skip') return;
  reporter.tell('conflict', { ...place, reason: 'it has other metadata' });
  counts.conflicts++;
}

async function writeContainer(container: InputContainer, write: Write): Promise<void> {
  const { endpoint, context, mirror, journal, counts } = write;
  await offer('Container', container, write);
  /** All blobs of the input, for a mirror. */
  const names = new Set<string>();
  for await (const page of movedPages(container, blobsAt(container.name, write), context, journal)) {
    for (const name of page.names) names.add(name);
    counts.blobs += page.kept.length;
    counts.conflicts += page.kept.filter(kind => kind === 'conflict').length;
    counts.refused += page.kept.filter(kind => kind === 'refused').length;
  }
  if (mirror) counts.deleted += await deleteOthers(endpoint, container.name, names);
}

type Kind = PutResult['kind'];

function blobsAt(container: string, { endpoint, context, mode, mirror, journal }: Write): BlobPlace<Kind> {
  const { reporter } = context;
  const writer = new BlobWriter(endpoint, {
    container,
    onExisting: ON_EXISTING[mode],
    mayContinue: journal?.isResumed ?? false,
  });
  const putAsItIs = async (blob: Blob): Promise<PutResult | undefined> => {
    try {
      return await inOneState(blob, now => writer.put(now));
    } catch (error) {
      if (blob.again === undefined || !(error instanceof BlobReplaced)) throw error;
      return { kind: 'refused', reason: 'it is replaced again and again while it is read' };
    }
  };
  return {
    // A mirror compares what is there now.
    has: () => !mirror,
    async put(blob) {
      const result = await putAsItIs(blob);
      const place = { container, blob: blob.name };
      if (result?.kind === 'conflict') reporter.tell('conflict', place);
      if (result?.kind === 'refused') reporter.tell('refused', { ...place, reason: result.reason });
      return result?.kind;
    },
  };
}

/** Deletes blobs, with their snapshots, that the input lacks; returns how many. */
async function deleteOthers(
  endpoint: Endpoint,
  container: string,
  names: ReadonlySet<string>,
): Promise<number> {
  const deleted = new Set<string>();
  for await (const { name } of new BlobAccount(endpoint).blobs(container)) {
    if (names.has(name) || deleted.has(name)) continue;
    const sent = {
      method: 'DELETE',
      path: blobPath(container, name),
      headers: { 'x-ms-delete-snapshots': 'include' },
    };
    await endpoint.expect(`the deletion of blob ${name} of ${container}`, sent, 404);
    deleted.add(name);
  }
  return deleted.size;
}

async function writeQueue(queue: QueueContent, write: Write): Promise<void> {
  const { name } = queue;
  const { endpoint, context, mode, journal, counts } = write;
  await offer('Queue', queue, write);
  const messages = await queue.read();
  const earlier = journal?.messages(name) ?? [];
  const isOccupied =
    earlier.length === 0 &&
    ON_EXISTING[mode] !== 'replace' &&
    messages !== null &&
    messages.count > 0 &&
    (await messageCount(endpoint, name)) > 0;
  if (messages !== null && !isOccupied) return putAll(name, messages, earlier, write);
  if (!isOccupied || mode !== 'insert') return;
  const reason = 'it has messages: those that came with it were not put';
  context.reporter.tell('conflict', { queue: name, reason });
  counts.conflicts++;
}

/** @param earlier what an earlier run did; empty if none had begun. */
async function putAll(
  queue: string,
  { all }: Messages,
  earlier: readonly MessageStep[],
  { endpoint, context, journal, counts }: Write,
): Promise<void> {
  const { reporter, source } = context;
  const [begun, ...done] = earlier;
  // From now on the queue may have messages of this run.
  if (begun === undefined) journal?.append({ queue, message: 'begun' });
  let [place, maybeTwice] = [0, 0];
  const steps: MessageStep[] = [];
  for await (const message of all) {
    const known = done[place++];
    if (known !== undefined) {
      steps.push(known);
      continue;
    }
    source.signal?.throwIfAborted();
    const put = await putMessage(endpoint, queue, message, Date.now());
    if (put.kind === 'refused') reporter.tell('refused', { queue, message: place, reason: put.reason });
    const isAgain = begun !== undefined && place - 1 === done.length;
    if (put.kind === 'maybeTwice' || (put.kind === 'done' && isAgain)) maybeTwice++;
    const step = put.kind === 'refused' || put.kind === 'expired' ? put.kind : 'put';
    steps.push(step);
    journal?.append({ queue, message: step });
    reporter.rows(0);
  }
  const countOf = (wanted: MessageStep): number => steps.filter(step => step === wanted).length;
  counts.messages += countOf('put');
  counts.refused += countOf('refused');
  const note = (message: string): void => reporter.tell('note', { queue, message });
  const expired = countOf('expired');
  if (expired > 0) note(`${expired} messages of queue ${queue} have expired and were not put.`);
  if (maybeTwice > 0)
    note(
      `A run was killed or answers were lost, and queue ${queue} cannot tell what it had taken: up to ${maybeTwice} messages may be there twice.`,
    );
}
