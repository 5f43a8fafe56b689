// Leases of containers and blobs as values: actions, stored state, visible state. lease-machine.ts applies actions.

/** Ids are GUIDs in lower case with dashes. Durations in seconds; `infinite` has no end. */
export type LeaseAction =
  | {
      readonly kind: 'acquire';
      readonly seconds: number | 'infinite';
      readonly proposedId: string | undefined;
    }
  | { readonly kind: 'renew'; readonly id: string }
  | { readonly kind: 'change'; readonly id: string; readonly proposedId: string }
  | { readonly kind: 'release'; readonly id: string }
  | { readonly kind: 'break'; readonly seconds: number | undefined };

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
