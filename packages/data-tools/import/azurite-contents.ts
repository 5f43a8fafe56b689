// Queues and containers in an Azurite folder as input of a load. Messages keep the remainder of their lifetime and of
// their invisibility; contents are read when they are written.
import type { AzuriteBlobs, AzuriteContainer } from '../azurite/azurite-blobs.js';
import type { AzuriteQueue, AzuriteQueues } from '../azurite/azurite-queues.js';
import type { AzuritePolicy } from '../azurite/loki-file.js';
import { type Blob, type BlobType, contentHeaders } from '../blobs/blob-record.js';
import type { InputContainer } from '../contents/input.js';
import type { QueueContent, QueueRecord } from '../queues/queue-record.js';
import type { Policy } from '../source/policies.js';

/** Blobs per page: what is journaled together. */
const PAGE_BLOBS = 200;
/** Azurite's value for never. */
const NEVER = Date.UTC(9999, 0);

export const policiesOf = (policies: readonly AzuritePolicy[]): readonly Policy[] =>
  policies.map(({ id, start, expiry, permission }) => ({
    id,
    ...(start && { start }),
    ...(expiry && { expiry }),
    ...(permission && { permission }),
  }));

/** Without its messages. */
export const recordOf = ({ name, metadata, policies }: AzuriteQueue): QueueRecord => ({
  name,
  metadata,
  policies: policiesOf(policies),
});

/** @param now milliseconds since 1970. @throws LokiInvalid, if a content is incomplete. */
export function queueOf(queues: AzuriteQueues, queue: AzuriteQueue, now: number): QueueContent {
  const messages = [...queues.messagesOf(queue, now)].map(({ text, visibleAt, expiresAt }) => ({
    text,
    expires: expiresAt >= NEVER ? null : new Date(expiresAt).toISOString(),
    visible: visibleAt > now ? new Date(visibleAt).toISOString() : null,
  }));
  async function* each(): AsyncGenerator<(typeof messages)[number], void> {
    yield* messages;
  }
  return { ...recordOf(queue), count: messages.length, messages: each };
}

/** Finds damage before the first write. @throws LokiInvalid, if a content is incomplete. */
export function checkContents(blobs: AzuriteBlobs, container: AzuriteContainer): void {
  for (const blob of blobs.blobsOf(container)) blobs.checkContent(blob);
}

export function containerOf(blobs: AzuriteBlobs, container: AzuriteContainer): InputContainer {
  const all = blobs.blobsOf(container).map((blob): Blob => {
    async function* content(): AsyncGenerator<Buffer, void> {
      yield* blobs.contentOf(blob);
    }
    const { name, metadata, headers, tags, tier = null, extents } = blob;
    const bytes = extents.reduce((sum, { count }) => sum + count, 0);
    const type: BlobType = blob.type === 'AppendBlob' ? 'AppendBlob' : 'BlockBlob';
    return {
      name,
      type,
      bytes,
      metadata,
      tags,
      tier,
      headers: contentHeaders(each => headers[each]),
      content,
    };
  });
  const skipped = blobs.skippedOf(container);
  return {
    name: container.name,
    metadata: container.metadata,
    publicAccess: container.publicAccess ?? null,
    policies: policiesOf(container.policies),
    count: all.length,
    pages: async function* (from: string) {
      let at = Number(from);
      do {
        const end = at + PAGE_BLOBS;
        yield {
          blobs: all.slice(at, end),
          skipped: at === 0 ? skipped : [],
          next: end < all.length ? String(end) : undefined,
        };
        at = end;
      } while (at < all.length);
    },
  };
}
