// Puts a message into a queue.
import { escapeXml } from '#wire';
import { type Endpoint, errorOf, failureOf } from '../source/endpoint.js';
import type { ToolError } from '../source/tool-error.js';
import type { Answer } from '../source/transport.js';
import { documentOf, textIn } from '../source/xml-list.js';
import type { KnownMessages } from './known-messages.js';
import { HIDDEN_SECONDS_MAX } from './queue-account.js';
import type { Message } from './queue-record.js';

/** Characters that XML 1.0 does not allow, so no client could have put them. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

export type PutMessage =
  | { readonly kind: 'expired' }
  /** With its id, if the answer had it. */
  | { readonly kind: 'done' | 'maybeTwice'; readonly id: string | undefined }
  | { readonly kind: 'refused'; readonly reason: string };

const idIn = (answer: Pick<Answer, 'body'>): string | undefined => {
  try {
    const [element] = documentOf(answer).children;
    return (element && textIn(element, 'MessageId')) || undefined;
  } catch {
    // It was put: an incomplete answer is no reason to put it again.
    return undefined;
  }
};

/**
 * Puts a message with the remainder of its lifetime. If the answer is lost, looks whether the message is already there,
 * if possible (known-messages.ts). @throws ToolError
 */
export async function putMessage(
  endpoint: Endpoint,
  queue: string,
  message: Message,
  now: number,
  known: KnownMessages,
): Promise<PutMessage> {
  const { text, expires, visible } = message;
  const secondsTo = (time: string): number => Math.ceil((Date.parse(time) - now) / 1000);
  const life = expires === null ? -1 : secondsTo(expires);
  if (expires !== null && life <= 0) return { kind: 'expired' };
  if (NO_XML.test(text)) return { kind: 'refused', reason: 'its text has characters that XML cannot carry' };
  const hidden = visible === null ? 0 : Math.min(HIDDEN_SECONDS_MAX, Math.max(0, secondsTo(visible)));
  if (life !== -1 && hidden >= life) return { kind: 'expired' };
  let isUnknown = false;
  const { status, value } = await endpoint.send<{
    id?: string | undefined;
    failure?: ToolError;
    code: string;
  }>({
    method: 'POST',
    path: `/${queue}/messages`,
    query: { visibilitytimeout: String(hidden), messagettl: String(life) },
    headers: { 'content-type': 'application/xml' },
    body: `<?xml version="1.0" encoding="utf-8"?><QueueMessage><MessageText>${escapeXml(text)}</MessageText></QueueMessage>`,
    read: answer => ({
      ...errorOf(answer),
      ...(answer.status < 300
        ? { id: idIn(answer) }
        : { failure: failureOf(endpoint, `a message for queue ${queue}`, answer) }),
    }),
    findOut: async () => {
      const found = await known.find(message, now);
      if (found === 'unknown') isUnknown = true;
      return typeof found === 'string' ? undefined : { id: found.id, code: '' };
    },
  });
  if (status < 300) return { kind: isUnknown ? 'maybeTwice' : 'done', id: value.id };
  if (status === 400 || status === 413) return { kind: 'refused', reason: `${status} ${value.code}`.trim() };
  throw value.failure;
}
