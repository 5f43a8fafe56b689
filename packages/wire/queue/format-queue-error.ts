// Renders a refusal of the Queue service: the document with the lines of request id and time, and what it says besides
// (protocol: errors#forms, errors#details). What it shares with tables is refused as a TableError, and says the same here.
import { QueueError, type QueueErrorCode } from '#queues';
import { formatDateTimeFull, type TableError } from '#tables';
import { escapeXmlText, XML_HEAD } from '../shared/xml.js';
import type { Header } from '../table/answer.js';
import { wireCode } from '../table/error-table.js';
import type { QueueAnswer } from './queue-answer.js';
import { QUEUE_ERROR_TABLE } from './queue-error-table.js';

/** Who is told to come again is told when, as the service's clients expect of 503. */
const RETRY: Header = ['Retry-After', '1'];
const XML_REASON = 'Error parsing Xml content';

const isQueueCode = (code: string): code is QueueErrorCode => Object.hasOwn(QUEUE_ERROR_TABLE, code);

/** What the Table service's parts have refused, as this service has it: codes without a place here are faults of ours. */
export function queueErrorOf(error: QueueError | TableError): QueueError {
  if (error instanceof QueueError) return error;
  const { code, detail } = error;
  const known = isQueueCode(code) ? code : wireCode(code);
  return new QueueError(isQueueCode(known) ? known : 'InternalError', detail);
}

/** A document that is no XML says where; what else is wrong with one is told where Azure's words for it are known. */
function detailOf({ code, detail }: QueueError): QueueError['detail'] {
  if (code !== 'InvalidXmlDocument') return detail;
  const { line = 0, position = 0, shownReason = detail.line === undefined ? '' : XML_REASON } = detail;
  return { line, position, shownReason };
}

function elementsOf(error: QueueError): string {
  const detail = detailOf(error);
  let elements = '';
  for (const [element, name] of QUEUE_ERROR_TABLE[error.code].elements ?? []) {
    const value = detail[name];
    if (value === undefined) continue;
    const text = escapeXmlText(String(value));
    elements += text === '' ? `<${element} />` : `<${element}>${text}</${element}>`;
  }
  return elements;
}

/** Its line of the table, with the values that belong into it. */
const messageOf = ({ code, detail }: QueueError): string =>
  QUEUE_ERROR_TABLE[code].message.replace(/\{(\w+)\}/g, (_, name: string) => String(detail[name] ?? ''));

export function formatQueueError(error: QueueError, requestId: string, now: bigint): QueueAnswer {
  const code = wireCode(error.code);
  const message = messageOf(error);
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
    isAnonymous: error.code === 'InvalidAuthenticationInfo',
  };
}
