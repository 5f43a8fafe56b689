// Sentinels as processes: a pause is noted, and nothing fails if one cannot run as it should.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { machineNow } from './machine-clock.js';
import { allowedProcessors } from './processors.js';
import { Sentinel } from './sentinel.js';

const LINUX = { skip: process.platform === 'linux' ? false : 'not Linux' };
const STILL_MILLISECONDS = 50;
const [PROCESSOR = 0] = allowedProcessors();

/** `T` is stopped by a signal. */
const stateOf = (pid: number): string | undefined =>
  /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

test('a pause is noted from when it should have woken', LINUX, async () => {
  const sentinel = await Sentinel.start(PROCESSOR);
  const { pid } = sentinel;
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGSTOP');
  while (stateOf(pid) !== 'T') await sleep(1);
  // It was already asleep: at the latest by now it should have woken.
  await sleep(STILL_MILLISECONDS);
  const dueAtLatest = machineNow();
  await sleep(STILL_MILLISECONDS);
  const resumed = machineNow();
  process.kill(pid, 'SIGCONT');
  const { cost, lost } = await sentinel.stop();
  assert.equal(lost, undefined);
  assert.ok(cost !== undefined && cost > 0 && cost < 1, `cost: ${cost}`);
  assert.ok(
    sentinel.pauses.some(({ from, until }) => from <= dueAtLatest && until >= resumed),
    `${dueAtLatest} to ${resumed}: ${JSON.stringify(sentinel.pauses)}`,
  );
});

test('without the tools of Linux it runs as it is permitted', async () => {
  const nothing = mkdtempSync(join(tmpdir(), 'bench-sentinel-'));
  try {
    const sentinel = await Sentinel.start(PROCESSOR, nothing);
    const { isPinned, priority, lost } = await sentinel.stop();
    assert.equal(isPinned, false);
    assert.notEqual(priority, 'real-time');
    assert.equal(lost, undefined);
  } finally {
    rmdirSync(nothing);
  }
});

test('a processor that is not there', async () => {
  const { isPinned, lost } = await (await Sentinel.start(1_000_000)).stop();
  assert.deepEqual([isPinned, lost], [false, undefined]);
});

test('one that dies is reported, and what it noted stays', LINUX, async () => {
  const sentinel = await Sentinel.start(PROCESSOR);
  const { pid } = sentinel;
  assert.ok(pid !== undefined);
  process.kill(pid, 'SIGSTOP');
  await sleep(STILL_MILLISECONDS);
  process.kill(pid, 'SIGCONT');
  while (sentinel.pauses.length === 0) await sleep(1);
  process.kill(pid, 'SIGKILL');
  await sentinel.ended;
  const { cost, lost } = await sentinel.stop();
  assert.deepEqual([cost, lost], [undefined, 'ended with SIGKILL']);
  assert.ok(sentinel.pauses.length > 0);
});
