// What a lease request asks for (protocol: blob-requests#lease-headers).
import { BlobError, type LeaseAction } from '#blobs';
import { guidOf, type Headers, invalidHeader, required, requiredGuid, sent } from './header-values.js';

const WHOLE = /^-?\d{1,5}$/;
const SECONDS_MIN = 15;
const SECONDS_MAX = 60;
const INFINITE = -1;

function secondsOf(headers: Headers, name: string, isAllowed: (seconds: number) => boolean): number {
  const text = required(headers, name);
  const seconds = WHOLE.test(text) ? Number(text) : Number.NaN;
  if (!isAllowed(seconds)) throw invalidHeader(name, text);
  return seconds;
}

const isDuration = (seconds: number): boolean =>
  seconds === INFINITE || (seconds >= SECONDS_MIN && seconds <= SECONDS_MAX);
const isBreakPeriod = (seconds: number): boolean => seconds >= 0 && seconds <= SECONDS_MAX;

/** @throws BlobError MissingRequiredHeader, InvalidHeaderValue. */
export function leaseActionOf(headers: Headers): LeaseAction {
  const action = required(headers, 'x-ms-lease-action');
  switch (action.toLowerCase()) {
    case 'acquire': {
      const seconds = secondsOf(headers, 'x-ms-lease-duration', isDuration);
      const proposedId = guidOf(headers, 'x-ms-proposed-lease-id');
      return { kind: 'acquire', seconds: seconds === INFINITE ? 'infinite' : seconds, proposedId };
    }
    case 'renew':
      return { kind: 'renew', id: requiredGuid(headers, 'x-ms-lease-id') };
    case 'release':
      return { kind: 'release', id: requiredGuid(headers, 'x-ms-lease-id') };
    case 'change': {
      const id = requiredGuid(headers, 'x-ms-lease-id');
      return { kind: 'change', id, proposedId: requiredGuid(headers, 'x-ms-proposed-lease-id') };
    }
    case 'break': {
      const isGiven = sent(headers, 'x-ms-lease-break-period') !== undefined;
      const seconds = isGiven ? secondsOf(headers, 'x-ms-lease-break-period', isBreakPeriod) : undefined;
      return { kind: 'break', seconds };
    }
    default:
      throw new BlobError('InvalidHeaderValue', { name: 'x-ms-lease-action', value: action });
  }
}
