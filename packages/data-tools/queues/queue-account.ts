// Queues of an account, read over the wire. Messages can be read in one way only, by taking them: Get Messages hides
// each for a while, and Update Message makes it visible again. Peek Messages shows only 32.
import { type Endpoint, failureOf } from '../source/endpoint.js';
import { listSpaces, recordOf, type SpaceRecord } from '../source/space.js';
import { documentOf, textIn } from '../source/xml-list.js';
import type { Message } from './queue-record.js';

/** A taken message, with what is needed to return it. */
export interface TakenMessage extends Message {
  readonly id: string;
  readonly receipt: string;
}

/** Messages of one Get Messages at most (docs/protocol/messages.md). */
const TAKEN_MAX = 32;
/** The longest that a message may be hidden (docs/protocol/messages.md). */
export const HIDDEN_SECONDS_MAX = 604_800;
/** Azure's value for never. */
const NEVER_YEAR = 9999;

export async function queuesOf(endpoint: Endpoint): Promise<readonly SpaceRecord[]> {
  const found: SpaceRecord[] = [];
  for await (const element of listSpaces(endpoint, 'Queue'))
    found.push(await recordOf(endpoint, 'Queue', element));
  return found;
}

/** The approximate number of messages, including hidden ones; 0 if there is no such queue. */
export async function messageCount(endpoint: Endpoint, queue: string): Promise<number> {
  const sent = { method: 'HEAD', path: `/${queue}`, query: { comp: 'metadata' } };
  const { headers } = await endpoint.expect(`the properties of queue ${queue}`, sent, 404);
  return Number(headers['x-ms-approximate-messages-count'] ?? 0);
}

const expiryOf = (text: string): string | null => {
  const time = new Date(text);
  return time.getUTCFullYear() >= NEVER_YEAR ? null : time.toISOString();
};

interface TakenMessages {
  readonly messages: readonly TakenMessage[];
  /** Whether an earlier answer was lost: its messages are hidden anyway. */
  readonly isRepeated: boolean;
}

/** Takes some messages, which are hidden from then on for this many seconds; none if none is visible. */
export async function takeMessages(
  endpoint: Endpoint,
  queue: string,
  seconds: number,
): Promise<TakenMessages> {
  const { value, isRepeated } = await endpoint.send({
    method: 'GET',
    path: `/${queue}/messages`,
    query: { numofmessages: String(TAKEN_MAX), visibilitytimeout: String(seconds) },
    read: answer => {
      if (answer.status !== 200) throw failureOf(endpoint, `the messages of queue ${queue}`, answer);
      return documentOf(answer).children.map(element => ({
        id: textIn(element, 'MessageId'),
        receipt: textIn(element, 'PopReceipt'),
        text: textIn(element, 'MessageText'),
        expires: expiryOf(textIn(element, 'ExpirationTime')),
        visible: null,
      }));
    },
  });
  return { messages: value, isRepeated };
}

type Receipt = Pick<TakenMessage, 'id' | 'receipt'>;

/** Ends in 404 or 400 if another client has taken the message since, or it has expired. */
function update(endpoint: Endpoint, queue: string, { id, receipt }: Receipt, seconds: number) {
  const sent = {
    method: 'PUT',
    path: `/${queue}/messages/${encodeURIComponent(id)}`,
    query: { popreceipt: receipt, visibilitytimeout: String(seconds) },
  };
  return endpoint.expect(`the change of a message of queue ${queue}`, sent, 404, 400);
}

/**
 * Hides a message for this many seconds from now; returns the new receipt, or undefined if another client has taken it
 * since, or it has expired.
 */
export async function hold(
  endpoint: Endpoint,
  queue: string,
  message: Receipt,
  seconds: number,
): Promise<string | undefined> {
  const { status, headers } = await update(endpoint, queue, message, seconds);
  return status < 300 ? String(headers['x-ms-popreceipt']) : undefined;
}

/** Makes a message visible again; false if another client has taken it since, or it has expired. */
export async function giveBack(endpoint: Endpoint, queue: string, message: Receipt): Promise<boolean> {
  const { status, isRepeated } = await update(endpoint, queue, message, 0);
  // An attempt whose answer was lost changed the receipt.
  return status < 300 || isRepeated;
}
