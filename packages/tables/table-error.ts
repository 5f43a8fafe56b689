// The protocol outcomes that are not success. A code says what is wrong; its status, text and form are the wire's matter.

/**
 * Azure's error codes. Where Azure uses one code with several texts, the text's name follows a colon:
 * what stands before it goes over the wire.
 */
export type TableErrorCode =
  | 'AtomFormatNotSupported'
  | 'AuthenticationFailed'
  | 'AuthenticationFailed:Sas'
  | 'AuthorizationFailure'
  | 'AuthorizationPermissionMismatch'
  | 'AuthorizationProtocolMismatch'
  | 'AuthorizationResourceTypeMismatch'
  | 'AuthorizationServiceMismatch'
  | 'AuthorizationSourceIPMismatch'
  | 'CommandsInBatchActOnDifferentPartitions'
  | 'CorsPreflightFailure'
  | 'DuplicatePropertiesSpecified'
  | 'EntityAlreadyExists'
  | 'EntityTooLarge'
  | 'InsufficientAccountPermissions'
  | 'InternalError'
  | 'InvalidAuthenticationInfo'
  | 'InvalidAuthenticationInfo:Challenge'
  | 'InvalidDuplicateRow'
  | 'InvalidHeaderValue'
  | 'InvalidHeaderValue:Cors'
  | 'InvalidInput'
  | 'InvalidInput:BatchLength'
  | 'InvalidInput:Body'
  | 'InvalidInput:Etag'
  | 'InvalidInput:FilterSyntax'
  | 'InvalidInput:FilterTypes'
  | 'InvalidInput:IfNoneMatch'
  | 'InvalidInput:KeyCount'
  | 'InvalidInput:KeyType'
  | 'InvalidInput:QuerySyntax'
  | 'InvalidInput:TwoConditions'
  | 'InvalidQueryParameterValue'
  | 'InvalidResourceName'
  | 'InvalidUri'
  | 'InvalidValueType'
  | 'InvalidXmlDocument'
  | 'InvalidXmlNodeValue'
  | 'JsonFormatNotSupported'
  | 'MediaTypeNotSupported'
  | 'MethodNotAllowed'
  | 'MissingRequiredHeader'
  | 'NotImplemented'
  | 'OperationTimedOut'
  | 'OutOfRangeInput'
  | 'OutOfRangeInput:Parameter'
  | 'OutOfRangeInput:ResourceName'
  | 'PropertiesNeedValue'
  | 'PropertyNameInvalid'
  | 'PropertyNameTooLong'
  | 'PropertyValueTooLarge'
  | 'RequestBodyTooLarge'
  | 'ResourceNotFound'
  | 'ServerBusy'
  | 'ServerBusy:Full'
  | 'TableAlreadyExists'
  | 'TableBeingDeleted'
  | 'TableNotFound'
  | 'TooManyProperties'
  | 'UpdateConditionNotSatisfied'
  | 'XMethodIncorrectCount'
  | 'XMethodIncorrectValue'
  | 'XMethodNotUsingPost';

/** Values for the text of the code, by the names that the error table uses. */
export type TableErrorDetail = Readonly<Record<string, string | number>>;

export class TableError extends Error {
  override readonly name = 'TableError';
  readonly code: TableErrorCode;
  readonly detail: TableErrorDetail;
  /** Position in the changeset of the operation that failed. */
  index: number | undefined;

  constructor(code: TableErrorCode, detail: TableErrorDetail = {}) {
    // An outcome, not a fault: nobody asks where it was decided, and finding out costs more than most refusals.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(code);
    Error.stackTraceLimit = stackTraceLimit;
    this.code = code;
    this.detail = detail;
  }
}
