// A job in a process of its own; a wrong answer or a failure there ends the run here.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineNow } from '../machine/machine-clock.js';
import { drive } from './drive.js';
import type { Job, JobResult } from './job.js';
import { insert } from './requests.js';
import { type Answer, answering } from './testing/answering-server.js';

async function driveAgainst(
  answer: Answer | (() => Promise<Answer>),
  isGone = false,
  pace: Partial<Job> = {},
): Promise<JobResult> {
  const server = await answering(typeof answer === 'function' ? answer : () => answer);
  if (isGone) await server.close();
  const { port } = server;
  const requests = [insert({ port, account: 'a', signature: 'sig=s' }, 't')];
  try {
    const job = { port, rows: 1000, connections: 2, first: 3, count: 25, requests, ...pace };
    return await drive(job, 'built-in');
  } finally {
    if (!isGone) await server.close();
  }
}

test('the result comes back whole', async () => {
  const result = await driveAgainst({ status: 204, body: '' });
  assert.deepEqual([result.completed, result.used, result.absent, result.complaint], [25, 25, 0, undefined]);
  assert.ok(result.milliseconds > 0 && result.latency.p50 > 0);
});

test('an open loop reports when each request was due, on the clock of this process', async () => {
  const before = machineNow();
  const result = await driveAgainst({ status: 204, body: '' }, false, { milliseconds: 250, perSecond: 100 });
  const after = machineNow();
  const { due, latency } = result.momentsOf?.empty ?? { due: [], latency: [] };
  assert.deepEqual([due.length, latency.length, result.completed], [25, 25, 25]);
  assert.equal(Math.max(...latency), result.latency.max);
  const inOrder = due.toSorted((a, b) => a - b);
  const [first = 0] = inOrder;
  assert.ok(first > before);
  for (const [index, each] of inOrder.entries()) assert.ok(Math.abs(each - first - index * 10) < 0.001);
  for (const [index, each] of due.entries()) assert.ok(each + (latency[index] ?? 0) < after);
});

test('an open loop sends requests however long answers are delayed', async () => {
  const count = 25;
  let asked = 0;
  let release = (): void => {};
  const released = new Promise<Answer>(fulfil => {
    release = () => fulfil({ status: 204, body: '' });
  });
  const answer = (): Promise<Answer> => {
    asked += 1;
    if (asked === count) release();
    return released;
  };
  const result = await driveAgainst(answer, false, { milliseconds: 250, perSecond: 100 });
  assert.equal(result.completed, count);
});

test('a closed loop reports no moments', async () => {
  assert.equal((await driveAgainst({ status: 204, body: '' })).momentsOf, undefined);
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
