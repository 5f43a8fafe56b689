// Targets of the Queue service: both styles of addresses, the secondary, and what names nothing.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { parseTarget } from '../shared/target.js';
import { QUEUE_GRAMMAR } from './queue-route.js';

const ACCOUNTS = new Set(['acc']);
const parse = (target: string, host = '127.0.0.1:10001') =>
  parseTarget({ target, headers: { host }, secure: false }, ACCOUNTS, QUEUE_GRAMMAR);
const resourceOf = (path: string) => parse(`/acc${path}`).resource;

test('the path names service, queue, messages or one message', () => {
  assert.deepEqual(resourceOf(''), { kind: 'service' });
  assert.deepEqual(resourceOf('/'), { kind: 'service' });
  assert.deepEqual(resourceOf('/q-1'), { kind: 'queue', queue: 'q-1' });
  assert.deepEqual(resourceOf('/q-1/'), { kind: 'queue', queue: 'q-1' });
  assert.deepEqual(resourceOf('/q/messages'), { kind: 'messages', queue: 'q' });
  assert.deepEqual(resourceOf('/q/messages/'), { kind: 'messages', queue: 'q' });
  assert.deepEqual(resourceOf('/q/messages/an%20id'), { kind: 'message', queue: 'q', id: 'an id' });
});

test('everything else is invalid', () => {
  for (const path of ['//', '/q/other', '/q/messages/a/b', '/q//', '//messages'])
    assert.deepEqual(resourceOf(path), { kind: 'invalid' }, path);
});

test('an escaped slash makes no segment', () => {
  assert.deepEqual(resourceOf('/q%2Fmessages'), { kind: 'queue', queue: 'q/messages' });
});

test('path style: account and secondary stand in the path', () => {
  const route = parse('/acc-secondary/q?comp=metadata');
  assert.equal(route.account, 'acc');
  assert.equal(route.secondary, true);
  assert.equal(route.path, '/acc-secondary/q');
  assert.equal(route.endpoint, 'http://127.0.0.1:10001/acc-secondary');
  assert.deepEqual([...route.query], [['comp', 'metadata']]);
});

test('host style: they stand in the host', () => {
  const route = parse('/q/messages?peekonly=true', 'acc-secondary.queue.example:10001');
  assert.equal(route.account, 'acc');
  assert.equal(route.secondary, true);
  assert.equal(route.path, '/q/messages');
  assert.equal(route.endpoint, 'http://acc-secondary.queue.example:10001');
  assert.deepEqual(route.resource, { kind: 'messages', queue: 'q' });
  assert.deepEqual(parse('/', 'acc.queue.example').resource, { kind: 'service' });
});

test('over TLS the address says so', () => {
  const target = { target: '/acc/q', headers: { host: 'there:10001' }, secure: true };
  assert.equal(parseTarget(target, ACCOUNTS, QUEUE_GRAMMAR).endpoint, 'https://there:10001/acc');
});

test('the absolute form is legal', () => {
  const route = parse('http://127.0.0.1:10001/acc/q?comp=acl');
  assert.equal(route.path, '/acc/q');
  assert.deepEqual(route.resource, { kind: 'queue', queue: 'q' });
});

test('without an account, or with broken escapes, it is no target', () => {
  for (const target of ['/', '', '/acc/%zz', '/acc/q?a=%'])
    assert.throws(
      () => parse(target),
      error => error instanceof ServiceError && error.code === 'InvalidUri',
      target,
    );
});
