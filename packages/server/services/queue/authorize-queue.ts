// Decides whether a grant covers an operation of the Queue service (protocol: sas#rights-of-queues).
import { type OperationKind, QueueError } from '#queues';
import type { QueueGrant } from '../../auth/grant.js';
import { QUEUE_ACTIONS, ROLES, type Role } from '../../auth/roles.js';

interface Right {
  /** One of these resource types must have been granted to an account's signature. */
  readonly types: string;
  /** And one of these letters. */
  readonly needs: string;
  /** The letter of a queue's signature; undefined where none suffices. */
  readonly ofQueue: string | undefined;
}

const right = (types: string, needs: string, ofQueue?: string): Right => ({ types, needs, ofQueue });

/** `owner`: no signature grants it. For what takes messages away some clients ask for the type of queues. */
const RIGHTS: Readonly<Record<OperationKind, Right | 'owner'>> = {
  listQueues: right('s', 'l'),
  getServiceProperties: right('s', 'r'),
  setServiceProperties: right('s', 'w'),
  getServiceStats: right('s', 'r'),
  createQueue: right('c', 'cw'),
  deleteQueue: right('c', 'd'),
  getQueueMetadata: right('c', 'r', 'r'),
  setQueueMetadata: right('c', 'wc'),
  getQueueAcl: 'owner',
  setQueueAcl: 'owner',
  putMessage: right('o', 'a', 'a'),
  peekMessages: right('o', 'r', 'r'),
  getMessages: right('o', 'p', 'p'),
  updateMessage: right('oc', 'u', 'u'),
  deleteMessage: right('oc', 'p', 'p'),
  clearMessages: right('oc', 'd'),
};

const hasOne = (letters: string, granted: string): boolean =>
  [...letters].some(letter => granted.includes(letter));

function authorizeRoles(roles: readonly Role[], kind: OperationKind): void {
  const actions = QUEUE_ACTIONS[kind];
  if (roles.some(role => ROLES[role].some(action => actions.includes(action)))) return;
  const which = roles.length === 0 ? 'no role' : `none of ${roles.join(', ')}`;
  const reason = `The operation needs the action ${actions.join(' or ')}, which ${which} allows.`;
  throw new QueueError('AuthorizationPermissionMismatch', { reason });
}

function authorizeAccountSas(needed: Right, resourceTypes: string, permission: string): void {
  if (!hasOne(needed.types, resourceTypes)) {
    const reason = `The operation needs the type ${needed.types}, the signature grants ${resourceTypes}.`;
    throw new QueueError('AuthorizationResourceTypeMismatch', { reason });
  }
  checkPermission(needed.needs, permission);
}

function checkPermission(needs: string, granted: string): void {
  if (hasOne(needs, granted)) return;
  const reason = `The operation needs ${[...needs].join(' or ')}, the signature grants ${granted}.`;
  throw new QueueError('AuthorizationPermissionMismatch', { reason });
}

/**
 * A queue's signature was found to be of the queue in the path, so that it need not be compared. Resource type comes before permission.
 *
 * @throws QueueError AuthorizationFailure, AuthorizationResourceTypeMismatch, AuthorizationPermissionMismatch.
 */
export function authorizeQueue(grant: QueueGrant, kind: OperationKind): void {
  if (grant.kind === 'owner') return;
  if (grant.kind === 'bearer') {
    authorizeRoles(grant.roles, kind);
    return;
  }
  const needed = RIGHTS[kind];
  if (needed === 'owner')
    throw new QueueError('AuthorizationFailure', { reason: 'The operation needs a key of the account.' });
  if (grant.kind === 'accountSas') {
    authorizeAccountSas(needed, grant.resourceTypes, grant.permission);
    return;
  }
  if (needed.ofQueue === undefined)
    throw new QueueError('AuthorizationFailure', { reason: 'The signature is for the messages of a queue.' });
  checkPermission(needed.ofQueue, grant.permission);
}
