// The entry point of the Queue service's domain: runs an operation on a store.
import { executeSettings } from '#account';
import type { Clock } from '#base';
import type { Operation } from './operation.js';
import { getMessages } from './operations/get-messages.js';
import { deleteMessage, updateMessage } from './operations/leased-message.js';
import { peekMessages } from './operations/peek-messages.js';
import { putMessage } from './operations/put-message.js';
import {
  clearMessages,
  createQueue,
  deleteQueue,
  getQueueAcl,
  getQueueMetadata,
  listQueues,
  setQueueAcl,
  setQueueMetadata,
} from './operations/queues.js';
import type { Outcome } from './outcome.js';
import type { QueueContext } from './queue-space.js';

/** Fails with QueueError where Azure refuses, with StoreError where the engine fails. */
export function execute(operation: Operation, context: QueueContext, clock: Clock): Promise<Outcome> {
  switch (operation.kind) {
    case 'putMessage':
      return putMessage(context, operation);
    case 'getMessages':
      return getMessages(context, operation, clock);
    case 'deleteMessage':
      return deleteMessage(context, operation);
    case 'updateMessage':
      return updateMessage(context, operation);
    case 'peekMessages':
      return peekMessages(context, operation, clock);
    case 'clearMessages':
      return clearMessages(context, operation);
    case 'listQueues':
      return listQueues(context, operation);
    case 'createQueue':
      return createQueue(context, operation);
    case 'deleteQueue':
      return deleteQueue(context, operation);
    case 'getQueueMetadata':
      return getQueueMetadata(context, operation);
    case 'setQueueMetadata':
      return setQueueMetadata(context, operation);
    case 'getQueueAcl':
      return getQueueAcl(context, operation);
    case 'setQueueAcl':
      return setQueueAcl(context, operation);
    case 'getServiceProperties':
    case 'setServiceProperties':
    case 'getServiceStats':
      return executeSettings(operation, context, 'queue', clock);
  }
}
