// Renders a refusal: JSON or XML by the form of the operation, with the lines of request id and time (protocol: errors#forms).
import type { ServiceError } from '#account';
import { formatDateTimeFull } from '#base';
import { escapeText, type TableErrorCode } from '#tables';
import { type Header, RETRY } from '../shared/answer.js';
import { errorMessage, wireCode } from '../shared/error-table.js';
import { escapeXml } from '../shared/xml.js';
import type { Answer, ResponseFormat } from './answer.js';
import { ERROR_TABLE } from './error-table.js';
import { jsonContentType } from './format-outcome.js';

/** Of the domain, or of what all services share. */
type TableFault = ServiceError<TableErrorCode>;

export interface ErrorContext {
  readonly requestId: string;
  /** Ticks of 100 ns. */
  readonly now: bigint;
  readonly format: ResponseFormat;
  /** The operation's own documents are XML. */
  readonly xml: boolean;
  /** The caller's Accept header. */
  readonly accept: string | undefined;
  /** The failed part of a batch has its index: always, or, alone in a changeset, only on early refusals. */
  readonly part?: { readonly index: number; readonly says: 'always' | 'early' } | undefined;
  /** Create Table checks the name of its body late, with the headers of the storage phase (protocol: responses#headers-by-answer). */
  readonly nameInBody?: boolean | undefined;
}

/** The sentence of these codes is also the reason phrase of the status line (protocol: errors#status-line). */
const AUTHENTICATION: ReadonlySet<TableErrorCode> = new Set([
  'AuthenticationFailed',
  'AuthenticationFailed:Sas',
  'InvalidAuthenticationInfo',
  'InvalidAuthenticationInfo:Challenge',
]);

/**
 * Early refusals, before the storage phase: they have no Cache-Control, and `0:` in a changeset of one (protocol: batches#parts,
 * batches#index-of-the-failure).
 */
const EARLY: ReadonlySet<TableErrorCode> = new Set([
  'InvalidInput:Body',
  'InvalidInput:FilterSyntax',
  'InvalidInput:FilterTypes',
  'InvalidInput:KeyCount',
  'InvalidInput:KeyType',
  'InvalidInput:QuerySyntax',
  'InvalidResourceName',
  'InvalidUri',
  'InvalidUri:TooLong',
  'MediaTypeNotSupported',
  'MethodNotAllowed',
  'OutOfRangeInput',
  'OutOfRangeInput:ResourceName',
  'PropertyNameInvalid',
  'AtomFormatNotSupported',
  'JsonFormatNotSupported',
  'TableNotFound',
]);

const RETRY_LATER: readonly Header[] = [RETRY];

const isEarly = (error: TableFault, context: ErrorContext): boolean =>
  EARLY.has(error.code) && context.nameInBody !== true;

/** The index of the failed operation; a single operation has it only on early refusals. */
function indexPrefix(error: TableFault, context: ErrorContext): string {
  const { part } = context;
  if (part === undefined || (part.says === 'early' && !isEarly(error, context))) return '';
  return `${part.index}:`;
}

const FORMATTED_AS_ATOM = 'http://schemas.microsoft.com/ado/2007/08/dataservices';

function prefixedXml(code: string, text: string, detail: string | undefined): string {
  const more =
    detail === undefined
      ? ''
      : `<m:AuthenticationErrorDetail>${escapeXml(detail)}</m:AuthenticationErrorDetail>`;
  return `<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="${FORMATTED_AS_ATOM}/metadata"><m:code>${code}</m:code><m:message xml:lang="en-US">${escapeXml(text)}</m:message>${more}</m:error>`;
}

function plainXml(code: string, text: string): string {
  return `<?xml version="1.0" encoding="utf-8"?><error xmlns="${FORMATTED_AS_ATOM}/metadata"><code>${code}</code><message xml:lang="en-US">${escapeXml(text)}</message></error>`;
}

const jsonBody = (code: string, text: string): string =>
  `{"odata.error":{"code":"${code}","message":{"lang":"en-US","value":"${escapeText(text)}"}}}`;

/** Failed authentication has a form of its own: JSON only on request, and few headers (protocol: errors#failed-authentication). */
function authenticationAnswer(error: TableFault, context: ErrorContext, text: string): Answer {
  const code = wireCode(error.code);
  const { status, message } = ERROR_TABLE[error.code];
  const asJson = !context.xml && /application\/json/i.test(context.accept ?? '');
  // Of bearer tokens it is known of queues and blobs alone.
  const isOfSas = error.code === 'AuthenticationFailed:Sas';
  const detail = isOfSas && typeof error.detail.detail === 'string' ? error.detail.detail : undefined;
  return {
    status,
    reason: message,
    contentType: asJson ? 'application/json' : 'application/xml',
    // No JSON of Azure with the detail is known, and it breaks a client's parser.
    body: asJson ? jsonBody(code, text) : prefixedXml(code, text, detail),
    cacheControl: false,
    noSniff: false,
    errorCode: code,
    challenge: typeof error.detail.challenge === 'string' ? error.detail.challenge : undefined,
    anonymous: true,
  };
}

/**
 * The answer to a refusal. Its first line is Azure's; request id and time follow. For some codes the first line is also the reason phrase of
 * the status line (protocol: errors#status-line).
 */
export function formatError(error: TableFault, context: ErrorContext): Answer {
  const { status } = ERROR_TABLE[error.code];
  const code = wireCode(error.code);
  const message = errorMessage(ERROR_TABLE[error.code], error);
  const first = indexPrefix(error, context) + message;
  const text = `${first}\nRequestId:${context.requestId}\nTime:${formatDateTimeFull(context.now)}`;
  if (AUTHENTICATION.has(error.code)) return authenticationAnswer(error, context, text);
  const more = error.code === 'ServerBusy' ? RETRY_LATER : undefined;
  const reason = status === 415 || error.code === 'AuthorizationSourceIPMismatch' ? message : undefined;
  if (context.xml) {
    return {
      status,
      reason,
      contentType: 'application/xml',
      body: prefixedXml(code, text, undefined),
      cacheControl: false,
      noSniff: false,
      errorCode: code,
      more,
      // Recorded: this one does not echo the version.
      ...(error.code === 'InvalidQueryParameterValue' ? { anonymous: true } : {}),
    };
  }
  if (error.code === 'AtomFormatNotSupported') {
    return {
      status,
      reason,
      contentType: 'application/xml;charset=utf-8',
      body: plainXml(code, text),
      cacheControl: false,
      noSniff: true,
    };
  }
  return {
    status,
    reason,
    contentType: jsonContentType(context.format.level),
    body: jsonBody(code, text),
    preferenceApplied: isEarly(error, context) ? undefined : context.format.prefer,
    more,
    cacheControl: !isEarly(error, context),
    noSniff: true,
    dataServiceVersion: '3.0;',
  };
}
