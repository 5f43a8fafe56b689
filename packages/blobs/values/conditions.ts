// The conditions of a request on a blob or a container. check-conditions.ts evaluates them.
import type { TagExpression } from './tags.js';

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
