// Targets of the Queue service and the kind of operation: every pair of verb and resource, and what names nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServiceError } from '#account';
import { codesOf } from '#account/testing';
import { parseTarget } from '../shared/target.js';
import { QUEUE_GRAMMAR, type QueueResource, queueOperationKind } from './queue-route.js';

const parse = (target: string) =>
  parseTarget({ target, headers: { host: '127.0.0.1' }, secure: false }, new Set(['a']), QUEUE_GRAMMAR);
const codeOf = codesOf(ServiceError);

test('the path names service, queue, messages or one message', () => {
  const cases: readonly (readonly [path: string, resource: QueueResource])[] = [
    ['', { kind: 'service' }],
    ['/', { kind: 'service' }],
    ['/q-1', { kind: 'queue', queue: 'q-1' }],
    ['/q-1/', { kind: 'queue', queue: 'q-1' }],
    // An escaped slash makes no segment.
    ['/q%2Fmessages', { kind: 'queue', queue: 'q/messages' }],
    ['/q/messages', { kind: 'messages', queue: 'q' }],
    ['/q/messages/', { kind: 'messages', queue: 'q' }],
    ['/q/messages/an%20id', { kind: 'message', queue: 'q', id: 'an id' }],
    ...['//', '/q/other', '/q/messages/a/b', '/q//', '//messages'].map(
      path => [path, { kind: 'invalid' }] as const,
    ),
  ];
  for (const [path, resource] of cases) assert.deepEqual(parse(`/a${path}`).resource, resource, path);
});

test('without an account, or with broken escapes, it is no target', () => {
  for (const target of ['/', '', '/a/%zz', '/a/q?a=%'])
    assert.equal(
      codeOf(() => parse(target)),
      'InvalidUri',
      target,
    );
});

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'MERGE', 'TRACE', 'constructor'];
const WRONG = 'InvalidQueryParameterValue';
const MISSING = 'MissingRequiredQueryParameter';
const MESSAGES = { GET: 'getMessages', POST: 'putMessage', DELETE: 'clearMessages' };

/** By method; `other` is every other method, where it is not the usual refusal. */
const TABLE: readonly (readonly [target: string, kinds: Readonly<Record<string, string>>, other?: string])[] =
  [
    ['/a/?comp=list', { GET: 'listQueues' }],
    ['/a?COMP=List&include=metadata', { GET: 'listQueues' }],
    ['/a/?restype=service&comp=properties', { GET: 'getServiceProperties', PUT: 'setServiceProperties' }],
    ['/a-secondary/?restype=service&comp=stats', { GET: 'getServiceStats' }],
    ['/a/?restype=service&comp=stats', { GET: WRONG }],
    ['/a/?comp=properties', {}, MISSING],
    ['/a/?restype=account&comp=properties', {}, WRONG],
    ['/a/?comp=other', {}, WRONG],
    ['/a/', {}, MISSING],
    ['/a/q', { PUT: 'createQueue', DELETE: 'deleteQueue', GET: MISSING, HEAD: MISSING }],
    ['/a/q?comp=Metadata', { GET: 'getQueueMetadata', HEAD: 'getQueueMetadata', PUT: 'setQueueMetadata' }],
    ['/a/q?comp=acl', { GET: 'getQueueAcl', HEAD: 'getQueueAcl', PUT: 'setQueueAcl' }],
    ['/a/q?comp=list', {}, WRONG],
    ['/a/q/messages', MESSAGES],
    ['/a/q/messages?peekonly=True', { ...MESSAGES, GET: 'peekMessages' }],
    ['/a/q/messages?peekonly=false', MESSAGES],
    ['/a/q/messages/id', { PUT: 'updateMessage', DELETE: 'deleteMessage' }],
    ['/a/q/other', {}, 'InvalidUri'],
  ];

test('method, resource and query name the operation', () => {
  for (const [target, kinds, other = 'UnsupportedHttpVerb'] of TABLE)
    for (const method of METHODS) {
      let kind = '';
      const code = codeOf(() => {
        kind = queueOperationKind(method, parse(target));
      });
      const expected = (Object.hasOwn(kinds, method) ? kinds[method] : undefined) ?? other;
      assert.equal(code === 'none' ? kind : code, expected, `${method} ${target}`);
    }
});
