// The Queue service's error table: status and text of every code, and the elements that follow the text
// (protocol: errors#codes-of-queues, errors#details). Codes that all services share have their status and text in
// ../shared/error-table.ts. format-queue-error.ts decides the form.
import type { QueueErrorCode } from '#queues';
import { CHALLENGE, type ErrorElements, type ErrorTable, SHARED_ERRORS } from '../shared/error-table.js';
import { STORAGE_ELEMENTS } from '../shared/storage-error-xml.js';

export const QUEUE_ERROR_TABLE: ErrorTable<QueueErrorCode> = {
  ...SHARED_ERRORS,
  EmptyMetadataKey: {
    status: 400,
    message: 'The key for one of the metadata key-value pairs is empty.',
  },
  InternalError: {
    status: 500,
    message: 'Server encountered an internal error. Please try again after some time.',
  },
  InvalidMarker: { status: 400, message: 'The specified marker is invalid.' },
  InvalidMetadata: {
    status: 400,
    message: 'The metadata specified is invalid. It has characters that are not permitted.',
  },
  MessageNotFound: { status: 404, message: 'The specified message does not exist.' },
  MetadataTooLarge: {
    status: 400,
    message: 'The metadata specified exceeds the maximum allowed limit (8KB).',
  },
  MissingRequiredQueryParameter: {
    status: 400,
    message: "A query parameter that's mandatory for this request is not specified.",
  },
  NoAuthenticationInformation: { status: 401, message: CHALLENGE },
  OutOfRangeQueryParameterValue: {
    status: 400,
    message: 'One of the query parameters specified in the request URI is outside the permissible range.',
  },
  PopReceiptMismatch: {
    status: 400,
    message: 'The specified pop receipt did not match the pop receipt for a dequeued message.',
  },
  QueueAlreadyExists: { status: 409, message: 'The specified queue already exists.' },
  QueueBeingDeleted: { status: 409, message: 'The specified queue is being deleted.' },
  QueueNotFound: { status: 404, message: 'The specified queue does not exist.' },
  UnsupportedHttpVerb: {
    status: 405,
    message: "The resource doesn't support specified Http Verb.",
  },
};

/** The elements after the text, by the names of the details. */
export const ERROR_ELEMENTS: Readonly<Partial<Record<QueueErrorCode, ErrorElements>>> = STORAGE_ELEMENTS;
