// The refusals of the Table service: the table of its codes (protocol: errors#codes-of-tables), and their form: JSON or XML by that of the
// operation, with the lines of request id and time (protocol: errors#forms).
import type { ServiceError } from '#account';
import { formatDateTimeFull } from '#base';
import { escapeText, type TableErrorCode } from '#tables';
import { type Header, RETRY } from '../shared/answer.js';
import {
  type ErrorTable,
  errorMessage,
  INVALID_INPUT,
  SHARED_ERRORS,
  wireCode,
  withStatus,
} from '../shared/error-table.js';
import { escapeXml } from '../shared/xml.js';
import type { Answer, ResponseFormat } from './answer.js';
import { jsonContentType } from './format-outcome.js';

export const ERROR_TABLE: ErrorTable<TableErrorCode> = {
  ...SHARED_ERRORS,
  ...withStatus(400, {
    CommandsInBatchActOnDifferentPartitions: 'All commands in a batch must operate on same entity group.',
    DuplicatePropertiesSpecified: 'A property is specified more than one time.',
    EntityTooLarge: 'The entity is larger than the maximum allowed size (1MB).',
    InvalidDuplicateRow:
      'The batch request contains multiple changes with same row key. An entity can appear only once in a batch request.',
    InvalidInput: INVALID_INPUT,
    'InvalidInput:BatchLength': 'The batch request operation exceeds the maximum 100 changes per change set.',
    'InvalidInput:Body': 'An error occurred while processing this request.',
    'InvalidInput:Etag':
      "The etag value '{etag}' specified in one of the request headers is not valid. Please make sure only one etag value is specified and is valid.",
    'InvalidInput:FilterSyntax': "Syntax error at position {position} in '{filter}'.",
    'InvalidInput:FilterTypes':
      "A binary operator with incompatible types was detected. Found operand types '{left}' and '{right}' for operator kind '{operator}'.",
    'InvalidInput:IfNoneMatch': 'If-None-Match HTTP header cannot be specified for {method} requests.',
    'InvalidInput:KeyCount':
      "The number of keys specified in the URI does not match number of key properties for the resource '{resource}'.",
    'InvalidInput:KeyType': INVALID_INPUT,
    'InvalidInput:QuerySyntax': 'Bad Request - Error in query syntax.',
    'InvalidInput:TwoConditions': 'Both If-Match and If-None-Match cannot be specified at the same time.',
    MissingRequiredHeader: 'A required HTTP header was not specified.',
    OutOfRangeInput: 'One of the request inputs is out of range.',
    'OutOfRangeInput:Parameter': "The '{name}' parameter of value '{value}' is out of range.",
    PropertiesNeedValue: 'The values are not specified for all properties in the entity.',
    PropertyNameInvalid: 'The property name is invalid.',
    PropertyNameTooLong: 'The property name exceeds the maximum allowed length (255).',
    PropertyValueTooLarge:
      'The property value exceeds the maximum allowed size (64KB). If the property value is a string, it is UTF-16 encoded and the maximum number of characters should be 32K or less.',
    TooManyProperties:
      'The entity contains more properties than allowed. Each entity can include up to 252 properties to store data. Each entity also has 3 system properties.',
    XMethodIncorrectCount: 'More than one X-HTTP-Method is specified.',
    XMethodIncorrectValue: 'The specified X-HTTP-Method is invalid.',
    XMethodNotUsingPost: 'The request uses X-HTTP-Method with an HTTP verb other than POST.',
  }),
  ...withStatus(404, { TableNotFound: 'The table specified does not exist.' }),
  ...withStatus(405, {
    MethodNotAllowed: 'The requested method is not allowed on the specified resource.',
  }),
  ...withStatus(409, {
    EntityAlreadyExists: 'The specified entity already exists.',
    TableAlreadyExists: 'The table specified already exists.',
    TableBeingDeleted: 'The specified table is being deleted.',
  }),
  ...withStatus(412, {
    UpdateConditionNotSatisfied: 'The update condition specified in the request was not satisfied.',
  }),
  ...withStatus(414, { 'InvalidUri:TooLong': 'The request URL is too long.' }),
  ...withStatus(415, {
    AtomFormatNotSupported: 'Atom format is not supported.',
    JsonFormatNotSupported: 'JSON format is not supported.',
    MediaTypeNotSupported: 'None of the provided media types are supported',
  }),
  ...withStatus(500, {
    InternalError: 'The server encountered an internal error. Please retry the request.',
  }),
  ...withStatus(501, {
    NotImplemented: 'The requested operation is not implemented on the specified resource.',
  }),
};

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
