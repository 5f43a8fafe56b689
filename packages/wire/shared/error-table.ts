// Status and text of the codes that all services share (protocol: errors#codes-of-tables, errors#codes-of-queues), and the type of every error
// table. A service's own table adds its codes, and its own texts where they differ.
import type { ServiceError, SharedErrorCode } from '#account';

interface ErrorEntry {
  readonly status: number;
  /** `{name}` is replaced by a value of the error's detail. */
  readonly message: string;
}

export type ErrorTable<Code extends string> = Readonly<Record<Code, ErrorEntry>>;

const AUTHENTICATION_FAILED =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';
/** The text of challenges, which explain how to authenticate. */
export const CHALLENGE =
  'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.';
const NOT_AUTHORIZED = 'This request is not authorized to perform this operation';

/** `InternalError` has another text in each service. */
export const SHARED_ERRORS: ErrorTable<Exclude<SharedErrorCode, 'InternalError'>> = {
  AuthenticationFailed: { status: 403, message: AUTHENTICATION_FAILED },
  'AuthenticationFailed:Sas': { status: 403, message: AUTHENTICATION_FAILED },
  AuthorizationFailure: { status: 403, message: `${NOT_AUTHORIZED}.` },
  AuthorizationPermissionMismatch: { status: 403, message: `${NOT_AUTHORIZED} using this permission.` },
  AuthorizationProtocolMismatch: { status: 403, message: `${NOT_AUTHORIZED} using this protocol.` },
  AuthorizationResourceTypeMismatch: { status: 403, message: `${NOT_AUTHORIZED} using this resource type.` },
  AuthorizationServiceMismatch: { status: 403, message: `${NOT_AUTHORIZED} using this service.` },
  AuthorizationSourceIPMismatch: {
    status: 403,
    message: `${NOT_AUTHORIZED} using this source IP {address}.`,
  },
  CorsPreflightFailure: {
    status: 403,
    message: 'CORS not enabled or no matching rule found for this request.',
  },
  InsufficientAccountPermissions: { status: 403, message: 'Write operations are not allowed.' },
  InvalidAuthenticationInfo: {
    status: 400,
    message:
      'Authentication information is not given in the correct format. Check the value of Authorization header.',
  },
  'InvalidAuthenticationInfo:Challenge': { status: 401, message: CHALLENGE },
  InvalidHeaderValue: {
    status: 400,
    message: 'The value for one of the HTTP headers is not in the correct format.',
  },
  'InvalidHeaderValue:Cors': { status: 400, message: 'A required CORS header is not present.' },
  InvalidQueryParameterValue: {
    status: 400,
    message: 'Value for one of the query parameters specified in the request URI is invalid.',
  },
  InvalidResourceName: { status: 400, message: 'The specifed resource name contains invalid characters.' },
  InvalidUri: { status: 400, message: 'The requested URI does not represent any resource on the server.' },
  InvalidXmlDocument: { status: 400, message: 'XML specified is not syntactically valid.' },
  InvalidXmlNodeValue: {
    status: 400,
    message: 'The value provided for one of the XML nodes in the request body was not in the correct format.',
  },
  MissingContentLengthHeader: { status: 411, message: 'Content-Length HTTP header is missing.' },
  'OutOfRangeInput:ResourceName': {
    status: 400,
    message: 'The specified resource name length is not within the permissible limits.',
  },
  RequestBodyTooLarge: {
    status: 413,
    message: 'The request body is too large and exceeds the maximum permissible limit.',
  },
  ResourceNotFound: { status: 404, message: 'The specified resource does not exist.' },
  ServerBusy: { status: 503, message: 'The server is busy.' },
  'ServerBusy:Full': {
    status: 503,
    message: 'No space is left to write to. What is there can be read and deleted.',
  },
};

/** Status and text of further codes that the Blob and Queue services share (protocol: errors#codes-of-queues). */
export const STORAGE_ERRORS = {
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
  UnsupportedHttpVerb: { status: 405, message: "The resource doesn't support specified Http Verb." },
} as const satisfies Readonly<Record<string, ErrorEntry>>;

/** Tables and blobs have it, queues do not. */
export const INVALID_INPUT: ErrorEntry = { status: 400, message: 'One of the request inputs is not valid.' };

/** The elements that follow a refusal's text in XML, each with the detail that it holds. */
export type ErrorElements = readonly (readonly [element: string, detail: string])[];

const AUTHENTICATION_DETAIL: ErrorElements = [['AuthenticationErrorDetail', 'detail']];
/** What services other than tables say of failed authentication (protocol: errors#details). */
export const AUTHENTICATION_ELEMENTS = {
  AuthenticationFailed: AUTHENTICATION_DETAIL,
  'AuthenticationFailed:Sas': AUTHENTICATION_DETAIL,
  'InvalidAuthenticationInfo:Challenge': AUTHENTICATION_DETAIL,
} as const;

/** The code as it goes over the wire. */
export const wireCode = (code: string): string => code.split(':', 1)[0] ?? code;

/** The text of an entry, with its values. */
export const errorMessage = ({ message }: ErrorEntry, { detail }: ServiceError<string>): string =>
  message.replace(/\{(\w+)\}/g, (_, name: string) => String(detail[name] ?? ''));
