// Renders a refusal of the Queue service: status, headers and document (protocol: errors#forms, errors#details).
import type { ServiceError } from '#account';
import type { QueueErrorCode } from '#queues';
import { type Header, RETRY } from '../shared/answer.js';
import { errorMessage, wireCode } from '../shared/error-table.js';
import { formatStorageError } from '../shared/storage-error-xml.js';
import { XML_HEAD } from '../shared/xml.js';
import type { QueueAnswer } from './queue-answer.js';
import { ERROR_ELEMENTS, QUEUE_ERROR_TABLE } from './queue-error-table.js';

/** Of the domain, or of what all services share. */
type QueueFault = ServiceError<QueueErrorCode>;

export function formatQueueError(error: QueueFault, requestId: string, now: bigint): QueueAnswer {
  const code = wireCode(error.code);
  const message = errorMessage(QUEUE_ERROR_TABLE[error.code], error);
  const elements = ERROR_ELEMENTS[error.code] ?? [];
  const more: Header[] = error.code === 'ServerBusy' ? [RETRY] : [];
  const { challenge } = error.detail;
  if (challenge !== undefined) more.push(['WWW-Authenticate', String(challenge)]);
  return {
    status: QUEUE_ERROR_TABLE[error.code].status,
    reason: message,
    body: XML_HEAD + formatStorageError(error, { message, elements, requestId, now }),
    isRead: false,
    more,
    errorCode: code,
    isAnonymous: code === 'InvalidAuthenticationInfo',
  };
}
