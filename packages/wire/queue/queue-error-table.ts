// The Queue service's error table: status and text of every code, and the elements that follow the text
// (protocol: errors#codes-of-queues, errors#details). Codes that all services share have their status and text in
// ../shared/error-table.ts. format-queue-error.ts decides the form.
import type { QueueErrorCode } from '#queues';
import { type ErrorElements, type ErrorTable, SHARED_ERRORS, STORAGE_ERRORS } from '../shared/error-table.js';
import { STORAGE_ELEMENTS } from '../shared/storage-error-xml.js';

export const QUEUE_ERROR_TABLE: ErrorTable<QueueErrorCode> = {
  ...SHARED_ERRORS,
  ...STORAGE_ERRORS,
  MessageNotFound: { status: 404, message: 'The specified message does not exist.' },
  PopReceiptMismatch: {
    status: 400,
    message: 'The specified pop receipt did not match the pop receipt for a dequeued message.',
  },
  QueueAlreadyExists: { status: 409, message: 'The specified queue already exists.' },
  QueueBeingDeleted: { status: 409, message: 'The specified queue is being deleted.' },
  QueueNotFound: { status: 404, message: 'The specified queue does not exist.' },
};

/** The elements after the text, by the names of the details. */
export const ERROR_ELEMENTS: Readonly<Partial<Record<QueueErrorCode, ErrorElements>>> = STORAGE_ELEMENTS;
