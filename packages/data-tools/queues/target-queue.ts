// Puts a message into a queue.
import { escapeXml } from '#wire';
import { type Endpoint, errorOf, failureOf } from '../source/endpoint.js';
import { HIDDEN_SECONDS_MAX } from './queue-account.js';
import type { Message } from './queue-record.js';

/** Characters that XML 1.0 does not allow, so no client could have put them. */
const NO_XML = /[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

export type PutMessage =
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
