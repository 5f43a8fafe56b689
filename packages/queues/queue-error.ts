// The protocol outcomes that are not success. A code says what is wrong; its status, text and form are the wire's matter.
import { Refusal, type RefusalDetail } from '#account';

/**
 * Azure's error codes (protocol: errors#codes-of-queues). Where Azure uses one code with several texts, the text's name
 * follows a colon: what stands before it goes over the wire.
 */
export type QueueErrorCode =
  | 'AuthenticationFailed'
  | 'AuthenticationFailed:Sas'
  | 'AuthorizationFailure'
  | 'AuthorizationPermissionMismatch'
  | 'AuthorizationProtocolMismatch'
  | 'AuthorizationResourceTypeMismatch'
  | 'AuthorizationServiceMismatch'
  | 'AuthorizationSourceIPMismatch'
  | 'CorsPreflightFailure'
  | 'EmptyMetadataKey'
  | 'InsufficientAccountPermissions'
  | 'InternalError'
  | 'InvalidAuthenticationInfo'
  | 'InvalidAuthenticationInfo:Challenge'
  | 'InvalidHeaderValue'
  | 'InvalidMarker'
  | 'InvalidMetadata'
  | 'InvalidQueryParameterValue'
  | 'InvalidResourceName'
  | 'InvalidUri'
  | 'InvalidXmlDocument'
  | 'InvalidXmlNodeValue'
  | 'MessageNotFound'
  | 'MetadataTooLarge'
  | 'MissingRequiredQueryParameter'
  | 'NoAuthenticationInformation'
  | 'OutOfRangeInput'
  | 'OutOfRangeQueryParameterValue'
  | 'PopReceiptMismatch'
  | 'QueueAlreadyExists'
  | 'QueueBeingDeleted'
  | 'QueueNotFound'
  | 'RequestBodyTooLarge'
  | 'ResourceNotFound'
  | 'ServerBusy'
  | 'ServerBusy:Full'
  | 'UnsupportedHttpVerb';

/**
 * Values that belong to the code. The domain gives `name`, `value` and `reason` of a parameter with a bad value, `name`,
 * `value`, `minimum` and `maximum` of one out of range, and `limit` of what is too large.
 */
export type QueueErrorDetail = RefusalDetail;

export class QueueError extends Refusal<QueueErrorCode> {
  override readonly name = 'QueueError';
}
