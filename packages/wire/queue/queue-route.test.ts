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

test('without an account, or with broken escapes, it is no target', () => {
  for (const target of ['/', '', '/acc/%zz', '/acc/q?a=%'])
    assert.throws(
      () => parse(target),
      error => error instanceof ServiceError && error.code === 'InvalidUri',
      target,
    );
});
