// The Queue service's calls over a connection.
import type { Wire } from '../histories/ledger.js';
import { accountSas } from '../simulation/run/signing.js';
import type { RawRequest } from '../support/raw-client.js';
import { readQueueAnswer } from './answer.js';
import { nameIn, type QueueAnswer, type QueueCall, type QueueHappening } from './call.js';
import { queueRequest } from './request.js';

function rawQueueRequest(call: QueueCall): RawRequest {
  const { method, path, body } = queueRequest(call);
  const target = `/devstoreaccount1/${path}${path.includes('?') ? '&' : '?'}${accountSas('q')}`;
  return { method, target, headers: {}, body, sign: 'none' };
}

function shown(call: QueueCall): string {
  switch (call.kind) {
    case 'put':
      return `put ${nameIn(call.text)} (${call.text.length}) in ${call.delay} for ${call.life}`;
    case 'get':
      return `get ${call.count} for ${call.seconds}`;
    case 'update':
      return `update ${call.id} ${call.receipt} for ${call.seconds}${call.text === undefined ? '' : ` ${nameIn(call.text)}`}`;
    case 'delete':
      return `delete ${call.id} ${call.receipt}`;
    default:
      return call.kind;
  }
}

export const QUEUE_WIRE: Wire<QueueCall, QueueAnswer, QueueHappening> = {
  name: 'queue',
  more: {},
  isWrite: ({ kind }) => kind !== 'peek',
  send: (sender, call) => sender.request(rawQueueRequest(call)),
  read: (call, { status, headers, body }) => {
    const header = (name: string) => (headers[name] === undefined ? undefined : String(headers[name]));
    return readQueueAnswer(call, { status, header, body });
  },
  show: shown,
};
