// Secrets of the explorer: they belong together, replace one another, and are bounded. test/explorer/guard.test.ts has
// what a request with them gets.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Sessions } from './sessions.js';

function opened() {
  const clock = { now: 1_000_000 };
  const sessions = new Sessions({ now: () => clock.now, randomBytes });
  const open = () => {
    clock.now += 5_000;
    return sessions.open(sessions.newLink() ?? '') ?? assert.fail('There is no session.');
  };
  return { clock, sessions, open };
}

test('a proof is nothing without its own cookie, and a new link replaces the one before', () => {
  const { sessions, clock, open } = opened();
  const [one, other] = [open(), open()];
  assert(!sessions.admits(one.cookie, other.proof));
  sessions.end(one.cookie);
  assert(!sessions.admits(one.cookie, one.proof));
  assert(sessions.admits(other.cookie, other.proof));
  clock.now += 5_000;
  const replaced = sessions.newLink() ?? assert.fail();
  clock.now += 5_000;
  assert(sessions.newLink());
  assert.equal(sessions.open(replaced), undefined);
});

test('the oldest of many sessions ends, and a ticket after a minute', () => {
  const { sessions, clock, open } = opened();
  const first = open();
  for (let count = 0; count < 16; count++) {
    assert(sessions.admits(first.cookie));
    open();
  }
  assert(!sessions.admits(first.cookie));
  const download = { path: '/accounts/a/blob/c/b', name: 'b' };
  const [used, late] = [sessions.addTicket(download), sessions.addTicket(download)];
  assert.equal(sessions.takeTicket(used)?.path, download.path);
  clock.now += 61_000;
  assert.equal(sessions.takeTicket(late), undefined);
});
