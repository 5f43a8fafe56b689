// The Queue service as a value: what the request frame has to know of it, and the way of an operation from the known caller to its answer.
// The order of the steps is the order in which Azure reports what is wrong (protocol: requests#order-of-checks).

import { ServiceError } from '#account';
import type { WireRequest } from '#base';
import {
  checkQueueName,
  execute,
  type OperationKind,
  openQueue,
  partitionOf,
  type QueueContext,
  QueueError,
  type QueueErrorCode,
  queueAddress,
  readQueueIdentifiers,
  Sweep,
} from '#queues';
import { parseQueueSas, type StorageAnswer, storageAnswer, storageStringsToSign } from '#wire';
import {
  formatQueueError,
  formatQueueOutcome,
  formatQueueResponse,
  parseQueueOperation,
  QUEUE_GRAMMAR,
  type QueueResource,
  type QueueRoute,
  queueOf,
  queueOperationKind,
} from '#wire/queue';
import type { AuthorizationProtocol } from '../../auth/auth-protocol.js';
import { CHALLENGE_VERSION } from '../../auth/authenticate.js';
import { authorize } from '../../auth/authorize.js';
import type { Grant } from '../../auth/grant.js';
import { BackgroundSteps, sweepFailed } from '../../frame/background-steps.js';
import { leaveToOwner } from '../../frame/hand-over.js';
import { checkBody } from '../../frame/handle-request.js';
import type { ServerContext } from '../../frame/server-context.js';
import type { RequestContext, ServiceProtocol } from '../../frame/service-protocol.js';
import { QUEUE_RIGHTS, QUEUE_ROLES } from './rights.js';

type QueueRequest = RequestContext<QueueResource, OperationKind>;

/** What a refusal names as the limit of a body: that of a message's text. */
const TEXT_BYTES_MAX = 65_536;

/** What commits to the partition of a queue's messages. */
const ON_MESSAGES: ReadonlySet<OperationKind> = new Set([
  'putMessage',
  'getMessages',
  'updateMessage',
  'deleteMessage',
]);

const AUTHORIZATION: AuthorizationProtocol<OperationKind> = {
  rights: QUEUE_RIGHTS,
  roles: QUEUE_ROLES,
  sasScope: () => 'The signature is for the messages of a queue.',
};

/**
 * Errors of the body: a missing queue takes precedence over them (protocol: requests#order-of-checks). But a message that is no XML
 * is refused before the queue is looked for, as recorded.
 */
const isOfBody = (error: unknown, kind: OperationKind): boolean =>
  error instanceof ServiceError &&
  (error.code === 'RequestBodyTooLarge' || (error.code.startsWith('InvalidXml') && kind !== 'putMessage'));

/** What a secondary endpoint answers. A get hides messages, so it is none. */
const isRead = (kind: OperationKind, { method }: WireRequest): boolean =>
  kind !== 'getMessages' && (method === 'GET' || method === 'HEAD');

async function run(
  kind: OperationKind,
  route: QueueRoute,
  grant: Grant,
  exchange: QueueRequest,
): Promise<StorageAnswer<string>> {
  const { request, server } = exchange;
  if (route.secondary && !isRead(kind, request)) throw new QueueError('InsufficientAccountPermissions');
  if (grant.kind !== 'owner') authorize(AUTHORIZATION, grant, kind, queueOf(route));
  const { store, newId: ids, deletion } = server;
  const context: QueueContext = { store, account: route.account, ids, deletion };
  if ('queue' in route.resource) checkQueueName(route.resource.queue);
  try {
    checkBody(request, TEXT_BYTES_MAX);
    const operation = parseQueueOperation(kind, request, route);
    if (server.forwarding !== undefined && ON_MESSAGES.has(kind))
      await leaveToOwner(exchange, {
        address: queueAddress(route.account, queueOf(route)),
        grant,
        partition: partitionOf,
      });
    return formatQueueOutcome(await execute(operation, context, server.clock), route);
  } catch (error) {
    if (isOfBody(error, kind) && 'queue' in route.resource && kind !== 'createQueue')
      await openQueue(context, queueOf(route));
    throw error;
  }
}

export const QUEUE_SERVICE: ServiceProtocol<
  QueueResource,
  OperationKind,
  QueueErrorCode,
  StorageAnswer<string>
> = {
  ...AUTHORIZATION,
  name: 'queue',
  letter: 'q',
  refusesBodyFirst: false,
  grammar: QUEUE_GRAMMAR,
  since: '',
  kindOf: ({ method }, route) => queueOperationKind(method, route),

  stringsToSign: storageStringsToSign,
  signedResource: route => `${route.account}/${queueOf(route)}`,
  parseSas: (query, route) => parseQueueSas(query, route.account, queueOf(route)),
  readPolicies: (store, account, queue) => readQueueIdentifiers({ store, account }, queue),
  /** Newer versions get a challenge, older ones ResourceNotFound (protocol: authentication#no-credentials). */
  refuseAnonymous: ({ headers }, challenge) => {
    const reason = 'There are no credentials.';
    return (headers['x-ms-version'] ?? '') >= CHALLENGE_VERSION
      ? new QueueError('NoAuthenticationInformation', { challenge, reason })
      : new QueueError('ResourceNotFound', { reason });
  },

  run,
  formatPreflight: more => storageAnswer(200, { more }),
  formatError: (error, { requestId, now }) => formatQueueError(error, requestId, now),
  formatResponse: formatQueueResponse,
};

/** Deletes what has expired while the server runs. */
export function startQueueSweep(server: ServerContext): BackgroundSteps {
  const { store, clock, accounts } = server;
  const sweep = new Sweep({ store, clock, accounts: () => accounts.names });
  return new BackgroundSteps(sweep, sweepFailed('queue', server));
}
