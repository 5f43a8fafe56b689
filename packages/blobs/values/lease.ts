// The actions on leases of containers and blobs, and the state machine, pure: how an action changes a lease
// (protocol: leases#actions). conditions.ts has which other operations a lease permits.
import { BlobError } from '../blob-error.js';
import { type Lease, type Leased, stateOfLease, TICKS_A_SECOND, textOf } from './conditions.js';

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

export interface LeaseChange {
  /** Undefined: it is available. */
  readonly lease: Lease | undefined;
  /** The id that the answer has after acquire, renew and change. */
  readonly id: string | undefined;
  /** The time that the answer has after break. */
  readonly seconds: number | undefined;
}

const mismatch = (what: Leased): BlobError =>
  new BlobError(textOf('LeaseIdMismatchWithLeaseOperation', what));
const notPresent = (what: Leased): BlobError =>
  new BlobError(textOf('LeaseNotPresentWithLeaseOperation', what));

/** @throws BlobError where the lease's state does not allow it. `newId` names a lease whose client proposed no id. */
export function changeLease(
  lease: Lease | undefined,
  action: LeaseAction,
  now: bigint,
  newId: string,
  what: Leased,
): LeaseChange {
  switch (action.kind) {
    case 'acquire':
      return acquire(lease, action.seconds, now, action.proposedId ?? newId, what);
    case 'renew':
      return renew(lease, action.id, now, what);
    case 'change':
      return change(lease, action.id, action.proposedId, now, what);
    case 'release':
      if (lease?.id !== action.id) throw mismatch(what);
      return { lease: undefined, id: undefined, seconds: undefined };
    case 'break':
      return breakLease(lease, action.seconds, now, what);
  }
}

function acquire(
  lease: Lease | undefined,
  seconds: number | 'infinite',
  now: bigint,
  id: string,
  what: Leased,
): LeaseChange {
  const { state } = stateOfLease(lease, now);
  const isHeld = state === 'leased' || state === 'breaking';
  if (isHeld && lease?.id !== id) throw new BlobError(textOf('LeaseAlreadyPresent', what));
  if (state === 'breaking') throw new BlobError('LeaseIsBreakingAndCannotBeAcquired');
  const length = seconds === 'infinite' ? 0 : seconds;
  return { lease: begun(id, length, now), id, seconds: undefined };
}

const begun = (id: string, seconds: number, now: bigint): Lease => ({
  id,
  seconds,
  expires: seconds === 0 ? 0n : now + BigInt(seconds) * TICKS_A_SECOND,
  broken: 0n,
});

/** An expired lease can be renewed: a write since would have removed it (`leaseAfterWrite`). */
function renew(lease: Lease | undefined, id: string, now: bigint, what: Leased): LeaseChange {
  if (lease?.id !== id) throw mismatch(what);
  if (lease.broken !== 0n) throw new BlobError('LeaseIsBrokenAndCannotBeRenewed');
  return { lease: begun(id, lease.seconds, now), id, seconds: undefined };
}

/** Harmless where the lease has the proposed id already, so that a client may try again. */
function change(
  lease: Lease | undefined,
  id: string,
  proposedId: string,
  now: bigint,
  what: Leased,
): LeaseChange {
  const { state } = stateOfLease(lease, now);
  if (lease === undefined || state === 'broken' || state === 'expired') throw notPresent(what);
  if (lease.id !== id && lease.id !== proposedId) throw mismatch(what);
  if (state === 'breaking') throw new BlobError('LeaseIsBreakingAndCannotBeChanged');
  const { seconds, expires, broken } = lease;
  return { lease: { id: proposedId, seconds, expires, broken }, id: proposedId, seconds: undefined };
}

const earlier = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** Without a period a fixed lease runs to its end, and an infinite one ends at once. A period only ever shortens what is left. */
function breakLease(
  lease: Lease | undefined,
  period: number | undefined,
  now: bigint,
  what: Leased,
): LeaseChange {
  if (lease === undefined) throw notPresent(what);
  const { state } = stateOfLease(lease, now);
  const isOver = state === 'broken' || state === 'expired';
  const natural = state === 'breaking' ? lease.broken : lease.expires === 0n ? undefined : lease.expires;
  const asked = period === undefined ? undefined : now + BigInt(period) * TICKS_A_SECOND;
  const end = isOver
    ? now
    : natural === undefined
      ? (asked ?? now)
      : asked === undefined
        ? natural
        : earlier(natural, asked);
  const broken = state === 'broken' ? lease.broken : end;
  const left = Number((end - now + TICKS_A_SECOND - 1n) / TICKS_A_SECOND);
  const { id, seconds, expires } = lease;
  return { lease: { id, seconds, expires, broken }, id: undefined, seconds: left };
}
