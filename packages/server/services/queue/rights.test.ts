// Which grant covers which operation of the Queue service (protocol: sas#rights-of-queues). The official client's tokens are asked in
// test/scenarios/slow/queue-sas.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OperationKind } from '#queues';
import { authorize } from '../../auth/authorize.js';
import type { Grant } from '../../auth/grant.js';
import type { Role } from '../../auth/roles.js';
import { QUEUE_SERVICE } from './queue-service.js';

const KINDS = Object.keys(QUEUE_SERVICE.rights) as OperationKind[];
const ACCOUNT_NEEDS: Readonly<Record<string, readonly (readonly [type: string, letters: string])[]>> = {
  listQueues: [['s', 'l']],
  getServiceProperties: [['s', 'r']],
  setServiceProperties: [['s', 'w']],
  getServiceStats: [['s', 'r']],
  createQueue: [['c', 'cw']],
  deleteQueue: [['c', 'd']],
  getQueueMetadata: [['c', 'r']],
  setQueueMetadata: [['c', 'wc']],
  getQueueAcl: [],
  setQueueAcl: [],
  putMessage: [['o', 'a']],
  peekMessages: [['o', 'r']],
  getMessages: [['o', 'p']],
  updateMessage: [
    ['o', 'u'],
    ['c', 'u'],
  ],
  deleteMessage: [
    ['o', 'p'],
    ['c', 'p'],
  ],
  clearMessages: [
    ['o', 'd'],
    ['c', 'd'],
  ],
};

function outcome(grant: Grant, kind: OperationKind): string {
  try {
    authorize(QUEUE_SERVICE, grant, kind, 'q');
    return 'ok';
  } catch (error) {
    assert.ok(error instanceof Error);
    return error.message;
  }
}

const allowed = (grant: Grant): string[] => KINDS.filter(kind => outcome(grant, kind) === 'ok');

test('the owner may do everything', () => {
  assert.deepEqual(allowed({ kind: 'owner' }), KINDS);
});

test("an account's signature by one type and one letter", () => {
  for (const resourceTypes of 'sco')
    for (const permission of 'rwdlacup') {
      const expected = KINDS.filter(kind =>
        ACCOUNT_NEEDS[kind]?.some(
          ([type, letters]) => type === resourceTypes && letters.includes(permission),
        ),
      );
      assert.deepEqual(
        allowed({ kind: 'accountSas', resourceTypes, permission }),
        expected,
        resourceTypes + permission,
      );
    }
});

test('the type is missed before the letter', () => {
  const grant = { kind: 'accountSas', resourceTypes: 's', permission: 'r' } as const;
  assert.equal(outcome(grant, 'putMessage'), 'AuthorizationResourceTypeMismatch');
  assert.equal(outcome(grant, 'listQueues'), 'AuthorizationPermissionMismatch');
  assert.equal(outcome(grant, 'getQueueAcl'), 'AuthorizationFailure');
});

test("a queue's signature is for its messages and their count", () => {
  const by = (permission: string) =>
    allowed({ kind: 'serviceSas', resource: 'q', permission, range: undefined });
  assert.deepEqual(by('r'), ['getQueueMetadata', 'peekMessages']);
  assert.deepEqual(by('a'), ['putMessage']);
  assert.deepEqual(by('u'), ['updateMessage']);
  assert.deepEqual(by('p'), ['getMessages', 'deleteMessage']);
  const grant = { kind: 'serviceSas', resource: 'q', permission: 'raup', range: undefined } as const;
  assert.equal(outcome(grant, 'clearMessages'), 'AuthorizationFailure');
});

test('roles', () => {
  const by = (...roles: Role[]) => allowed({ kind: 'bearer', roles, version: '' });
  const messages = [
    'putMessage',
    'getMessages',
    'peekMessages',
    'updateMessage',
    'deleteMessage',
    'clearMessages',
  ];
  const queues = ['listQueues', 'createQueue', 'deleteQueue', 'getQueueMetadata', 'setQueueMetadata'];
  assert.deepEqual(by('Storage Queue Data Reader'), ['listQueues', 'getQueueMetadata', 'peekMessages']);
  assert.deepEqual(by('Storage Queue Data Message Sender'), ['putMessage']);
  assert.deepEqual(by('Storage Queue Data Message Processor'), [
    'getMessages',
    'peekMessages',
    'deleteMessage',
  ]);
  assert.deepEqual(by('Storage Queue Data Contributor'), [...queues, ...messages]);
  assert.deepEqual(by('Storage Account Contributor'), KINDS);
  assert.deepEqual(by('Storage Table Data Contributor'), []);
  assert.deepEqual(by(), []);
});
