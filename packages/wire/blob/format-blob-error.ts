// The refusals of the Blob service: the table of its codes, status and text of each and the elements that follow the text, and their form:
// status, headers and document (protocol: errors#forms, errors#details, blob-requests#answers). Codes that all services share have their
// status and text in ../shared/error-table.ts.

import type { ServiceError } from '#account';
import type { BlobErrorCode } from '#blobs';
import type { Header } from '../shared/answer.js';
import {
  CHALLENGE,
  type ErrorElements,
  type ErrorTable,
  INVALID_INPUT,
  SHARED_ERRORS,
  STORAGE_ERRORS,
  withStatus,
} from '../shared/error-table.js';
import { STORAGE_ELEMENTS, storageErrorAnswer } from '../shared/storage-error-xml.js';
import type { StorageAnswer } from '../shared/storage-exchange.js';
import { XML_HEAD } from '../shared/xml.js';
import type { BlobOperationKind } from './blob-route.js';

const NOT_VERIFIED = 'Could not verify the copy source within the specified time.';
const ARCHIVED = 'This operation is not permitted on an archived blob.';
const NOT_MET = 'The condition specified using HTTP conditional header(s) is not met.';
const ID_MISMATCH = 'The lease ID specified did not match the lease ID for the';
const NO_LEASE = 'There is currently no lease on the';
const NO_ID = 'There is currently a lease on the';

export const BLOB_ERROR_TABLE: ErrorTable<BlobErrorCode> = {
  ...SHARED_ERRORS,
  ...STORAGE_ERRORS,
  ...withStatus(304, {
    'CannotVerifyCopySource:NotModified': NOT_VERIFIED,
    'ConditionNotMet:NotModified': NOT_MET,
  }),
  ...withStatus(400, {
    BlockListTooLong: 'The block list may not contain more than 50,000 blocks.',
    BothCrc64AndMd5HeaderPresent: 'Both x-ms-content-crc64 header and content-md5 header are present.',
    ConditionHeadersNotSupported: 'Condition headers are not supported.',
    Crc64Mismatch:
      'The CRC64 value specified in the request did not match with the CRC64 value calculated by the server.',
    EmptyTagName: 'The name of one of the tag key-value pairs is empty.',
    HierarchicalNamespaceNotEnabled: 'This operation is only supported on a hierarchical namespace account.',
    InvalidBlobOrBlock: 'The specified blob or block content is invalid.',
    InvalidBlockList: 'The specified block list is invalid.',
    InvalidInput: INVALID_INPUT,
    InvalidMd5: 'The MD5 value specified in the request is invalid.',
    'InvalidQueryParameterValue:Tags': 'Error parsing query{fault}',
    InvalidTag: 'The tags specified are invalid. It contains characters that are not permitted.',
    Md5Mismatch:
      'The MD5 value specified in the request did not match with the MD5 value calculated by the server.',
    MissingRequiredHeader: "An HTTP header that's mandatory for this request is not specified.",
    MultipleConditionHeadersNotSupported: 'Multiple condition headers are not supported.',
    OutOfRangeInput: 'One of the request inputs is out of range.',
    PreviousSnapshotCannotBeNewer:
      'The prevsnapshot query parameter value cannot be newer than snapshot query parameter value.',
    TagsTooLarge: 'The tags specified exceed the maximum permissible limit.',
    UnsupportedHeader: 'One of the HTTP headers specified in the request is not supported.',
  }),
  ...withStatus(401, { 'CannotVerifyCopySource:Unauthenticated': CHALLENGE }),
  ...withStatus(403, {
    'CannotVerifyCopySource:Forbidden': NOT_VERIFIED,
    UnauthorizedBlobOverwrite: 'This request is not authorized to perform blob overwrites.',
  }),
  ...withStatus(404, {
    BlobNotFound: 'The specified blob does not exist.',
    'CannotVerifyCopySource:Missing': NOT_VERIFIED,
    ContainerNotFound: 'The specified container does not exist.',
  }),
  ...withStatus(409, {
    BlobAlreadyExists: 'The specified blob already exists.',
    BlobArchived: ARCHIVED,
    BlobIsSealed: 'The blob is sealed and its contents cannot be modified.',
    BlobOperationNotSupported: 'Blob operation is not supported.',
    BlockCountExceedsLimit: 'The committed block count cannot exceed the maximum limit of 50,000 blocks.',
    BothUserTagsAndSourceTagsCopyPresentException:
      'x-ms-tags header must not be present with x-ms-copy-source-tag-option as COPY.',
    'CannotVerifyCopySource:Archived': ARCHIVED,
    'CannotVerifyCopySource:BlockBlob': 'The copy source must be a block blob.',
    ContainerAlreadyExists: 'The specified container already exists.',
    ContainerBeingDeleted: 'The specified container is being deleted. Try operation later.',
    InvalidBlobType: 'The blob type is invalid for this operation.',
    LeaseAlreadyPresent: 'There is already a lease present.',
    'LeaseAlreadyPresent:Container': 'There is already a lease present.',
    LeaseIdMismatchWithLeaseOperation: `${ID_MISMATCH} blob.`,
    'LeaseIdMismatchWithLeaseOperation:Container': `${ID_MISMATCH} container.`,
    LeaseIsBreakingAndCannotBeAcquired:
      'The lease ID matched, but the lease is currently in breaking state and cannot be acquired until it is broken.',
    LeaseIsBreakingAndCannotBeChanged:
      'The lease ID matched, but the lease is currently in breaking state and cannot be changed.',
    LeaseIsBrokenAndCannotBeRenewed:
      'The lease ID matched, but the lease has been broken explicitly and cannot be renewed.',
    LeaseNotPresentWithLeaseOperation: `${NO_LEASE} blob.`,
    'LeaseNotPresentWithLeaseOperation:Container': `${NO_LEASE} container.`,
    NoPendingCopyOperation: 'There is currently no pending copy operation.',
    PreviousSnapshotNotFound: 'The previous snapshot is not found.',
    SequenceNumberIncrementTooLarge:
      'The sequence number increment cannot be performed because it would result in overflow of the sequence number.',
    SnapshotsPresent: 'This operation is not permitted because the blob has snapshots.',
  }),
  ...withStatus(412, {
    AccessTierChangeTimeConditionNotMet:
      'The condition specified using access tier change time conditional header(s) is not met.',
    AppendPositionConditionNotMet: 'The append position condition specified was not met.',
    CannotVerifyCopySource: NOT_VERIFIED,
    'CannotVerifyCopySource:ConditionNotMet': NOT_MET,
    ConditionNotMet: NOT_MET,
    LeaseIdMismatchWithBlobOperation: `${ID_MISMATCH} blob.`,
    LeaseIdMismatchWithContainerOperation: `${ID_MISMATCH} container.`,
    LeaseIdMissing: `${NO_ID} blob and no lease ID was specified in the request.`,
    'LeaseIdMissing:Container': `${NO_ID} container and no lease ID was specified in the request.`,
    LeaseLost: 'A lease ID was specified, but the lease for the blob has expired.',
    'LeaseLost:Container': 'A lease ID was specified, but the lease for the container has expired.',
    LeaseNotPresentWithBlobOperation: `${NO_LEASE} blob.`,
    LeaseNotPresentWithContainerOperation: `${NO_LEASE} container.`,
    MaxBlobSizeConditionNotMet: 'The max blob size condition specified was not met.',
    SequenceNumberConditionNotMet: 'The sequence number condition specified was not met.',
    SourceConditionNotMet: 'The source condition specified using HTTP conditional header(s) is not met.',
    TargetConditionNotMet: 'The target condition specified using HTTP conditional header(s) is not met.',
  }),
  ...withStatus(416, {
    InvalidPageRange: 'The page range specified is invalid.',
    InvalidRange: 'The range specified is invalid for the current size of the resource.',
  }),
  ...withStatus(500, {}),
};

const HEADER: ErrorElements = [['HeaderName', 'name']];

/** The elements after the text, by the names of the details. */
const BLOB_ERROR_ELEMENTS: Readonly<Partial<Record<BlobErrorCode, ErrorElements>>> = {
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

export interface BlobErrorContext {
  readonly requestId: string;
  readonly now: bigint;
  readonly method: string;
  readonly kind: BlobOperationKind | undefined;
  readonly isPart: boolean;
}

type BlobFault = ServiceError<BlobErrorCode>;

/** An invalid snapshot time is detected before the version is known (recorded). */
const isOfSnapshot = ({ code, detail }: BlobFault): boolean =>
  code === 'InvalidQueryParameterValue' && detail.name === 'snapshot' && detail.reason === undefined;

const KINDS_INSIDE: ReadonlySet<BlobOperationKind | undefined> = new Set<BlobOperationKind>([
  'appendBlockFromUrl',
  'getTags',
  'setTags',
]);

/** What comes from deeper inside of Azure has a line break after the declaration (recorded). */
const isFromInside = (error: BlobFault, { kind, isPart }: BlobErrorContext): boolean =>
  isPart || KINDS_INSIDE.has(kind) || error.code === 'HierarchicalNamespaceNotEnabled' || isOfSnapshot(error);

/** What the source of a copy answered. */
const OF_SOURCE: readonly Header[] = [
  ['x-ms-copy-source-status-code', '401'],
  ['x-ms-copy-source-error-code', 'NoAuthenticationInformation'],
];

export function formatBlobError(error: BlobFault, context: BlobErrorContext): StorageAnswer {
  const { requestId, now, method, kind } = context;
  const given = { table: BLOB_ERROR_TABLE, elements: BLOB_ERROR_ELEMENTS, requestId, now };
  const answer = storageErrorAnswer(error, given);
  const isSilent = method === 'HEAD' || answer.status === 304;
  const body = isFromInside(error, context) ? answer.body?.replace(XML_HEAD, `${XML_HEAD}\n`) : answer.body;
  // Answers to requests without credentials hide the code too (recorded).
  const hidesCode =
    isOfSnapshot(error) || (error.code === 'ResourceNotFound' && error.detail.isAnonymous === 1);
  const { length } = error.detail;
  const isOutside = error.code === 'InvalidRange' && length !== undefined;
  const isOfSource = error.code === 'CannotVerifyCopySource:Unauthenticated';
  return {
    ...answer,
    body: isSilent ? undefined : body,
    length: isSilent ? 'none' : undefined,
    contentType: answer.status === 304 && kind === 'getPageRanges' ? 'application/xml' : undefined,
    content: isOutside ? [['Content-Range', `bytes */${length}`]] : [],
    more: isOfSource ? [...OF_SOURCE, ...answer.more] : answer.more,
    errorCode: hidesCode ? undefined : answer.errorCode,
    hidesVersion: answer.hidesVersion || isOfSnapshot(error),
  };
}
