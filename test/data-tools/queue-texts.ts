// The texts of numbered messages, and those that are visible in a queue.
import type { QueueClient } from '@azure/storage-queue';

export const textsOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, i) => `m${i}`).sort();

/** All visible ones; they are hidden from then on. */
export async function visibleIn(queue: QueueClient, visibilityTimeout: number): Promise<readonly string[]> {
  const texts: string[] = [];
  for (;;) {
    const { receivedMessageItems } = await queue.receiveMessages({ numberOfMessages: 32, visibilityTimeout });
    if (receivedMessageItems.length === 0) return texts.sort();
    texts.push(...receivedMessageItems.map(({ messageText }) => messageText));
  }
}
