// The Queue service's REST operations that the page uses.
import { type Asked, ask } from './ask.js';
import { elementsAt, escapeXml, parseXml, textAt } from './xml.js';

const queueAsk = (account: string, asked: Omit<Asked, 'account' | 'service'>): Promise<Response> =>
  ask({ account, service: 'queue', ...asked });

export async function listQueues(account: string, signal?: AbortSignal): Promise<readonly string[]> {
  const names: string[] = [];
  let marker: string | undefined;
  do {
    const response = await queueAsk(account, { path: '/', query: { comp: 'list', marker }, signal });
    const root = parseXml(await response.text());
    names.push(...elementsAt(root, 'Queues', 'Queue').map(queue => textAt(queue, 'Name')));
    marker = textAt(root, 'NextMarker') || undefined;
  } while (marker !== undefined);
  return names;
}

export async function createQueue(account: string, name: string): Promise<void> {
  await queueAsk(account, { method: 'PUT', path: `/${name}` });
}

export async function deleteQueue(account: string, name: string): Promise<void> {
  await queueAsk(account, { method: 'DELETE', path: `/${name}` });
}

/** The service's own count, which it calls approximate. */
export async function messageCount(account: string, name: string, signal?: AbortSignal): Promise<number> {
  const response = await queueAsk(account, { path: `/${name}`, query: { comp: 'metadata' }, signal });
  return Number(response.headers.get('x-ms-approximate-messages-count') ?? 0);
}

export interface Message {
  readonly id: string;
  readonly text: string;
  readonly inserted: string;
  readonly expires: string;
  readonly dequeueCount: number;
  /** Undefined for a message that was only peeked. */
  readonly popReceipt: string | undefined;
}

const messagesIn = (text: string): readonly Message[] =>
  elementsAt(parseXml(text), 'QueueMessage').map(message => ({
    id: textAt(message, 'MessageId'),
    text: textAt(message, 'MessageText'),
    inserted: textAt(message, 'InsertionTime'),
    expires: textAt(message, 'ExpirationTime'),
    dequeueCount: Number(textAt(message, 'DequeueCount')),
    popReceipt: textAt(message, 'PopReceipt') || undefined,
  }));

/** What the service returns at most for one request. */
export const MESSAGES_MAX = 32;

export async function peekMessages(
  account: string,
  name: string,
  signal?: AbortSignal,
): Promise<readonly Message[]> {
  const query = { peekonly: 'true', numofmessages: String(MESSAGES_MAX) };
  const response = await queueAsk(account, { path: `/${name}/messages`, query, signal });
  return messagesIn(await response.text());
}

/** Takes messages for a time, after which they are visible again unless they are deleted. */
export async function takeMessages(
  account: string,
  name: string,
  { count, seconds }: { readonly count: number; readonly seconds: number },
  signal?: AbortSignal,
): Promise<readonly Message[]> {
  const query = { numofmessages: String(count), visibilitytimeout: String(seconds) };
  const response = await queueAsk(account, { path: `/${name}/messages`, query, signal });
  return messagesIn(await response.text());
}

interface NewMessage {
  /** As it is stored: encoded already. */
  readonly text: string;
  readonly delaySeconds?: number;
  /** -1 for never. */
  readonly lifetimeSeconds?: number;
}

export async function putMessage(
  account: string,
  name: string,
  { text, delaySeconds, lifetimeSeconds }: NewMessage,
): Promise<void> {
  await queueAsk(account, {
    method: 'POST',
    path: `/${name}/messages`,
    query: { visibilitytimeout: delaySeconds?.toString(), messagettl: lifetimeSeconds?.toString() },
    headers: { 'content-type': 'application/xml' },
    body: `<QueueMessage><MessageText>${escapeXml(text)}</MessageText></QueueMessage>`,
  });
}

export async function deleteMessage(
  account: string,
  name: string,
  { id, popReceipt }: Message,
): Promise<void> {
  await queueAsk(account, {
    method: 'DELETE',
    path: `/${name}/messages/${id}`,
    query: { popreceipt: popReceipt },
  });
}

/** Makes a taken message visible again. */
export async function releaseMessage(
  account: string,
  name: string,
  { id, popReceipt }: Message,
): Promise<void> {
  await queueAsk(account, {
    method: 'PUT',
    path: `/${name}/messages/${id}`,
    query: { popreceipt: popReceipt, visibilitytimeout: '0' },
  });
}

export async function clearMessages(account: string, name: string): Promise<void> {
  await queueAsk(account, { method: 'DELETE', path: `/${name}/messages` });
}
