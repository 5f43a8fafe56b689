// The questions of a queue: to put a message, to move or clear all, to delete one.
import { counted } from '../../model/cell.js';
import { encodeMessage, originOf } from '../../model/message-text.js';
import { type Place, queueOf } from '../client/account.js';
import { deletePeeked, moveMessages } from '../client/take-messages.js';
import { ask, confirming } from '../shell/dialog.js';
import type { Asked } from '../shell/field.js';
import { notify } from '../state/notice.js';
import { namesOf } from '../state/resources.js';

const PUT: readonly Asked[] = [
  { name: 'text', label: 'Text', rows: 8, inputKind: 'mono' },
  { name: 'encoding', label: '', kind: 'boxes', options: [['base64', 'Encode in base64']] },
  {
    ...{ name: 'delay', label: 'Visible after', kind: 'inline-field', inputKind: 'short', first: '0' },
    isRight: text => /^\d{1,6}$/.test(text),
    hint: 'seconds',
  },
  {
    ...{ name: 'lifetime', label: 'Kept', kind: 'inline-field', first: '604800' },
    options: [
      ['3600', 'an hour'],
      ['86400', 'a day'],
      ['604800', '7 days'],
      ['-1', 'for ever'],
    ],
  },
];

/** @param again reads the queue again. */
export function put(queue: Place, again: () => void): void {
  ask({
    title: 'Put a message',
    action: 'Put message',
    isWide: true,
    fields: PUT,
    perform: async ({ text = '', encoding, delay, lifetime }) => {
      const stored = encodeMessage({ text, encoding: encoding === 'base64' ? encoding : 'text' });
      const times = { visibilityTimeout: Number(delay), messageTimeToLive: Number(lifetime) };
      await (await queueOf(queue)).sendMessage(stored, times);
      notify('Put the message.');
      again();
    },
  });
}

/** From a poison queue back to where they came from, unless another is chosen. */
export function move(queue: Place, count: number, again: () => void): void {
  const { name } = queue;
  const others = namesOf('queue').filter(each => each !== name);
  const origin = originOf(name);
  ask({
    title: origin === undefined ? 'Move messages' : 'Redrive messages',
    action: others.length === 0 ? undefined : 'Move',
    text:
      others.length === 0 ? (
        <p>There is no other queue in this account: create one first.</p>
      ) : (
        <p class="hint">
          Each message is put there before it is deleted here: after a failure one may be in both, none is
          lost.
        </p>
      ),
    fields: [
      {
        ...{ name: 'to', label: 'To the queue', options: others.map(each => [each, each] as const) },
        first: others.find(each => each === origin) ?? others[0] ?? '',
      },
      {
        ...{ name: 'most', label: 'At most so many messages', inputKind: 'short' },
        first: String(Math.max(1, count)),
        isRight: text => /^[1-9]\d{0,8}$/.test(text),
        hint: `About ${counted(count, 'message')} in ${name}.`,
      },
    ],
    progress: ({ to }) => ({ verb: 'Moved', unit: ['message', 'messages', `to ${to}`] }),
    perform: async ({ to = '', most }, { signal, change }) => {
      const total = Number(most);
      change({ total });
      await moveMessages({ from: queue, to, count: total }, signal, done => change({ done })).finally(again);
    },
  });
}

export function clear(queue: Place, again: () => void): void {
  const { name } = queue;
  ask({
    title: `Clear ${name}?`,
    action: 'Clear the queue',
    isDanger: true,
    text: <p>All of its messages go. There is no way back.</p>,
    fields: confirming(name),
    perform: async () => {
      await (await queueOf(queue)).clearMessages();
      notify('Cleared the queue.');
      again();
    },
  });
}

export function remove(queue: Place, id: string, again: () => void): void {
  ask({
    title: 'Delete this message?',
    action: 'Delete',
    isDanger: true,
    text: <p>The messages before it are taken for a moment, and count as dequeued once more.</p>,
    perform: async () => {
      if (await deletePeeked(queue, id)) notify('Deleted the message.');
      else notify('The message is no longer at the head of the queue: another reader has it.', 'failed');
      again();
    },
  });
}
