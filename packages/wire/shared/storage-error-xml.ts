// The document of a refusal of the Blob and Queue services: code, text with the lines of request id and time, and its details
// (protocol: errors#forms, errors#details). Status and text stand in each service's table.
import type { ErrorDetail, ServiceError } from '#account';
import { formatDateTimeFull } from '#base';
import { AUTHENTICATION_ELEMENTS, type ErrorElements, wireCode } from './error-table.js';
import { escapeXmlText } from './xml.js';

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

interface StorageErrorText {
  readonly message: string;
  readonly elements: ErrorElements;
  readonly requestId: string;
  readonly now: bigint;
}

/** Without the head of the document. */
export function formatStorageError(
  error: ServiceError<string>,
  { message, elements, requestId, now }: StorageErrorText,
): string {
  const text = escapeXmlText(`${message}\nRequestId:${requestId}\nTime:${formatDateTimeFull(now)}`);
  const details = formatElements(error, elements);
  return `<Error><Code>${wireCode(error.code)}</Code><Message>${text}</Message>${details}</Error>`;
}
