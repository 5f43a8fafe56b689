// The conditions of a request on a blob or a container. Whether they hold is checked in check-conditions.ts.
import type { TagExpression } from './tags.js';

/** `any`: whatever it is. Ticks that no ETag has stand for texts that are none. */
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
