// Processes that have a store open: one that sees no other for alone, and one that begins beside others serves nobody until none of them does.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LiveMembers } from '../live-members.js';
import { Members } from '../members.js';
import type { Session } from '../session/session.js';
import { dropKeyspace } from '../testing/drop-keyspace.js';
import { openSession } from '../testing/open-session.js';

const host = process.env.SHELFMARK_CASSANDRA;
const LOOK_MS = 20;
const LOOKS = 200;

describe('members', { skip: host === undefined && 'SHELFMARK_CASSANDRA names no host' }, () => {
  const text = `//${host}/test_${randomBytes(6).toString('hex')}?create&replicas=1`;
  let session: Session;
  before(async () => {
    session = await openSession(text);
  });
  after(async () => {
    await session.close();
    await dropKeyspace(text);
  });

  const member = (): Members => {
    const members: Members = new Members(session, () => undefined, new LiveMembers(() => members.id));
    return members;
  };

  test('members: alone from the first moment, no more when another serves, and anew when it is gone', async () => {
    const first = member();
    await first.begin();
    const period = first.alone;
    assert.ok(period !== undefined);
    const second = member();
    await second.begin();
    assert.equal(first.alone, undefined);
    assert.equal(second.alone, undefined);
    await second.close();
    for (let look = 0; look < LOOKS && first.alone === undefined; look++) await sleep(LOOK_MS);
    assert.ok(first.alone !== undefined && first.alone !== period);
    await first.close();
  });

  test('members: one that can no longer look is not alone', async () => {
    const only = member();
    await only.begin();
    const period = only.alone;
    assert.ok(period !== undefined);
    const { read } = session;
    session.read = () => Promise.reject(new Error('not now'));
    for (let look = 0; look < LOOKS && only.alone !== undefined; look++) await sleep(LOOK_MS);
    assert.equal(only.alone, undefined);
    session.read = read;
    for (let look = 0; look < LOOKS && only.alone === undefined; look++) await sleep(LOOK_MS);
    assert.notEqual(only.alone, period);
    await only.close();
  });
});
