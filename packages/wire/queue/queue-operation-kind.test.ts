// The kind of operation: every pair of verb and resource, and invalid ones.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueError } from '#queues';
import { parseTarget } from '../shared/target.js';
import { QUEUE_GRAMMAR, queueOperationKind } from './queue-route.js';

const METHODS = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'MERGE', 'TRACE', 'constructor'];

function outcomeOf(method: string, target: string): string {
  const route = parseTarget(
    { target, headers: { host: '127.0.0.1' }, secure: false },
    new Set(),
    QUEUE_GRAMMAR,
  );
  try {
    return queueOperationKind(method, route);
  } catch (error) {
    assert(error instanceof QueueError);
    return error.code;
  }
}

/** By method; `other` is every other method, where it is not the usual refusal. */
const TABLE: readonly (readonly [target: string, kinds: Readonly<Record<string, string>>, other?: string])[] =
  [
    ['/a/?comp=list', { GET: 'listQueues' }],
    ['/a?COMP=List&include=metadata', { GET: 'listQueues' }],
    ['/a/?restype=service&comp=properties', { GET: 'getServiceProperties', PUT: 'setServiceProperties' }],
    ['/a-secondary/?restype=service&comp=stats', { GET: 'getServiceStats' }],
    ['/a/?restype=service&comp=stats', { GET: 'InvalidQueryParameterValue' }],
    ['/a/?comp=properties', {}, 'MissingRequiredQueryParameter'],
    ['/a/?restype=account&comp=properties', {}, 'InvalidQueryParameterValue'],
    ['/a/?comp=other', {}, 'InvalidQueryParameterValue'],
    ['/a/', {}, 'MissingRequiredQueryParameter'],
    [
      '/a/q',
      {
        PUT: 'createQueue',
        DELETE: 'deleteQueue',
        GET: 'MissingRequiredQueryParameter',
        HEAD: 'MissingRequiredQueryParameter',
      },
    ],
    ['/a/q?comp=Metadata', { GET: 'getQueueMetadata', HEAD: 'getQueueMetadata', PUT: 'setQueueMetadata' }],
    ['/a/q?comp=acl', { GET: 'getQueueAcl', HEAD: 'getQueueAcl', PUT: 'setQueueAcl' }],
    ['/a/q?comp=list', {}, 'InvalidQueryParameterValue'],
    ['/a/q/messages', { GET: 'getMessages', POST: 'putMessage', DELETE: 'clearMessages' }],
    ['/a/q/messages?peekonly=True', { GET: 'peekMessages', POST: 'putMessage', DELETE: 'clearMessages' }],
    ['/a/q/messages?peekonly=false', { GET: 'getMessages', POST: 'putMessage', DELETE: 'clearMessages' }],
    ['/a/q/messages/id', { PUT: 'updateMessage', DELETE: 'deleteMessage' }],
    ['/a/q/other', {}, 'InvalidUri'],
  ];

test('method, resource and query name the operation', () => {
  for (const [target, kinds, other = 'UnsupportedHttpVerb'] of TABLE)
    for (const method of METHODS)
      assert.equal(
        outcomeOf(method, target),
        (Object.hasOwn(kinds, method) ? kinds[method] : undefined) ?? other,
        `${method} ${target}`,
      );
});
