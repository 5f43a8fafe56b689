// Status and text of the codes that all services share (protocol: errors#codes-of-tables, errors#codes-of-queues), and the type of every error
// table. A service's own table adds its codes, and its own texts where they differ.
import type { ServiceError, SharedErrorCode } from '#account';

interface ErrorEntry {
  readonly status: number;
  /** `{name}` is replaced by a value of the error's detail. */
  readonly message: string;
}

export type ErrorTable<Code extends string> = Readonly<Record<Code, ErrorEntry>>;

/** The entries of one status, by their messages. */
export function withStatus<Code extends string>(
  status: number,
  messages: Readonly<Record<Code, string>>,
): ErrorTable<Code> {
  const entries = Object.entries<string>(messages).map(([code, message]) => [code, { status, message }]);
  return Object.fromEntries(entries);
}

const AUTHENTICATION_FAILED =
  'Server failed to authenticate the request. Make sure the value of Authorization header is formed correctly including the signature.';
/** The text of challenges, which explain how to authenticate. */
export const CHALLENGE =
  'Server failed to authenticate the request. Please refer to the information in the www-authenticate header.';
const NOT_AUTHORIZED = 'This request is not authorized to perform this operation';

/** `InternalError` has another text in each service. */
export const SHARED_ERRORS: ErrorTable<Exclude<SharedErrorCode, 'InternalError'>> = {
  ...withStatus(400, {
    InvalidAuthenticationInfo:
      'Authentication information is not given in the correct format. Check the value of Authorization header.',
    InvalidHeaderValue: 'The value for one of the HTTP headers is not in the correct format.',
    'InvalidHeaderValue:Cors': 'A required CORS header is not present.',
    InvalidQueryParameterValue:
      'Value for one of the query parameters specified in the request URI is invalid.',
    InvalidResourceName: 'The specifed resource name contains invalid characters.',
    InvalidUri: 'The requested URI does not represent any resource on the server.',
    InvalidXmlDocument: 'XML specified is not syntactically valid.',
    InvalidXmlNodeValue:
      'The value provided for one of the XML nodes in the request body was not in the correct format.',
    'OutOfRangeInput:ResourceName':
      'The specified resource name length is not within the permissible limits.',
  }),
  ...withStatus(401, { 'InvalidAuthenticationInfo:Challenge': CHALLENGE }),
  ...withStatus(403, {
    AuthenticationFailed: AUTHENTICATION_FAILED,
    'AuthenticationFailed:Sas': AUTHENTICATION_FAILED,
    AuthorizationFailure: `${NOT_AUTHORIZED}.`,
    AuthorizationPermissionMismatch: `${NOT_AUTHORIZED} using this permission.`,
    AuthorizationProtocolMismatch: `${NOT_AUTHORIZED} using this protocol.`,
    AuthorizationResourceTypeMismatch: `${NOT_AUTHORIZED} using this resource type.`,
    AuthorizationServiceMismatch: `${NOT_AUTHORIZED} using this service.`,
    AuthorizationSourceIPMismatch: `${NOT_AUTHORIZED} using this source IP {address}.`,
    CorsPreflightFailure: 'CORS not enabled or no matching rule found for this request.',
    InsufficientAccountPermissions: 'Write operations are not allowed.',
  }),
  ...withStatus(404, { ResourceNotFound: 'The specified resource does not exist.' }),
  ...withStatus(411, { MissingContentLengthHeader: 'Content-Length HTTP header is missing.' }),
  ...withStatus(413, {
    RequestBodyTooLarge: 'The request body is too large and exceeds the maximum permissible limit.',
  }),
  ...withStatus(503, {
    ServerBusy: 'The server is busy.',
    'ServerBusy:Full': 'No space is left to write to. What is there can be read and deleted.',
  }),
};

/** Status and text of further codes that the Blob and Queue services share (protocol: errors#codes-of-queues). */
export const STORAGE_ERRORS = {
  ...withStatus(400, {
    EmptyMetadataKey: 'The key for one of the metadata key-value pairs is empty.',
    InvalidMarker: 'The specified marker is invalid.',
    InvalidMetadata: 'The metadata specified is invalid. It has characters that are not permitted.',
    MetadataTooLarge: 'The metadata specified exceeds the maximum allowed limit (8KB).',
    MissingRequiredQueryParameter: "A query parameter that's mandatory for this request is not specified.",
    OutOfRangeQueryParameterValue:
      'One of the query parameters specified in the request URI is outside the permissible range.',
  }),
  ...withStatus(401, { NoAuthenticationInformation: CHALLENGE }),
  ...withStatus(405, { UnsupportedHttpVerb: "The resource doesn't support specified Http Verb." }),
  ...withStatus(500, {
    InternalError: 'Server encountered an internal error. Please try again after some time.',
  }),
};

/** Tables and blobs have it, queues do not. */
export const INVALID_INPUT = 'One of the request inputs is not valid.';

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
