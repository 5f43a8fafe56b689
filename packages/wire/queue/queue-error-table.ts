// The one table of the Queue service's errors: status and text of every code, and the elements that follow the text
// (protocol: errors#codes-of-queues, errors#details). What is the same as for tables is taken from their table. The form is format-queue-error.ts's.
import type { QueueErrorCode } from '#queues';
import { ERROR_TABLE } from '../table/error-table.js';

export interface QueueErrorEntry {
  readonly status: number;
  /** `{name}` stands for a value of the error's detail. */
  readonly message: string;
  /** What follows the text, by the name of the detail that it says. */
  readonly elements?: readonly (readonly [element: string, detail: string])[];
}

const NAME = ['QueryParameterName', 'name'] as const;
const VALUE = ['QueryParameterValue', 'value'] as const;
const DETAIL = [['AuthenticationErrorDetail', 'detail']] as const;

export const QUEUE_ERROR_TABLE: Readonly<Record<QueueErrorCode, QueueErrorEntry>> = {
  AuthenticationFailed: ERROR_TABLE.AuthenticationFailed,
  'AuthenticationFailed:Sas': { ...ERROR_TABLE['AuthenticationFailed:Sas'], elements: DETAIL },
  AuthorizationFailure: ERROR_TABLE.AuthorizationFailure,
  AuthorizationPermissionMismatch: ERROR_TABLE.AuthorizationPermissionMismatch,
  AuthorizationProtocolMismatch: ERROR_TABLE.AuthorizationProtocolMismatch,
  AuthorizationResourceTypeMismatch: ERROR_TABLE.AuthorizationResourceTypeMismatch,
  AuthorizationServiceMismatch: ERROR_TABLE.AuthorizationServiceMismatch,
  AuthorizationSourceIPMismatch: ERROR_TABLE.AuthorizationSourceIPMismatch,
  CorsPreflightFailure: ERROR_TABLE.CorsPreflightFailure,
  EmptyMetadataKey: {
    status: 400,
    message: 'The key for one of the metadata key-value pairs is empty.',
  },
  InsufficientAccountPermissions: ERROR_TABLE.InsufficientAccountPermissions,
  InternalError: {
    status: 500,
    message: 'Server encountered an internal error. Please try again after some time.',
  },
  InvalidAuthenticationInfo: ERROR_TABLE.InvalidAuthenticationInfo,
  'InvalidAuthenticationInfo:Challenge': ERROR_TABLE['InvalidAuthenticationInfo:Challenge'],
  InvalidHeaderValue: {
    status: 400,
    message: ERROR_TABLE.InvalidHeaderValue.message,
    elements: [
      ['HeaderName', 'name'],
      ['HeaderValue', 'value'],
    ],
  },
  InvalidMarker: { status: 400, message: 'The specified marker is invalid.' },
  InvalidMetadata: {
    status: 400,
    message: 'The metadata specified is invalid. It has characters that are not permitted.',
  },
  InvalidQueryParameterValue: {
    status: 400,
    message: ERROR_TABLE.InvalidQueryParameterValue.message,
    elements: [NAME, VALUE, ['Reason', 'reason']],
  },
  InvalidResourceName: ERROR_TABLE.InvalidResourceName,
  InvalidUri: ERROR_TABLE.InvalidUri,
  InvalidXmlDocument: {
    status: 400,
    message: ERROR_TABLE.InvalidXmlDocument.message,
    elements: [
      ['LineNumber', 'line'],
      ['LinePosition', 'position'],
      ['Reason', 'shownReason'],
    ],
  },
  InvalidXmlNodeValue: ERROR_TABLE.InvalidXmlNodeValue,
  MessageNotFound: { status: 404, message: 'The specified message does not exist.' },
  MetadataTooLarge: {
    status: 400,
    message: 'The metadata specified exceeds the maximum allowed limit (8KB).',
  },
  MissingRequiredQueryParameter: {
    status: 400,
    message: "A query parameter that's mandatory for this request is not specified.",
    elements: [NAME],
  },
  NoAuthenticationInformation: ERROR_TABLE['InvalidAuthenticationInfo:Challenge'],
  OutOfRangeInput: ERROR_TABLE.OutOfRangeInput,
  OutOfRangeQueryParameterValue: {
    status: 400,
    message: 'One of the query parameters specified in the request URI is outside the permissible range.',
    elements: [NAME, VALUE, ['MinimumAllowed', 'minimum'], ['MaximumAllowed', 'maximum']],
  },
  PopReceiptMismatch: {
    status: 400,
    message: 'The specified pop receipt did not match the pop receipt for a dequeued message.',
  },
  QueueAlreadyExists: { status: 409, message: 'The specified queue already exists.' },
  QueueBeingDeleted: { status: 409, message: 'The specified queue is being deleted.' },
  QueueNotFound: { status: 404, message: 'The specified queue does not exist.' },
  RequestBodyTooLarge: {
    status: 413,
    message: ERROR_TABLE.RequestBodyTooLarge.message,
    elements: [['MaxLimit', 'limit']],
  },
  ResourceNotFound: ERROR_TABLE.ResourceNotFound,
  ServerBusy: ERROR_TABLE.ServerBusy,
  'ServerBusy:Full': ERROR_TABLE['ServerBusy:Full'],
  UnsupportedHttpVerb: {
    status: 405,
    message: "The resource doesn't support specified Http Verb.",
  },
};
