// What guards a blob or a container against an operation: its lease (protocol: leases#other-operations) and the
// conditions of the request (protocol: conditions), checked over stored values: pure, without a clock. lease.ts has the
// actions on leases.
import { BlobError, type BlobErrorCode } from '../blob-error.js';
import { matchesTags, type TagExpression, type Tags } from './tags.js';

/** Stands for a text that is no ETag. */
export const NO_ETAG = -1n;

/** `any`: whatever it is. */
export type EtagCondition = 'any' | readonly bigint[];

/** A condition that is undefined was not sent. Times have whole seconds. */
export interface ContainerConditions {
  readonly ifModifiedSince: bigint | undefined;
  readonly ifUnmodifiedSince: bigint | undefined;
  readonly leaseId: string | undefined;
}

export interface Conditions extends ContainerConditions {
  readonly ifMatch: EtagCondition | undefined;
  readonly ifNoneMatch: EtagCondition | undefined;
  readonly ifTags: TagExpression | undefined;
}

export const NO_CONDITIONS: Conditions = {
  ifMatch: undefined,
  ifNoneMatch: undefined,
  ifModifiedSince: undefined,
  ifUnmodifiedSince: undefined,
  ifTags: undefined,
  leaseId: undefined,
};

/** Whether one of the ETags is none: some refusals make that distinction. */
export const namesNoEtag = (condition: EtagCondition | undefined): boolean =>
  condition !== undefined && condition !== 'any' && condition.includes(NO_ETAG);

export interface PageConditions extends Conditions {
  readonly sequenceNumberAtMost: bigint | undefined;
  readonly sequenceNumberBelow: bigint | undefined;
  readonly sequenceNumberEqual: bigint | undefined;
}

/** On the time at which the tier of a blob was set. */
export interface TierConditions {
  readonly ifModifiedSince: bigint | undefined;
  readonly ifUnmodifiedSince: bigint | undefined;
}

/** On the source of a copy. */
export interface SourceConditions extends Conditions {}

export const TICKS_A_SECOND = 10_000_000n;

/**
 * - `read`: a client that already has the blob gets 304.
 * - `write`: of a blob that must exist.
 * - `create`: of a blob that may exist. `If-None-Match: *` requires that it does not.
 */
export type Access = 'read' | 'write' | 'create';

/** What conditions are about. */
interface Conditioned {
  readonly etag: bigint;
  readonly lastModified: bigint;
  readonly tags: Tags;
}

const isMatch = (condition: EtagCondition, etag: bigint): boolean =>
  condition === 'any' || condition.includes(etag);

/** Times of conditions have whole seconds (protocol: conditions#times). */
const wholeSecond = (tick: bigint): bigint => tick - (tick % TICKS_A_SECOND);

export interface ConditionFailures {
  readonly ifMatch: BlobErrorCode;
  /** Of an If-Match with a text that is no ETag. */
  readonly noEtag: BlobErrorCode;
  readonly ifNoneMatch: BlobErrorCode;
  readonly ifModifiedSince: BlobErrorCode;
  readonly ifUnmodifiedSince: BlobErrorCode;
  readonly ifTags: BlobErrorCode;
}

const all = (code: BlobErrorCode): ConditionFailures => ({
  ifMatch: code,
  noEtag: code,
  ifNoneMatch: code,
  ifModifiedSince: code,
  ifUnmodifiedSince: code,
  ifTags: code,
});

const OF_WRITE = all('ConditionNotMet');
const OF_READ: ConditionFailures = {
  ...OF_WRITE,
  ifNoneMatch: 'ConditionNotMet:NotModified',
  ifModifiedSince: 'ConditionNotMet:NotModified',
};

/** Of the source of a copy (protocol: conditions#sources). */
export const OF_COPY_SOURCE: ConditionFailures = {
  ...all('SourceConditionNotMet'),
  ifTags: 'ConditionNotMet',
};
/** Of the source of an operation that takes its body from a URL (protocol: conditions#sources). */
export const OF_BODY_SOURCE: ConditionFailures = {
  ifMatch: 'CannotVerifyCopySource',
  noEtag: 'CannotVerifyCopySource',
  ifNoneMatch: 'CannotVerifyCopySource:NotModified',
  ifModifiedSince: 'CannotVerifyCopySource:NotModified',
  ifUnmodifiedSince: 'ConditionNotMet',
  ifTags: 'CannotVerifyCopySource',
};
/** Of the source of Put Blob From URL (protocol: conditions#sources). */
export const OF_WHOLE_SOURCE: ConditionFailures = {
  ...OF_BODY_SOURCE,
  noEtag: 'SourceConditionNotMet',
  ifUnmodifiedSince: 'CannotVerifyCopySource:ConditionNotMet',
};
/** Of the time at which a blob's tier was set (protocol: conditions#tier-times). */
const OF_TIER = all('AccessTierChangeTimeConditionNotMet');

/** The conditions in the order of their checks; the first that fails refuses. */
export function checkAgainst(
  conditions: Conditions,
  found: Conditioned,
  container: string,
  failures: ConditionFailures,
): void {
  const { ifMatch, ifNoneMatch, ifTags } = conditions;
  if (ifMatch !== undefined && !isMatch(ifMatch, found.etag))
    throw new BlobError(namesNoEtag(ifMatch) ? failures.noEtag : failures.ifMatch);
  if (ifNoneMatch === undefined) checkTimes(conditions, found.lastModified, failures);
  else {
    // Of If-None-Match and If-Modified-Since one that is met is enough (protocol: conditions#several-at-once).
    const { ifModifiedSince, ifUnmodifiedSince } = conditions;
    const isNewer = ifModifiedSince !== undefined && wholeSecond(found.lastModified) > ifModifiedSince;
    if (!isNewer && isMatch(ifNoneMatch, found.etag)) throw new BlobError(failures.ifNoneMatch);
    checkTimes({ ifModifiedSince: undefined, ifUnmodifiedSince }, found.lastModified, failures);
  }
  if (ifTags !== undefined && !matchesTags(ifTags, found.tags, container))
    throw new BlobError(failures.ifTags);
}

function checkTimes(
  { ifModifiedSince, ifUnmodifiedSince }: TierConditions,
  lastModified: bigint,
  failures: ConditionFailures,
): void {
  if (ifModifiedSince === undefined && ifUnmodifiedSince === undefined) return;
  const modified = wholeSecond(lastModified);
  if (ifModifiedSince !== undefined && modified <= ifModifiedSince)
    throw new BlobError(failures.ifModifiedSince);
  if (ifUnmodifiedSince !== undefined && modified > ifUnmodifiedSince)
    throw new BlobError(failures.ifUnmodifiedSince);
}

/** @throws BlobError. `found` is undefined only for `create`. */
export function checkConditions(
  conditions: Conditions,
  found: Conditioned | undefined,
  access: Access,
  container: string,
): void {
  if (found === undefined) {
    // Nothing is there to match, or modified since (protocol: conditions#missing-blobs).
    const { ifMatch, ifModifiedSince, ifTags } = conditions;
    if (ifMatch !== undefined || ifModifiedSince !== undefined || ifTags !== undefined)
      throw new BlobError('ConditionNotMet');
    return;
  }
  if (access === 'create' && conditions.ifNoneMatch === 'any') throw new BlobError('BlobAlreadyExists');
  checkAgainst(conditions, found, container, access === 'read' ? OF_READ : OF_WRITE);
}

export const checkContainerConditions = (conditions: ContainerConditions, lastModified: bigint): void =>
  checkTimes(conditions, lastModified, OF_WRITE);

/** @throws BlobError AccessTierChangeTimeConditionNotMet. */
export const checkTierTimes = (conditions: TierConditions, changed: bigint): void =>
  checkTimes(conditions, changed, OF_TIER);

/** @throws BlobError SequenceNumberConditionNotMet (protocol: page-blobs#sequence-numbers). */
export function checkSequenceNumber(
  { sequenceNumberAtMost, sequenceNumberBelow, sequenceNumberEqual }: PageConditions,
  number: bigint,
): void {
  const isMet =
    (sequenceNumberAtMost === undefined || number <= sequenceNumberAtMost) &&
    (sequenceNumberBelow === undefined || number < sequenceNumberBelow) &&
    (sequenceNumberEqual === undefined || number === sequenceNumberEqual);
  if (!isMet) throw new BlobError('SequenceNumberConditionNotMet');
}

export interface LeaseState {
  readonly state: 'available' | 'leased' | 'breaking' | 'broken' | 'expired';
  /** While it is leased. */
  readonly duration: 'fixed' | 'infinite' | undefined;
}

/** A lease as it is stored; an available resource has none. Times in ticks. */
export interface Lease {
  readonly id: string;
  /** 0 for one without end. */
  readonly seconds: number;
  /** 0 for one without end. */
  readonly expires: bigint;
  /** When it was broken; 0 if it was not. */
  readonly broken: bigint;
}

const AVAILABLE: LeaseState = { state: 'available', duration: undefined };
const FIXED: LeaseState = { state: 'leased', duration: 'fixed' };
const INFINITE: LeaseState = { state: 'leased', duration: 'infinite' };
const BREAKING: LeaseState = { state: 'breaking', duration: undefined };
const BROKEN: LeaseState = { state: 'broken', duration: undefined };
const EXPIRED: LeaseState = { state: 'expired', duration: undefined };

export function stateOfLease(lease: Lease | undefined, now: bigint): LeaseState {
  if (lease === undefined) return AVAILABLE;
  if (lease.broken !== 0n) return now < lease.broken ? BREAKING : BROKEN;
  if (lease.expires === 0n) return INFINITE;
  return now < lease.expires ? FIXED : EXPIRED;
}

export type Leased = 'Blob' | 'Container';

/** The texts of some codes differ between blobs and containers. */
export const textOf = (code: BlobErrorCode, what: Leased): BlobErrorCode =>
  what === 'Container' ? (`${code}:Container` as BlobErrorCode) : code;

/**
 * Whether a lease lets an operation through that sent this id, or none.
 *
 * @throws BlobError if not.
 */
export function checkLease(
  lease: Lease | undefined,
  id: string | undefined,
  now: bigint,
  isGuarded: boolean,
  what: Leased,
): void {
  if (lease === undefined && id === undefined) return;
  const { state } = stateOfLease(lease, now);
  const isHeld = state === 'leased' || state === 'breaking';
  if (id === undefined) {
    if (isGuarded && isHeld) throw new BlobError(textOf('LeaseIdMissing', what));
    return;
  }
  if (lease === undefined) throw new BlobError(`LeaseNotPresentWith${what}Operation`);
  if (lease.id !== id) throw new BlobError(`LeaseIdMismatchWith${what}Operation`);
  if (!isHeld) throw new BlobError(textOf('LeaseLost', what));
}

/** A write removes a lease that has ended, so that it cannot be renewed. */
export function leaseAfterWrite(lease: Lease | undefined, now: bigint): Lease | undefined {
  if (lease === undefined) return undefined;
  const { state } = stateOfLease(lease, now);
  return state === 'broken' || state === 'expired' ? undefined : lease;
}
