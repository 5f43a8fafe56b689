// What the page does with queues.
import type {
  DequeuedMessageItem,
  PeekedMessageItem,
  QueueClient,
  QueueSendMessageOptions,
} from '@azure/storage-queue';

const clientOf = async (account: string, name: string): Promise<QueueClient> =>
  (await import('./clients.js')).queueService(account).getQueueClient(name);

export async function listQueues(account: string, signal?: AbortSignal): Promise<readonly string[]> {
  const { queueService } = await import('./clients.js');
  const names: string[] = [];
  for await (const { name } of queueService(account).listQueues(signal && { abortSignal: signal }))
    names.push(name);
  return names;
}

export async function createQueue(account: string, name: string): Promise<void> {
  await (await clientOf(account, name)).create();
}

export async function deleteQueue(account: string, name: string): Promise<void> {
  await (await clientOf(account, name)).delete();
}

/** The service's own count, which it calls approximate. */
export async function messageCount(account: string, name: string, signal?: AbortSignal): Promise<number> {
  const client = await clientOf(account, name);
  return (await client.getProperties(signal && { abortSignal: signal })).approximateMessagesCount ?? 0;
}

export type Message = PeekedMessageItem;
export type TakenMessage = DequeuedMessageItem;

/** What the service returns at most for one request. */
export const MESSAGES_MAX = 32;

export async function peekMessages(account: string, name: string): Promise<readonly Message[]> {
  const client = await clientOf(account, name);
  return (await client.peekMessages({ numberOfMessages: MESSAGES_MAX })).peekedMessageItems;
}

/** Takes messages for a time, after which they are visible again unless they are deleted. */
export async function takeMessages(
  account: string,
  name: string,
  visibilityTimeout: number,
  abortSignal: AbortSignal,
): Promise<readonly TakenMessage[]> {
  const client = await clientOf(account, name);
  const options = { numberOfMessages: MESSAGES_MAX, visibilityTimeout, abortSignal };
  return (await client.receiveMessages(options)).receivedMessageItems;
}

/** @param text as it is stored: encoded already. */
export async function putMessage(
  account: string,
  name: string,
  text: string,
  options?: QueueSendMessageOptions,
): Promise<void> {
  await (await clientOf(account, name)).sendMessage(text, options);
}

export async function deleteMessage(
  account: string,
  name: string,
  { messageId, popReceipt }: TakenMessage,
): Promise<void> {
  await (await clientOf(account, name)).deleteMessage(messageId, popReceipt);
}

/** Makes a taken message visible again. */
export async function releaseMessage(
  account: string,
  name: string,
  { messageId, popReceipt }: TakenMessage,
): Promise<void> {
  await (await clientOf(account, name)).updateMessage(messageId, popReceipt, undefined, 0);
}

export async function clearMessages(account: string, name: string): Promise<void> {
  await (await clientOf(account, name)).clearMessages();
}
