// Queues of an account over the wire. Messages can be read in one way only, by taking them: Get Messages hides each for
// a while, and Update Message makes it visible again. Peek Messages shows only 32.
import { escapeXml } from '#wire';
import { type Endpoint, errorOf, failureOf } from '../source/endpoint.js';
import { listSpaces, recordOf, type SpaceRecord } from '../source/space.js';
import { documentOf, textIn } from '../source/xml-list.js';

export interface Message {
  readonly text: string;
  /** When it expires, as a time; null for never. */
  readonly expires: string | null;
  /** Hidden until this time; null if visible. */
  readonly visible: string | null;
}

/** The messages of a queue, in order. */
export interface Messages {
  readonly count: number;
  readonly all: Iterable<Message> | AsyncIterable<Message>;
}

/** A queue as input: of a dump, an Azurite folder, or another account. */
export interface QueueContent extends SpaceRecord {
  readonly count: () => Promise<number>;
  /** Null if messages are left out. */
  readonly read: () => Promise<Messages | null>;
}

/** A queue whose messages are stored, or left out. */
export const storedQueue = (record: SpaceRecord, messages: Messages | null): QueueContent => ({
  ...record,
  count: async () => messages?.count ?? 0,
  read: async () => messages,
});

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

/** Makes a message visible again; false if another client has taken it since, or it has expired. */
export async function giveBack(
  endpoint: Endpoint,
  queue: string,
  { id, receipt }: Pick<TakenMessage, 'id' | 'receipt'>,
): Promise<boolean> {
  const sent = {
    method: 'PUT',
    path: `/${queue}/messages/${encodeURIComponent(id)}`,
    query: { popreceipt: receipt, visibilitytimeout: '0' },
  };
  const what = `the change of a message of queue ${queue}`;
  const { status, isRepeated } = await endpoint.expect(what, sent, 404, 400);
  // An attempt whose answer was lost changed the receipt.
  return status < 300 || isRepeated;
}

/** Characters that XML 1.0 does not allow, so no client could have put them. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

type PutMessage =
  /** `maybeTwice` if an earlier attempt may have put it: messages have no keys to ask for. */
  | { readonly kind: 'done' | 'maybeTwice' | 'expired' }
  | { readonly kind: 'refused'; readonly reason: string };

/** Puts a message with the remainder of its lifetime. @throws ToolError */
export async function putMessage(
  endpoint: Endpoint,
  queue: string,
  { text, expires, visible }: Message,
  now: number,
): Promise<PutMessage> {
  const secondsTo = (time: string): number => Math.ceil((Date.parse(time) - now) / 1000);
  const life = expires === null ? -1 : secondsTo(expires);
  if (expires !== null && life <= 0) return { kind: 'expired' };
  if (NO_XML.test(text)) return { kind: 'refused', reason: 'its text has characters that XML cannot carry' };
  const hidden = visible === null ? 0 : Math.min(HIDDEN_SECONDS_MAX, Math.max(0, secondsTo(visible)));
  if (life !== -1 && hidden >= life) return { kind: 'expired' };
  const { status, value, isRepeated } = await endpoint.send({
    method: 'POST',
    path: `/${queue}/messages`,
    query: { visibilitytimeout: String(hidden), messagettl: String(life) },
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="utf-8"?><QueueMessage><MessageText>${escapeXml(text)}</MessageText></QueueMessage>`,
    read: answer => ({
      code: errorOf(answer).code,
      failure: failureOf(endpoint, `a message for queue ${queue}`, answer),
    }),
  });
  if (status < 300) return { kind: isRepeated ? 'maybeTwice' : 'done' };
  if (status === 400 || status === 413) return { kind: 'refused', reason: `${status} ${value.code}`.trim() };
  throw value.failure;
}
