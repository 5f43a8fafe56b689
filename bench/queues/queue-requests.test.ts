// The requests of the queue workloads, and which answers they refuse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deleteMessage, getMessage, messageOf, putMessage, requireStatus, textOf } from './queue-requests.js';

const ENDPOINT = { port: 10001, account: 'bench', signature: 'sig=x' };

const answer = (status: number, body: string) => ({ status, head: '', body: Buffer.from(body) });

const list = (text: string): string =>
  `<QueueMessagesList><QueueMessage><MessageId>i</MessageId><PopReceipt>a+b=</PopReceipt><MessageText>${text}</MessageText></QueueMessage></QueueMessagesList>`;

test('a put announces the length of its body', () => {
  const [head = '', body = ''] = putMessage(ENDPOINT, 'q', 7, 60).split('\r\n\r\n');
  assert.match(head, /^POST \/bench\/q\/messages\?messagettl=60&sig=x HTTP\/1\.1\r\n/);
  assert.match(head, new RegExp(`\r\nContent-Length: ${Buffer.byteLength(body)}$`));
  assert.equal(body, `<QueueMessage><MessageText>${textOf(7)}</MessageText></QueueMessage>`);
});

test('a message that was got can be deleted', () => {
  const message = messageOf(answer(200, list(textOf(7))));
  assert.equal(message.text, textOf(7));
  assert.match(getMessage(ENDPOINT, 'q'), /^GET \/bench\/q\/messages\?numofmessages=1&/);
  assert.match(
    deleteMessage(ENDPOINT, 'q', message),
    /^DELETE \/bench\/q\/messages\/i\?popreceipt=a%2Bb%3D&/,
  );
});

test('answers that are wrong', () => {
  assert.throws(() => requireStatus(answer(503, 'busy'), 201), /status 503: busy/);
  assert.throws(() => messageOf(answer(404, 'gone')), /status 404/);
  assert.throws(() => messageOf(answer(200, '<QueueMessagesList/>')), /no message/);
  assert.throws(() => messageOf(answer(200, list(`${textOf(7)}x`))), /another text/);
});
