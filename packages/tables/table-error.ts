// The protocol outcomes that are not success. A code says what is wrong; its status, text and form are the wire's matter.
import { Refusal, type RefusalDetail } from '#account';

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

export type TableErrorDetail = RefusalDetail;

export class TableError extends Refusal<TableErrorCode> {
  override readonly name = 'TableError';
  /** Position in the changeset of the operation that failed. */
  index: number | undefined;
}
