// A lease in lists and headers: its status, its state, and its duration while it is leased.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LeaseState } from '#blobs';
import { formatLease, leaseHeaders } from './lease-elements.js';

const STATES: readonly (readonly [LeaseState, status: string])[] = [
  [{ state: 'available', duration: undefined }, 'unlocked'],
  [{ state: 'leased', duration: 'fixed' }, 'locked'],
  [{ state: 'leased', duration: 'infinite' }, 'locked'],
  [{ state: 'breaking', duration: undefined }, 'locked'],
  [{ state: 'broken', duration: undefined }, 'unlocked'],
  [{ state: 'expired', duration: undefined }, 'unlocked'],
];

test('every state is told in both forms', () => {
  for (const [lease, status] of STATES) {
    const { state, duration } = lease;
    const element = duration === undefined ? '' : `<LeaseDuration>${duration}</LeaseDuration>`;
    assert.equal(
      formatLease(lease, '2012-02-12'),
      `<LeaseStatus>${status}</LeaseStatus><LeaseState>${state}</LeaseState>${element}`,
    );
    assert.equal(formatLease(lease, '2012-02-11'), `<LeaseStatus>${status}</LeaseStatus>`);
    assert.deepEqual(leaseHeaders(lease), [
      ['x-ms-lease-status', status],
      ['x-ms-lease-state', state],
      ...(duration === undefined ? [] : [['x-ms-lease-duration', duration]]),
    ]);
  }
});
