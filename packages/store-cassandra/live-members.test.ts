// Leases as one process sees them, at a clock of the test: when another process counts as ended, and when a process
// gives up its own lease.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LEASE_MS, LiveMembers, SUSPECT_MS } from './live-members.js';

const OTHER = { id: 'b', url: 'http://b', lease: '1' };

function liveAt(time: { now: number }): LiveMembers {
  const live = new LiveMembers(
    () => 'a',
    () => time.now,
  );
  live.url = 'http://a';
  return live;
}

const idsOf = (live: LiveMembers): readonly string[] => live.living().map(({ id }) => id);

test('live members: one whose count does not rise has ended after a lease', () => {
  const time = { now: 0 };
  const live = liveAt(time);
  const see = (beat: bigint): void => live.see(new Map([['b', { beat, peer: OTHER }]]));
  see(7n);
  for (const [now, ids] of [
    [LEASE_MS - 1, ['a', 'b']],
    [LEASE_MS, ['a', 'b']],
    [LEASE_MS + 1, ['a']],
  ] as const) {
    time.now = now;
    see(7n);
    assert.deepEqual(idsOf(live), ids, `${now} ms`);
  }
  see(8n);
  assert.deepEqual(idsOf(live), ['a', 'b']);
  live.see(new Map());
  assert.deepEqual(idsOf(live), ['a']);
});

test('live members: one that takes no requests is not among them', () => {
  const live = liveAt({ now: 0 });
  live.see(new Map([['b', { beat: 1n, peer: undefined }]]));
  assert.deepEqual(idsOf(live), ['a']);
});

test('live members: one that did not answer is avoided for a while', () => {
  const time = { now: 0 };
  const live = liveAt(time);
  live.suspect(OTHER);
  for (const [now, ids] of [
    [SUSPECT_MS - 1, ['a']],
    [SUSPECT_MS, ['a', 'b']],
  ] as const) {
    time.now = now;
    live.see(new Map([['b', { beat: BigInt(now), peer: OTHER }]]));
    assert.deepEqual(idsOf(live), ids, `${now} ms`);
  }
});

test('live members: a lease that was not renewed in time is replaced, even if it is renewed then', () => {
  const time = { now: 0 };
  const live = liveAt(time);
  const first = live.lease;
  time.now = LEASE_MS;
  assert.equal(live.lease, first);
  live.renew(1);
  time.now = LEASE_MS + 1;
  assert.equal(live.lease, first);
  time.now = LEASE_MS + 2;
  live.renew(LEASE_MS + 1);
  assert.notEqual(live.lease, first);
  assert.notEqual(live.own?.lease, first);
});
