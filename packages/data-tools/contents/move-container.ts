// Queues and containers as input, from a dump, an Azurite folder, or another account; and how the blobs of a container
// move from there to a place, several at once. The journal records each finished blob, so that a killed run can be
// resumed.
import { type Blob, type ContainerRecord, isSkipped, type SkippedBlob } from '../blobs/blob-record.js';
import type { QueueContent } from '../queues/queue-account.js';
import type { ToolContext } from '../run/context.js';
import { inParallel } from '../run/in-parallel.js';
import { inPages } from '../source/row-source.js';
import type { ContentJournal } from './content-journal.js';

export interface InputContainer extends ContainerRecord {
  readonly blobs: () => Iterable<Blob | SkippedBlob> | AsyncIterable<Blob | SkippedBlob>;
}

export interface ContentInput {
  /** Undefined if the input cannot have any, such as a file of one table. */
  readonly queues?: readonly QueueContent[] | undefined;
  readonly containers?: readonly InputContainer[] | undefined;
}

/** As a list of Azure's has. */
const PAGE_BLOBS = 1000;

/** Where the blobs of one container go: an account, or a dump. What is kept of a blob is JSON. */
export interface BlobPlace<Kept> {
  /** Undefined if the blob is gone. */
  put(blob: Blob): Promise<Kept | undefined>;
  /** Whether a blob that an earlier run put is still there. */
  has(blob: Blob, kept: Kept): boolean;
}

interface MovedPage<Kept> {
  /** Of all blobs, including skipped ones. */
  readonly names: readonly string[];
  readonly kept: readonly Kept[];
  readonly skipped: number;
}

/** Yields each page whose blobs are all put, in the order of the container. Does not repeat what an earlier run has done. @throws ToolError */
export async function* movedPages<Kept>(
  { name: container, blobs }: InputContainer,
  place: BlobPlace<Kept>,
  { parallel, reporter, source }: ToolContext,
  journal: ContentJournal | undefined,
): AsyncGenerator<MovedPage<Kept>, void> {
  const done = journal?.blobs(container) as ReadonlyMap<string, Kept> | undefined;
  for await (const page of inPages<Blob | SkippedBlob>(blobs(), PAGE_BLOBS)) {
    const skipped = page.filter(isSkipped);
    // None is skipped silently.
    for (const { name: blob, reason } of skipped) {
      const message = `Blob ${blob} of ${container} is skipped: ${reason}.`;
      reporter.tell('note', { container, blob, message });
    }
    const kept = new Map<string, Kept>();
    const taken = page.flatMap(each => (isSkipped(each) ? [] : each));
    await inParallel(taken, parallel, async blob => {
      source.signal?.throwIfAborted();
      const known = done?.get(blob.name);
      const isThere = known !== undefined && place.has(blob, known);
      const put = isThere ? known : await place.put(blob);
      if (put === undefined) return;
      kept.set(blob.name, put);
      if (!isThere) journal?.append({ container, blob: blob.name, kept: put });
      reporter.rows(0);
    });
    yield {
      names: page.map(({ name }) => name),
      // A snapshot, which is skipped, has the name of its blob.
      kept: taken.flatMap(({ name }) => kept.get(name) ?? []),
      skipped: skipped.length,
    };
  }
}
