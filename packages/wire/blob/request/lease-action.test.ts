// Lease actions: the headers that each needs, their bounds, and unknown actions.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BlobError } from '#blobs';
import type { Headers } from './header-values.js';
import { leaseActionOf } from './lease-action.js';

const ONE = '00000000-0000-0000-0000-000000000001';
const TWO = '00000000-0000-0000-0000-000000000002';

const act = (action: string, more: Headers = {}) => leaseActionOf({ 'x-ms-lease-action': action, ...more });

function refusal(action: string, more?: Headers): string {
  try {
    act(action, more);
  } catch (error) {
    assert(error instanceof BlobError);
    return `${error.code} ${error.detail.name}`;
  }
  return 'none';
}

test('acquire for 15 to 60 seconds or for good', () => {
  const lasting = (seconds: string, more: Headers = {}) =>
    act('acquire', { 'x-ms-lease-duration': seconds, ...more });
  assert.deepEqual(lasting('15'), { kind: 'acquire', seconds: 15, proposedId: undefined });
  assert.deepEqual(lasting('60', { 'x-ms-proposed-lease-id': ONE }), {
    kind: 'acquire',
    seconds: 60,
    proposedId: ONE,
  });
  assert.deepEqual(lasting('-1'), { kind: 'acquire', seconds: 'infinite', proposedId: undefined });
  for (const seconds of ['14', '61', '0', '-2', '-15', 'x', '15.0', '1e1', ' 15', '999999', 'NaN'])
    assert.equal(
      refusal('acquire', { 'x-ms-lease-duration': seconds }),
      'InvalidHeaderValue x-ms-lease-duration',
      seconds,
    );
  assert.equal(refusal('acquire'), 'MissingRequiredHeader x-ms-lease-duration');
  assert.equal(
    refusal('acquire', { 'x-ms-lease-duration': '15', 'x-ms-proposed-lease-id': 'x' }),
    'InvalidHeaderValue x-ms-proposed-lease-id',
  );
});

test('renew, release and change name the lease', () => {
  const id = { 'x-ms-lease-id': ONE };
  assert.deepEqual(act('renew', id), { kind: 'renew', id: ONE });
  assert.deepEqual(act('Release', id), { kind: 'release', id: ONE });
  assert.deepEqual(act('change', { ...id, 'x-ms-proposed-lease-id': TWO }), {
    kind: 'change',
    id: ONE,
    proposedId: TWO,
  });
  for (const action of ['renew', 'release', 'change']) {
    assert.equal(refusal(action), 'MissingRequiredHeader x-ms-lease-id');
    assert.equal(refusal(action, { 'x-ms-lease-id': 'x' }), 'InvalidHeaderValue x-ms-lease-id');
  }
  assert.equal(refusal('change', id), 'MissingRequiredHeader x-ms-proposed-lease-id');
});

test('break at once, in 0 to 60 seconds, or when the lease ends', () => {
  const within = (seconds: string) => ({ 'x-ms-lease-break-period': seconds });
  assert.deepEqual(act('break'), { kind: 'break', seconds: undefined });
  for (const seconds of [0, 60])
    assert.deepEqual(act('break', within(`${seconds}`)), { kind: 'break', seconds });
  for (const seconds of ['-1', '61', 'x'])
    assert.equal(refusal('break', within(seconds)), 'InvalidHeaderValue x-ms-lease-break-period', seconds);
});

test('no action, and one that nobody knows', () => {
  assert.equal(refusal(''), 'MissingRequiredHeader x-ms-lease-action');
  for (const action of ['x', 'constructor', 'acquire ', 'break,renew'])
    assert.equal(refusal(action), 'InvalidHeaderValue x-ms-lease-action', action);
});
