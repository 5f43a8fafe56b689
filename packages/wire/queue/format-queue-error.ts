// The refusals of the Queue service: the table of its codes (protocol: errors#codes-of-queues). Codes that all services share have their
// status and text in ../shared/error-table.ts, and ../shared/storage-error-xml.ts has the form.
import type { ServiceError } from '#account';
import type { QueueErrorCode } from '#queues';
import { type ErrorTable, SHARED_ERRORS, STORAGE_ERRORS, withStatus } from '../shared/error-table.js';
import { STORAGE_ELEMENTS, storageErrorAnswer } from '../shared/storage-error-xml.js';
import type { StorageAnswer } from '../shared/storage-exchange.js';

export const QUEUE_ERROR_TABLE: ErrorTable<QueueErrorCode> = {
  ...SHARED_ERRORS,
  ...STORAGE_ERRORS,
  ...withStatus(400, {
    PopReceiptMismatch: 'The specified pop receipt did not match the pop receipt for a dequeued message.',
  }),
  ...withStatus(404, {
    MessageNotFound: 'The specified message does not exist.',
    QueueNotFound: 'The specified queue does not exist.',
  }),
  ...withStatus(409, {
    QueueAlreadyExists: 'The specified queue already exists.',
    QueueBeingDeleted: 'The specified queue is being deleted.',
  }),
};

export const formatQueueError = (
  error: ServiceError<QueueErrorCode>,
  requestId: string,
  now: bigint,
): StorageAnswer<string> =>
  storageErrorAnswer(error, { table: QUEUE_ERROR_TABLE, elements: STORAGE_ELEMENTS, requestId, now });
