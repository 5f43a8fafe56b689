// Leases: each action in each state, and what each state lets through (protocol: leases).

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { checkLease, type Lease, leaseAfterWrite, stateOfLease } from './conditions.js';
import { changeLease, type LeaseAction } from './lease.js';

const SECOND = 10_000_000n;
const NOW = 1_000_000n * SECOND;
const lease = (expires: bigint, broken = 0n, seconds = 30): Lease => ({ id: 'a', seconds, expires, broken });

const STATES = {
  available: undefined,
  leased: lease(NOW + 20n * SECOND),
  infinite: lease(0n, 0n, 0),
  breaking: lease(NOW + 20n * SECOND, NOW + 10n * SECOND),
  broken: lease(NOW + 20n * SECOND, NOW - 1n),
  expired: lease(NOW),
} as const;

const acquire = (proposedId: string | undefined): LeaseAction => ({
  kind: 'acquire',
  seconds: 60,
  proposedId,
});
const ACTIONS = {
  'acquire a': acquire('a'),
  'acquire b': acquire('b'),
  'acquire new': acquire(undefined),
  'renew a': { kind: 'renew', id: 'a' },
  'renew b': { kind: 'renew', id: 'b' },
  'change a': { kind: 'change', id: 'a', proposedId: 'b' },
  'change to a': { kind: 'change', id: 'b', proposedId: 'a' },
  'change b': { kind: 'change', id: 'b', proposedId: 'c' },
  'release a': { kind: 'release', id: 'a' },
  'release b': { kind: 'release', id: 'b' },
  break: { kind: 'break', seconds: undefined },
  'break 0': { kind: 'break', seconds: 0 },
  'break 5': { kind: 'break', seconds: 5 },
  'break 60': { kind: 'break', seconds: 60 },
} as const satisfies Record<string, LeaseAction>;

const PRESENT = 'LeaseAlreadyPresent';
const MISMATCH = 'LeaseIdMismatchWithLeaseOperation';
const NONE = 'LeaseNotPresentWithLeaseOperation';
const NO_ACQUIRE = 'LeaseIsBreakingAndCannotBeAcquired';
const NO_CHANGE = 'LeaseIsBreakingAndCannotBeChanged';
const NO_RENEW = 'LeaseIsBrokenAndCannotBeRenewed';

/** The state and its owner, or the code; after a break the seconds that are left. */
const TABLE: Readonly<Record<keyof typeof STATES, Readonly<Record<keyof typeof ACTIONS, string>>>> = {
  available: {
    'acquire a': 'leased a',
    'acquire b': 'leased b',
    'acquire new': 'leased new',
    'renew a': MISMATCH,
    'renew b': MISMATCH,
    'change a': NONE,
    'change to a': NONE,
    'change b': NONE,
    'release a': MISMATCH,
    'release b': MISMATCH,
    break: NONE,
    'break 0': NONE,
    'break 5': NONE,
    'break 60': NONE,
  },
  leased: {
    'acquire a': 'leased a',
    'acquire b': PRESENT,
    'acquire new': PRESENT,
    'renew a': 'leased a',
    'renew b': MISMATCH,
    'change a': 'leased b',
    'change to a': 'leased a',
    'change b': MISMATCH,
    'release a': 'available',
    'release b': MISMATCH,
    break: 'breaking a 20',
    'break 0': 'broken a 0',
    'break 5': 'breaking a 5',
    'break 60': 'breaking a 20',
  },
  infinite: {
    'acquire a': 'leased a',
    'acquire b': PRESENT,
    'acquire new': PRESENT,
    'renew a': 'leased a',
    'renew b': MISMATCH,
    'change a': 'leased b',
    'change to a': 'leased a',
    'change b': MISMATCH,
    'release a': 'available',
    'release b': MISMATCH,
    break: 'broken a 0',
    'break 0': 'broken a 0',
    'break 5': 'breaking a 5',
    'break 60': 'breaking a 60',
  },
  breaking: {
    'acquire a': NO_ACQUIRE,
    'acquire b': PRESENT,
    'acquire new': PRESENT,
    'renew a': NO_RENEW,
    'renew b': MISMATCH,
    'change a': NO_CHANGE,
    'change to a': NO_CHANGE,
    'change b': MISMATCH,
    'release a': 'available',
    'release b': MISMATCH,
    break: 'breaking a 10',
    'break 0': 'broken a 0',
    'break 5': 'breaking a 5',
    'break 60': 'breaking a 10',
  },
  broken: {
    'acquire a': 'leased a',
    'acquire b': 'leased b',
    'acquire new': 'leased new',
    'renew a': NO_RENEW,
    'renew b': MISMATCH,
    'change a': NONE,
    'change to a': NONE,
    'change b': NONE,
    'release a': 'available',
    'release b': MISMATCH,
    break: 'broken a 0',
    'break 0': 'broken a 0',
    'break 5': 'broken a 0',
    'break 60': 'broken a 0',
  },
  expired: {
    'acquire a': 'leased a',
    'acquire b': 'leased b',
    'acquire new': 'leased new',
    'renew a': 'leased a',
    'renew b': MISMATCH,
    'change a': NONE,
    'change to a': NONE,
    'change b': NONE,
    'release a': 'available',
    'release b': MISMATCH,
    break: 'broken a 0',
    'break 0': 'broken a 0',
    'break 5': 'broken a 0',
    'break 60': 'broken a 0',
  },
};

function outcome(action: LeaseAction, state: Lease | undefined): string {
  try {
    const made = changeLease(state, action, NOW, 'new', 'Blob');
    const { state: now } = stateOfLease(made.lease, NOW);
    return [now, made.lease?.id, made.seconds].filter(each => each !== undefined).join(' ');
  } catch (error) {
    return (error as { readonly code: string }).code;
  }
}

describe('actions', () => {
  for (const [state, expected] of Object.entries(TABLE))
    test(`on a lease that is ${state}`, () => {
      for (const [name, result] of Object.entries(expected)) {
        const found = outcome(ACTIONS[name as keyof typeof ACTIONS], STATES[state as keyof typeof STATES]);
        assert.equal(found, result, name);
      }
    });

  test('a renewed lease lasts as long as it was acquired for', () => {
    const { lease: renewed } = changeLease(STATES.leased, ACTIONS['renew a'], NOW, 'new', 'Blob');
    assert.equal(renewed?.expires, NOW + 30n * SECOND);
  });

  test('of containers have texts of their own', () => {
    const code = 'LeaseAlreadyPresent:Container';
    assert.throws(() => changeLease(STATES.leased, ACTIONS['acquire b'], NOW, 'new', 'Container'), { code });
  });
});

test('which operations a lease lets through', () => {
  const through = (state: Lease | undefined, id: string | undefined, isGuarded: boolean): string => {
    try {
      checkLease(state, id, NOW, isGuarded, 'Blob');
      return 'ok';
    } catch (error) {
      return (error as { readonly code: string }).code.replace('WithBlobOperation', '');
    }
  };
  const all = (state: Lease | undefined) => [
    through(state, undefined, true),
    through(state, undefined, false),
    through(state, 'a', true),
    through(state, 'b', false),
  ];
  assert.deepEqual(all(STATES.available), ['ok', 'ok', 'LeaseNotPresent', 'LeaseNotPresent']);
  for (const state of ['leased', 'infinite', 'breaking'] as const)
    assert.deepEqual(all(STATES[state]), ['LeaseIdMissing', 'ok', 'ok', 'LeaseIdMismatch'], state);
  for (const state of ['broken', 'expired'] as const)
    assert.deepEqual(all(STATES[state]), ['ok', 'ok', 'LeaseLost', 'LeaseIdMismatch'], state);
});

test('a write removes a lease that has ended', () => {
  for (const state of ['broken', 'expired'] as const)
    assert.equal(leaseAfterWrite(STATES[state], NOW), undefined);
  for (const state of ['leased', 'infinite', 'breaking'] as const)
    assert.equal(leaseAfterWrite(STATES[state], NOW), STATES[state]);
});
