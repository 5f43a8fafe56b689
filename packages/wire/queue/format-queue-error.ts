// Renders a refusal of the Queue service: status, headers and document (protocol: errors#forms, errors#details), with the table of its codes
// (protocol: errors#codes-of-queues). Codes that all services share have their status and text in ../shared/error-table.ts.
import type { ServiceError } from '#account';
import type { QueueErrorCode } from '#queues';
import { type Header, RETRY } from '../shared/answer.js';
import {
  type ErrorElements,
  type ErrorTable,
  errorMessage,
  SHARED_ERRORS,
  STORAGE_ERRORS,
  wireCode,
  withStatus,
} from '../shared/error-table.js';
import { type StorageAnswer, storageAnswer } from '../shared/storage-answer.js';
import { formatStorageError, STORAGE_ELEMENTS } from '../shared/storage-error-xml.js';
import { XML_HEAD } from '../shared/xml.js';

/** Of the domain, or of what all services share. */
type QueueFault = ServiceError<QueueErrorCode>;

export function formatQueueError(error: QueueFault, requestId: string, now: bigint): StorageAnswer<string> {
  const code = wireCode(error.code);
  const message = errorMessage(QUEUE_ERROR_TABLE[error.code], error);
  const elements = ELEMENTS[error.code] ?? [];
  const more: Header[] = error.code === 'ServerBusy' ? [RETRY] : [];
  const { challenge } = error.detail;
  if (challenge !== undefined) more.push(['WWW-Authenticate', String(challenge)]);
  return storageAnswer(QUEUE_ERROR_TABLE[error.code].status, {
    reason: message,
    body: XML_HEAD + formatStorageError(error, { message, elements, requestId, now }),
    more,
    errorCode: code,
    hidesVersion: code === 'InvalidAuthenticationInfo',
  });
}

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

/** The elements after the text, by the names of the details. */
const ELEMENTS: Readonly<Partial<Record<QueueErrorCode, ErrorElements>>> = STORAGE_ELEMENTS;
