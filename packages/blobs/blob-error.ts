// The refusals of the Blob service: its codes beside those that all services share (protocol: blobs#refusals).
import { type ErrorDetail, ServiceError, type SharedErrorCode } from '#account';

/**
 * Azure's codes. What follows a colon names another text or status of the same code: `:Container` is the text about containers,
 * `:ConditionNotMet` that of a condition, `:NotModified` is 304 instead of 412, `:Missing` 404 and `:Forbidden` 403.
 */
export type BlobErrorCode =
  | SharedErrorCode
  | 'AccessTierChangeTimeConditionNotMet'
  | 'AppendPositionConditionNotMet'
  | 'BlobAlreadyExists'
  | 'BlobArchived'
  | 'BlobIsSealed'
  | 'BlobNotFound'
  | 'BlockCountExceedsLimit'
  | 'BlockListTooLong'
  | 'BothCrc64AndMd5HeaderPresent'
  | 'BothUserTagsAndSourceTagsCopyPresentException'
  | 'CannotVerifyCopySource'
  | 'CannotVerifyCopySource:ConditionNotMet'
  | 'CannotVerifyCopySource:Forbidden'
  | 'CannotVerifyCopySource:Missing'
  | 'CannotVerifyCopySource:NotModified'
  | 'CannotVerifyCopySource:Unauthenticated'
  | 'ConditionHeadersNotSupported'
  | 'ConditionNotMet'
  | 'ConditionNotMet:NotModified'
  | 'ContainerAlreadyExists'
  | 'ContainerBeingDeleted'
  | 'ContainerDisabled'
  | 'ContainerNotFound'
  | 'Crc64Mismatch'
  | 'EmptyMetadataKey'
  | 'EmptyTagName'
  | 'FeatureVersionMismatch'
  | 'HierarchicalNamespaceNotEnabled'
  | 'InvalidBlobOrBlock'
  | 'InvalidBlobTier'
  | 'InvalidBlobType'
  | 'InvalidBlockId'
  | 'InvalidBlockList'
  | 'InvalidInput'
  | 'InvalidMarker'
  | 'InvalidMd5'
  | 'InvalidMetadata'
  | 'InvalidPageRange'
  | 'InvalidRange'
  | 'InvalidSourceBlobType'
  | 'InvalidTag'
  | 'LeaseAlreadyPresent'
  | 'LeaseAlreadyPresent:Container'
  | 'LeaseIdMismatchWithBlobOperation'
  | 'LeaseIdMismatchWithContainerOperation'
  | 'LeaseIdMismatchWithLeaseOperation'
  | 'LeaseIdMismatchWithLeaseOperation:Container'
  | 'LeaseIdMissing'
  | 'LeaseIdMissing:Container'
  | 'LeaseIsBreakingAndCannotBeAcquired'
  | 'LeaseIsBreakingAndCannotBeChanged'
  | 'LeaseIsBrokenAndCannotBeRenewed'
  | 'LeaseLost'
  | 'LeaseLost:Container'
  | 'LeaseNotPresentWithBlobOperation'
  | 'LeaseNotPresentWithContainerOperation'
  | 'LeaseNotPresentWithLeaseOperation'
  | 'LeaseNotPresentWithLeaseOperation:Container'
  | 'MaxBlobSizeConditionNotMet'
  | 'Md5Mismatch'
  | 'MetadataTooLarge'
  | 'MissingContentLengthHeader'
  | 'MissingRequiredHeader'
  | 'MissingRequiredQueryParameter'
  | 'MissingRequiredXmlNode'
  | 'MultipleConditionHeadersNotSupported'
  | 'NoAuthenticationInformation'
  | 'NoPendingCopyOperation'
  | 'OperationTimedOut'
  | 'OutOfRangeInput'
  | 'OutOfRangeQueryParameterValue'
  | 'PendingCopyOperation'
  | 'PreviousSnapshotCannotBeNewer'
  | 'PreviousSnapshotNotFound'
  | 'PublicAccessNotPermitted'
  | 'SequenceNumberConditionNotMet'
  | 'SequenceNumberIncrementTooLarge'
  | 'SnapshotsPresent'
  | 'SourceConditionNotMet'
  | 'TagsTooLarge'
  | 'TargetConditionNotMet'
  | 'UnsupportedHeader'
  | 'UnsupportedHttpVerb'
  | 'UnsupportedQueryParameter';

/**
 * Values that belong to the code: `userMd5` and `serverMd5`, `userCrc64` and `serverCrc64` in Base64 of a digest that differs, `length` of
 * the blob whose range is invalid, `limit` of what is too large, and those that queues give too.
 */
export type BlobErrorDetail = ErrorDetail;

export class BlobError extends ServiceError<BlobErrorCode> {
  override readonly name = 'BlobError';
}
