// Queues and containers of an account as input for another one. Messages are taken before (taken-queue.ts).
import type { BlobAccount, ListedBlob } from '../blobs/blob-account.js';
import type { Blob, ContainerRecord } from '../blobs/blob-record.js';
import type { QueueContent, QueueRecord } from '../queues/queue-record.js';
import type { InputContainer, InputPage } from './input.js';
import type { TakenQueue } from './taken-queue.js';

function blobOf(account: BlobAccount, container: string, listed: ListedBlob): Blob {
  return {
    ...listed,
    content: () => account.pieces(container, listed),
    again: async () => {
      const now = await account.again(container, listed.name);
      return now && blobOf(account, container, now);
    },
  };
}

export function containerInput(account: BlobAccount, container: ContainerRecord): InputContainer {
  async function* pages(from: string): AsyncGenerator<InputPage, void> {
    for (let marker: string | undefined = from; marker !== undefined; ) {
      const { blobs, skipped, next } = await account.page(container.name, marker);
      yield { blobs: blobs.map(blob => blobOf(account, container.name, blob)), skipped, next };
      marker = next;
    }
  }
  return { ...container, count: undefined, pages };
}

/** With messages that are already taken. */
export function queueInput(queue: QueueRecord, taken: TakenQueue | undefined): QueueContent {
  if (taken === undefined) return { ...queue, count: 0, messages: null };
  const { messages } = taken;
  async function* all() {
    yield* messages;
  }
  return { ...queue, count: messages.length, messages: all };
}
