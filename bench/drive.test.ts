// A job in a process of its own, and that a wrong answer or a failure there ends the run here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Answer, answering } from './answering-server.test.fixture.js';
import { drive } from './drive.js';
import type { JobResult } from './job.js';
import { insert } from './requests.js';

async function driveAgainst(answer: Answer, isGone = false): Promise<JobResult> {
  const server = await answering(() => answer);
  if (isGone) await server.close();
  const { port } = server;
  const requests = [insert({ port, account: 'a', signature: 'sig=s' }, 't')];
  try {
    return await drive({ port, rows: 1000, connections: 2, first: 3, count: 25, requests }, 'built-in');
  } finally {
    if (!isGone) await server.close();
  }
}

test('the result comes back whole', async () => {
  const result = await driveAgainst({ status: 204, body: '' });
  assert.deepEqual([result.completed, result.used, result.absent, result.complaint], [25, 25, 0, undefined]);
  assert.ok(result.milliseconds > 0 && result.latency.p50 > 0);
});

test('a wrong answer fails the run', async () => {
  await assert.rejects(driveAgainst({ status: 412, body: 'no' }), {
    name: 'WrongAnswer',
    message: 'status 412: no',
  });
});

test('a server that is gone fails the run', async () => {
  await assert.rejects(driveAgainst({ status: 204, body: '' }, true), /ECONNREFUSED/);
});
