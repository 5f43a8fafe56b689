// Service errors, the refusals of all services: an error with a code and the values of its text. The codes that all services share
// are here, those of one service in its domain; the wire has status, text and form of each.

/**
 * Azure's error codes. Where Azure uses one code with several texts, the text's name follows a colon: what stands before it
 * goes over the wire.
 */
export type SharedErrorCode =
  | 'AuthenticationFailed'
  | 'AuthenticationFailed:Sas'
  | 'AuthorizationFailure'
  | 'AuthorizationPermissionMismatch'
  | 'AuthorizationProtocolMismatch'
  | 'AuthorizationResourceTypeMismatch'
  | 'AuthorizationServiceMismatch'
  | 'AuthorizationSourceIPMismatch'
  | 'CorsPreflightFailure'
  | 'InsufficientAccountPermissions'
  | 'InternalError'
  | 'InvalidAuthenticationInfo'
  | 'InvalidAuthenticationInfo:Challenge'
  | 'InvalidHeaderValue'
  | 'InvalidHeaderValue:Cors'
  | 'InvalidQueryParameterValue'
  | 'InvalidResourceName'
  | 'InvalidUri'
  | 'InvalidXmlDocument'
  | 'InvalidXmlNodeValue'
  | 'MissingContentLengthHeader'
  | 'OutOfRangeInput:ResourceName'
  | 'RequestBodyTooLarge'
  | 'ResourceNotFound'
  | 'ServerBusy'
  | 'ServerBusy:Full';

/** Values for the text of the code, by the names that the error table uses. */
export type ErrorDetail = Readonly<Record<string, string | number>>;

/** A protocol outcome other than success. Refusals that every service may make are of this class; services derive classes with their codes. */
export class ServiceError<Code extends string = SharedErrorCode> extends Error {
  override readonly name: string = 'ServiceError';
  readonly code: Code;
  readonly detail: ErrorDetail;

  constructor(code: Code, detail: ErrorDetail = {}) {
    // An outcome, not a bug: no stack is needed, and capturing one costs more than most refusals.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.detail = detail;
  }
}
