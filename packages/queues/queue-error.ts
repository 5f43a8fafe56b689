// Errors of the Queue service: its own codes and those that all services share (protocol: errors#codes-of-queues).
import { ServiceError, type SharedErrorCode } from '#account';

export type QueueErrorCode =
  | SharedErrorCode
  | 'EmptyMetadataKey'
  | 'InvalidMarker'
  | 'InvalidMetadata'
  | 'MessageNotFound'
  | 'MetadataTooLarge'
  | 'MissingRequiredQueryParameter'
  | 'NoAuthenticationInformation'
  | 'OutOfRangeQueryParameterValue'
  | 'PopReceiptMismatch'
  | 'QueueAlreadyExists'
  | 'QueueBeingDeleted'
  | 'QueueNotFound'
  | 'UnsupportedHttpVerb';

/**
 * Details by code: the domain gives `name`, `value` and `reason` of a parameter with a bad value, `name`,
 * `value`, `minimum` and `maximum` of one out of range, and `limit` of what is too large.
 */
export class QueueError extends ServiceError<QueueErrorCode> {
  override readonly name = 'QueueError';
}
