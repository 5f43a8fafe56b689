// Calls as requests: method, path below the account and body, written by hand as by a client without a library.
import type { QueueCall } from './call.js';

export interface QueueRequest {
  readonly method: string;
  /** Below the account, with the query. */
  readonly path: string;
  readonly body: string;
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const message = (text: string): string =>
  `<QueueMessage><MessageText>${escaped(text)}</MessageText></QueueMessage>`;

const one = (id: string, receipt: string): string =>
  `messages/${id}?popreceipt=${encodeURIComponent(receipt)}`;

export function queueRequest(call: QueueCall): QueueRequest {
  const { queue } = call;
  switch (call.kind) {
    case 'createQueue':
      return { method: 'PUT', path: queue, body: '' };
    case 'deleteQueue':
      return { method: 'DELETE', path: queue, body: '' };
    case 'clear':
      return { method: 'DELETE', path: `${queue}/messages`, body: '' };
    case 'put': {
      const { delay, life, text } = call;
      const query = `visibilitytimeout=${delay}&messagettl=${life ?? -1}`;
      return { method: 'POST', path: `${queue}/messages?${query}`, body: message(text) };
    }
    case 'get': {
      const query = `numofmessages=${call.count}&visibilitytimeout=${call.seconds}`;
      return { method: 'GET', path: `${queue}/messages?${query}`, body: '' };
    }
    case 'peek':
      return { method: 'GET', path: `${queue}/messages?peekonly=true&numofmessages=${call.count}`, body: '' };
    case 'update': {
      const path = `${queue}/${one(call.id, call.receipt)}&visibilitytimeout=${call.seconds}`;
      return { method: 'PUT', path, body: call.text === undefined ? '' : message(call.text) };
    }
    case 'delete':
      return { method: 'DELETE', path: `${queue}/${one(call.id, call.receipt)}`, body: '' };
  }
}
