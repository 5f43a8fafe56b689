// A lease as lists and headers show it (protocol: blob-requests#lease-headers).
import type { LeaseState } from '#blobs';
import type { Header } from '../../shared/answer.js';
import { VERSION_OF_LEASE_STATES } from '../../shared/storage-exchange.js';

const LOCKED: ReadonlySet<LeaseState['state']> = new Set(['leased', 'breaking']);

const statusOf = ({ state }: LeaseState): string => (LOCKED.has(state) ? 'locked' : 'unlocked');

export function formatLease(lease: LeaseState, version: string): string {
  const status = `<LeaseStatus>${statusOf(lease)}</LeaseStatus>`;
  if (version < VERSION_OF_LEASE_STATES) return status;
  const duration = lease.duration === undefined ? '' : `<LeaseDuration>${lease.duration}</LeaseDuration>`;
  return `${status}<LeaseState>${lease.state}</LeaseState>${duration}`;
}

export function addLeaseHeaders(lease: LeaseState, headers: Header[]): void {
  headers.push(['x-ms-lease-status', statusOf(lease)], ['x-ms-lease-state', lease.state]);
  if (lease.duration !== undefined) headers.push(['x-ms-lease-duration', lease.duration]);
}
