// A refusal of the Blob and Queue services: status, headers, and the document with code, text, the lines of request id and time, and its details
// (protocol: errors#forms, errors#details). Status and text stand in each service's table.
import type { ErrorDetail, ServiceError } from '#account';
import { formatDateTimeFull } from '#base';
import { type Header, RETRY } from './answer.js';
import {
  AUTHENTICATION_ELEMENTS,
  type ErrorElements,
  type ErrorTable,
  errorMessage,
  wireCode,
} from './error-table.js';
import { type StorageAnswer, storageAnswer } from './storage-exchange.js';
import { escapeXmlText, XML_HEAD } from './xml.js';

const NAME = ['QueryParameterName', 'name'] as const;
const VALUE = ['QueryParameterValue', 'value'] as const;

/** The elements after the text, by the names of the details. */
export const STORAGE_ELEMENTS = {
  ...AUTHENTICATION_ELEMENTS,
  InvalidHeaderValue: [
    ['HeaderName', 'name'],
    ['HeaderValue', 'value'],
  ],
  InvalidQueryParameterValue: [NAME, VALUE, ['Reason', 'reason']],
  InvalidXmlDocument: [
    ['LineNumber', 'line'],
    ['LinePosition', 'position'],
    ['Reason', 'shownReason'],
  ],
  MissingContentLengthHeader: [['HeaderName', 'name']],
  MissingRequiredQueryParameter: [NAME],
  OutOfRangeQueryParameterValue: [NAME, VALUE, ['MinimumAllowed', 'minimum'], ['MaximumAllowed', 'maximum']],
  RequestBodyTooLarge: [['MaxLimit', 'limit']],
} as const satisfies Readonly<Record<string, ErrorElements>>;

const XML_REASON = 'Error parsing Xml content';

/** Malformed XML is reported with its position; other errors of a document only where Azure's text is known. */
function detailOf({ code, detail }: ServiceError<string>): ErrorDetail {
  if (code !== 'InvalidXmlDocument') return detail;
  const { line = 0, position = 0, shownReason = detail.line === undefined ? '' : XML_REASON } = detail;
  return { line, position, shownReason };
}

function formatElements(error: ServiceError<string>, elements: ErrorElements): string {
  const detail = detailOf(error);
  let text = '';
  for (const [element, name] of elements) {
    const value = detail[name];
    if (value === undefined) continue;
    const content = escapeXmlText(String(value));
    text += content === '' ? `<${element} />` : `<${element}>${content}</${element}>`;
  }
  return text;
}

interface StorageErrorContext<Code extends string> {
  readonly table: ErrorTable<Code>;
  readonly elements: Readonly<Partial<Record<Code, ErrorElements>>>;
  readonly requestId: string;
  readonly now: bigint;
}

/** The answer to a refusal: status, headers and document. A service changes the facts that it has otherwise. */
export function storageErrorAnswer<Code extends string>(
  error: ServiceError<Code>,
  { table, elements, requestId, now }: StorageErrorContext<Code>,
): StorageAnswer<string> {
  const code = wireCode(error.code);
  const message = errorMessage(table[error.code], error);
  const text = escapeXmlText(`${message}\nRequestId:${requestId}\nTime:${formatDateTimeFull(now)}`);
  const details = formatElements(error, elements[error.code] ?? []);
  const more: Header[] = error.code === 'ServerBusy' ? [RETRY] : [];
  if (error.detail.challenge !== undefined) more.push(['WWW-Authenticate', String(error.detail.challenge)]);
  return storageAnswer(table[error.code].status, {
    reason: message,
    body: `${XML_HEAD}<Error><Code>${code}</Code><Message>${text}</Message>${details}</Error>`,
    more,
    errorCode: code,
    hidesVersion: code === 'InvalidAuthenticationInfo',
  });
}
