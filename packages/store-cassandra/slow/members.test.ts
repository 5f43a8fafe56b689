// Processes that have a store open: one that sees no other is exclusive, and one that starts next to others serves no
// request until none of them is exclusive.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { until } from '#base/testing/until';
import { LiveMembers } from '../live-members.js';
import { Members } from '../members.js';
import type { Session } from '../session/session.js';
import { dropKeyspace, newPlace, openSession, skip } from '../testing/cluster.js';

describe('members', { skip }, () => {
  const text = newPlace();
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

  test('members: alone from the first moment, no longer when another serves, and again when it is gone', async () => {
    const first = member();
    await first.begin();
    // From the first moment, unless this process stood still for longer than its observation is valid.
    const period = await until('the first to be alone', () => first.alone);
    const second = member();
    await second.begin();
    assert.equal(first.alone, undefined);
    assert.equal(second.alone, undefined);
    await second.close();
    assert.notEqual(await until('the first to be alone again', () => first.alone), period);
    await first.close();
  });

  test('members: one that can no longer look is not alone', async () => {
    const only = member();
    await only.begin();
    const period = await until('it to be alone', () => only.alone);
    const { read } = session;
    session.read = () => Promise.reject(new Error('not now'));
    await until('it to be no longer alone', () => only.alone === undefined);
    session.read = read;
    assert.notEqual(await until('it to be alone again', () => only.alone), period);
    await only.close();
  });
});
