// Renders a refusal of the Queue service: the document with the lines of request id and time, and its details
// (protocol: errors#forms, errors#details).
import type { ErrorDetail, ServiceError } from '#account';
import { formatDateTimeFull } from '#base';
import type { QueueErrorCode } from '#queues';
import { type Header, RETRY } from '../shared/answer.js';
import { errorMessage, wireCode } from '../shared/error-table.js';
import { escapeXmlText, XML_HEAD } from '../shared/xml.js';
import type { QueueAnswer } from './queue-answer.js';
import { ERROR_ELEMENTS, QUEUE_ERROR_TABLE } from './queue-error-table.js';

/** Of the domain, or of what all services share. */
type QueueFault = ServiceError<QueueErrorCode>;

const XML_REASON = 'Error parsing Xml content';

/** Malformed XML is reported with its position; other errors of a document only where Azure's text is known. */
function detailOf({ code, detail }: QueueFault): ErrorDetail {
  if (code !== 'InvalidXmlDocument') return detail;
  const { line = 0, position = 0, shownReason = detail.line === undefined ? '' : XML_REASON } = detail;
  return { line, position, shownReason };
}

function elementsOf(error: QueueFault): string {
  const detail = detailOf(error);
  let elements = '';
  for (const [element, name] of ERROR_ELEMENTS[error.code] ?? []) {
    const value = detail[name];
    if (value === undefined) continue;
    const text = escapeXmlText(String(value));
    elements += text === '' ? `<${element} />` : `<${element}>${text}</${element}>`;
  }
  return elements;
}

export function formatQueueError(error: QueueFault, requestId: string, now: bigint): QueueAnswer {
  const code = wireCode(error.code);
  const message = errorMessage(QUEUE_ERROR_TABLE[error.code], error);
  const text = `${message}\nRequestId:${requestId}\nTime:${formatDateTimeFull(now)}`;
  const more: Header[] = error.code === 'ServerBusy' ? [RETRY] : [];
  const { challenge } = error.detail;
  if (challenge !== undefined) more.push(['WWW-Authenticate', String(challenge)]);
  return {
    status: QUEUE_ERROR_TABLE[error.code].status,
    reason: message,
    body: `${XML_HEAD}<Error><Code>${code}</Code><Message>${escapeXmlText(text)}</Message>${elementsOf(error)}</Error>`,
    isRead: false,
    more,
    errorCode: code,
    isAnonymous: code === 'InvalidAuthenticationInfo',
  };
}
