// The Blob service's error table: status and text of every code, and the elements that follow the text
// (protocol: errors#details). Codes that all services share have their status and text in ../shared/error-table.ts. format-blob-error.ts decides the form.
import type { BlobErrorCode } from '#blobs';
import {
  CHALLENGE,
  type ErrorElements,
  type ErrorTable,
  INVALID_INPUT,
  SHARED_ERRORS,
  STORAGE_ERRORS,
} from '../shared/error-table.js';
import { STORAGE_ELEMENTS } from '../shared/storage-error-xml.js';

const NOT_VERIFIED = 'Could not verify the copy source within the specified time.';
const ARCHIVED = 'This operation is not permitted on an archived blob.';
const NOT_MET = 'The condition specified using HTTP conditional header(s) is not met.';
const ID_MISMATCH = 'The lease ID specified did not match the lease ID for the';
const NO_LEASE = 'There is currently no lease on the';
const NO_ID = 'There is currently a lease on the';

type LeaseCode = Extract<BlobErrorCode, `Lease${string}`>;

const LEASES: ErrorTable<LeaseCode> = {
  LeaseAlreadyPresent: { status: 409, message: 'There is already a lease present.' },
  'LeaseAlreadyPresent:Container': { status: 409, message: 'There is already a lease present.' },
  LeaseIdMismatchWithBlobOperation: { status: 412, message: `${ID_MISMATCH} blob.` },
  LeaseIdMismatchWithContainerOperation: { status: 412, message: `${ID_MISMATCH} container.` },
  LeaseIdMismatchWithLeaseOperation: { status: 409, message: `${ID_MISMATCH} blob.` },
  'LeaseIdMismatchWithLeaseOperation:Container': { status: 409, message: `${ID_MISMATCH} container.` },
  LeaseIdMissing: { status: 412, message: `${NO_ID} blob and no lease ID was specified in the request.` },
  'LeaseIdMissing:Container': {
    status: 412,
    message: `${NO_ID} container and no lease ID was specified in the request.`,
  },
  LeaseIsBreakingAndCannotBeAcquired: {
    status: 409,
    message:
      'The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken.',
  },
  LeaseIsBreakingAndCannotBeChanged: {
    status: 409,
    message: 'The lease ID matched, but the lease is currently in breaking state and cannot be changed.',
  },
  LeaseIsBrokenAndCannotBeRenewed: {
    status: 409,
    message: 'The lease ID matched, but the lease has been broken explicitly and cannot be renewed.',
  },
  LeaseLost: { status: 412, message: 'A lease ID was specified, but the lease for the blob has expired.' },
  'LeaseLost:Container': {
    status: 412,
    message: 'A lease ID was specified, but the lease for the container has expired.',
  },
  LeaseNotPresentWithBlobOperation: { status: 412, message: `${NO_LEASE} blob.` },
  LeaseNotPresentWithContainerOperation: { status: 412, message: `${NO_LEASE} container.` },
  LeaseNotPresentWithLeaseOperation: { status: 409, message: `${NO_LEASE} blob.` },
  'LeaseNotPresentWithLeaseOperation:Container': { status: 409, message: `${NO_LEASE} container.` },
};

const CONDITIONS = {
  AccessTierChangeTimeConditionNotMet: {
    status: 412,
    message: 'The condition specified using access tier change time conditional header(s) is not met.',
  },
  AppendPositionConditionNotMet: {
    status: 412,
    message: 'The append position condition specified was not met.',
  },
  BothCrc64AndMd5HeaderPresent: {
    status: 400,
    message: 'Both x-ms-content-crc64 header and content-md5 header are present.',
  },
  BothUserTagsAndSourceTagsCopyPresentException: {
    status: 409,
    message: 'x-ms-tags header must not be present with x-ms-copy-source-tag-option as COPY.',
  },
  CannotVerifyCopySource: { status: 412, message: NOT_VERIFIED },
  'CannotVerifyCopySource:Archived': { status: 409, message: ARCHIVED },
  'CannotVerifyCopySource:BlockBlob': { status: 409, message: 'The copy source must be a block blob.' },
  'CannotVerifyCopySource:ConditionNotMet': { status: 412, message: NOT_MET },
  'CannotVerifyCopySource:Forbidden': { status: 403, message: NOT_VERIFIED },
  'CannotVerifyCopySource:Missing': { status: 404, message: NOT_VERIFIED },
  'CannotVerifyCopySource:NotModified': { status: 304, message: NOT_VERIFIED },
  'CannotVerifyCopySource:Unauthenticated': { status: 401, message: CHALLENGE },
  ConditionHeadersNotSupported: { status: 400, message: 'Condition headers are not supported.' },
  ConditionNotMet: { status: 412, message: NOT_MET },
  'ConditionNotMet:NotModified': { status: 304, message: NOT_MET },
  Crc64Mismatch: {
    status: 400,
    message:
      'The CRC64 value specified in the request did not match with the CRC64 value calculated by the server.',
  },
  InvalidMd5: { status: 400, message: 'The MD5 value specified in the request is invalid.' },
  MaxBlobSizeConditionNotMet: { status: 412, message: 'The max blob size condition specified was not met.' },
  Md5Mismatch: {
    status: 400,
    message:
      'The MD5 value specified in the request did not match with the MD5 value calculated by the server.',
  },
  MultipleConditionHeadersNotSupported: {
    status: 400,
    message: 'Multiple condition headers are not supported.',
  },
  SequenceNumberConditionNotMet: {
    status: 412,
    message: 'The sequence number condition specified was not met.',
  },
  SourceConditionNotMet: {
    status: 412,
    message: 'The source condition specified using HTTP conditional header(s) is not met.',
  },
  TargetConditionNotMet: {
    status: 412,
    message: 'The target condition specified using HTTP conditional header(s) is not met.',
  },
} as const;

export const BLOB_ERROR_TABLE: ErrorTable<BlobErrorCode> = {
  ...SHARED_ERRORS,
  ...STORAGE_ERRORS,
  ...LEASES,
  ...CONDITIONS,
  BlobAlreadyExists: { status: 409, message: 'The specified blob already exists.' },
  BlobArchived: { status: 409, message: ARCHIVED },
  BlobIsSealed: { status: 409, message: 'The blob is sealed and its contents cannot be modified.' },
  BlobNotFound: { status: 404, message: 'The specified blob does not exist.' },
  BlobOperationNotSupported: { status: 409, message: 'Blob operation is not supported.' },
  BlockCountExceedsLimit: {
    status: 409,
    message: 'The committed block count cannot exceed the maximum limit of 50,000 blocks.',
  },
  BlockListTooLong: { status: 400, message: 'The block list may not contain more than 50,000 blocks.' },
  ContainerAlreadyExists: { status: 409, message: 'The specified container already exists.' },
  ContainerBeingDeleted: {
    status: 409,
    message: 'The specified container is being deleted. Try operation later.',
  },
  ContainerDisabled: {
    status: 409,
    message: 'The specified container has been disabled by the administrator.',
  },
  ContainerNotFound: { status: 404, message: 'The specified container does not exist.' },
  EmptyTagName: { status: 400, message: 'The name of one of the tag key-value pairs is empty.' },
  FeatureVersionMismatch: {
    status: 409,
    message: 'The operation for this feature requires a newer service version.',
  },
  HierarchicalNamespaceNotEnabled: {
    status: 400,
    message: 'This operation is only supported on a hierarchical namespace account.',
  },
  InvalidBlobOrBlock: { status: 400, message: 'The specified blob or block content is invalid.' },
  InvalidBlobTier: { status: 400, message: 'The specified blob tier is invalid.' },
  InvalidBlobType: { status: 409, message: 'The blob type is invalid for this operation.' },
  InvalidBlockId: { status: 400, message: 'The specified block ID is invalid.' },
  InvalidBlockList: { status: 400, message: 'The specified block list is invalid.' },
  InvalidInput: INVALID_INPUT,
  InvalidPageRange: { status: 416, message: 'The page range specified is invalid.' },
  'InvalidQueryParameterValue:Tags': { status: 400, message: 'Error parsing query{fault}' },
  InvalidRange: {
    status: 416,
    message: 'The range specified is invalid for the current size of the resource.',
  },
  InvalidSourceBlobType: { status: 409, message: 'The copy source blob type is invalid for this operation.' },
  InvalidTag: {
    status: 400,
    message: 'The tags specified are invalid. It contains characters that are not permitted.',
  },
  MissingRequiredHeader: {
    status: 400,
    message: "An HTTP header that's mandatory for this request is not specified.",
  },
  MissingRequiredXmlNode: {
    status: 400,
    message: 'A required XML node was not specified in the request body.',
  },
  NoPendingCopyOperation: { status: 409, message: 'There is currently no pending copy operation.' },
  OperationTimedOut: {
    status: 500,
    message: 'Operation could not be completed within the specified time.',
  },
  OutOfRangeInput: { status: 400, message: 'One of the request inputs is out of range.' },
  PendingCopyOperation: { status: 409, message: 'There is currently a pending copy operation.' },
  PreviousSnapshotCannotBeNewer: {
    status: 400,
    message: 'The prevsnapshot query parameter value cannot be newer than snapshot query parameter value.',
  },
  PreviousSnapshotNotFound: { status: 409, message: 'The previous snapshot is not found.' },
  PublicAccessNotPermitted: {
    status: 409,
    message: 'Public access is not permitted on this storage account.',
  },
  SequenceNumberIncrementTooLarge: {
    status: 409,
    message:
      'The sequence number increment cannot be performed because it would result in overflow of the sequence number.',
  },
  SnapshotsPresent: {
    status: 409,
    message: 'This operation is not permitted because the blob has snapshots.',
  },
  TagsTooLarge: { status: 400, message: 'The tags specified exceed the maximum permissible limit.' },
  UnauthorizedBlobOverwrite: {
    status: 403,
    message: 'This request is not authorized to perform blob overwrites.',
  },
  UnsupportedHeader: {
    status: 400,
    message: 'One of the HTTP headers specified in the request is not supported.',
  },
  UnsupportedQueryParameter: {
    status: 400,
    message: 'One of the query parameters specified in the request URI is not supported.',
  },
};

const HEADER: ErrorElements = [['HeaderName', 'name']];

/** The elements after the text, by the names of the details. */
export const BLOB_ERROR_ELEMENTS: Readonly<Partial<Record<BlobErrorCode, ErrorElements>>> = {
  ...STORAGE_ELEMENTS,
  'InvalidQueryParameterValue:Tags': STORAGE_ELEMENTS.InvalidQueryParameterValue,
  MissingRequiredHeader: HEADER,
  UnsupportedHeader: HEADER,
  Md5Mismatch: [
    ['UserSpecifiedMd5', 'userMd5'],
    ['ServerCalculatedMd5', 'serverMd5'],
  ],
  Crc64Mismatch: [
    ['UserSpecifiedCrc', 'userCrc64'],
    ['ServerCalculatedCrc', 'serverCrc64'],
  ],
};
