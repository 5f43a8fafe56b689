// What the Queue service's operations need: of signatures of accounts and queues, and of roles (protocol: sas#rights-of-queues,
// authentication#roles).
import type { OperationKind } from '#queues';
import { type AuthorizationProtocol, ofOwner, type Right, right } from '../../auth/auth-protocol.js';

/** Below `Microsoft.Storage/storageAccounts/queueServices/`. */
type Action =
  | 'read'
  | 'write'
  | 'queues/read'
  | 'queues/write'
  | 'queues/delete'
  | 'queues/acl'
  | 'queues/messages/read'
  | 'queues/messages/write'
  | 'queues/messages/delete'
  | 'queues/messages/add'
  | 'queues/messages/process';

const POLICIES = ofOwner<Action>('queues/acl');

/**
 * The right to write messages includes adding them, the right to process them includes deleting. To take messages some clients ask for
 * the type of queues.
 */
export const QUEUE_RIGHTS: Readonly<Record<OperationKind, Right<Action>>> = {
  listQueues: right('s', 'l', ['queues/read']),
  createQueue: right('c', 'cw', ['queues/write']),
  deleteQueue: right('c', 'd', ['queues/delete']),
  getQueueMetadata: right('c', 'r', ['queues/read'], 'r'),
  setQueueMetadata: right('c', 'wc', ['queues/write']),
  getQueueAcl: POLICIES,
  setQueueAcl: POLICIES,
  putMessage: right('o', 'a', ['queues/messages/add', 'queues/messages/write'], 'a'),
  getMessages: right('o', 'p', ['queues/messages/process'], 'p'),
  peekMessages: right('o', 'r', ['queues/messages/read'], 'r'),
  updateMessage: right('oc', 'u', ['queues/messages/write'], 'u'),
  deleteMessage: right('oc', 'p', ['queues/messages/process', 'queues/messages/delete'], 'p'),
  clearMessages: right('oc', 'd', ['queues/messages/delete']),
  getServiceProperties: right('s', 'r', ['read']),
  setServiceProperties: right('s', 'w', ['write']),
  getServiceStats: right('s', 'r', ['read']),
};

const READER: readonly Action[] = ['queues/read', 'queues/messages/read'];

export const QUEUE_ROLES: AuthorizationProtocol['roles'] = {
  'Storage Queue Data Reader': READER,
  'Storage Queue Data Contributor': [
    ...READER,
    'queues/write',
    'queues/delete',
    'queues/messages/write',
    'queues/messages/delete',
    'queues/messages/add',
    'queues/messages/process',
  ],
  'Storage Queue Data Message Processor': ['queues/messages/read', 'queues/messages/process'],
  'Storage Queue Data Message Sender': ['queues/messages/add'],
} satisfies Readonly<Record<string, readonly Action[]>>;
