// Links and sessions: each link works once, both secrets are needed, idle sessions end.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { IDLE_MILLISECONDS_MAX, Sessions } from './sessions.js';

function opened() {
  const clock = { now: 1_000_000 };
  const sessions = new Sessions({ now: () => clock.now, randomBytes });
  const link = sessions.newLink() ?? assert.fail('There is no link.');
  return { clock, sessions, link };
}

test('a link opens one session', () => {
  const { sessions, link } = opened();
  assert.equal(sessions.open('something else'), undefined);
  const session = sessions.open(link);
  assert(session);
  assert.equal(sessions.open(link), undefined);
  assert(sessions.admits(session.cookie));
  assert(sessions.admits(session.cookie, session.proof));
});

test('the cookie is nothing with a wrong proof, the proof is nothing without its cookie', () => {
  const { sessions, link, clock } = opened();
  const one = sessions.open(link);
  clock.now += 10_000;
  const other = sessions.open(sessions.newLink() ?? '');
  assert(one && other);
  assert(!sessions.admits(one.cookie, ''));
  assert(!sessions.admits(one.cookie, other.proof));
  assert(!sessions.admits('', one.proof));
  sessions.end(one.cookie);
  assert(!sessions.admits(one.cookie, one.proof));
  assert(sessions.admits(other.cookie, other.proof));
});

test('a new link replaces the one before, and cannot be asked for in a loop', () => {
  const { sessions, link, clock } = opened();
  assert.equal(sessions.newLink(), undefined);
  clock.now += 5_000;
  const next = sessions.newLink();
  assert(next);
  assert.equal(sessions.open(link), undefined);
  assert(sessions.open(next));
});

test('a session ends after idle hours, not while it is used', () => {
  const { sessions, link, clock } = opened();
  const session = sessions.open(link);
  assert(session);
  clock.now += IDLE_MILLISECONDS_MAX;
  assert(sessions.admits(session.cookie));
  clock.now += IDLE_MILLISECONDS_MAX;
  assert(sessions.admits(session.cookie));
  clock.now += IDLE_MILLISECONDS_MAX + 1;
  assert(!sessions.admits(session.cookie));
});

test('the oldest of many sessions ends', () => {
  const { sessions, link, clock } = opened();
  const first = sessions.open(link);
  assert(first);
  for (let count = 0; count < 16; count++) {
    assert(sessions.admits(first.cookie));
    clock.now += 5_000;
    assert(sessions.open(sessions.newLink() ?? ''));
  }
  assert(!sessions.admits(first.cookie));
});
