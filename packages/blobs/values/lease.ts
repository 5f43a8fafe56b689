// Leases of containers and blobs as values: what is asked, and what is seen of one.

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
