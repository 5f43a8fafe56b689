// One run at a time has a lock, also where several find that of a killed one.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { takeLock } from './files.js';

const MODULE = new URL('./files.js', import.meta.url).href;
const ROUNDS = 150;
const PROCESSES = 3;
/** No process has it. */
const DEAD = JSON.stringify({ pid: 2 ** 30, started: '1' });

/** Takes a lock every two milliseconds, from a time on, and keeps it; prints those that it got. */
function taker(t: TestContext, directory: string): ChildProcess {
  const script = `
    import { takeLock } from ${JSON.stringify(MODULE)};
    console.log('ready');
    const [start] = await new Promise(resolve => process.stdin.once('data', text => resolve([Number(text)])));
    const got = [];
    for (let round = 0; round < ${ROUNDS}; round++) {
      while (Date.now() < start + 2 * round);
      try {
        await takeLock(process.argv[1] + '/' + round, 'it');
        got.push(round);
      } catch (error) {
        if (error.exit !== 'conflict') throw error;
      }
    }
    console.log(JSON.stringify(got));
    process.stdin.once('data', () => process.exit(0));
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function told({ stdout }: ChildProcess): Promise<string> {
  assert(stdout !== null);
  const [line] = await once(stdout, 'data');
  return String(line).trim();
}

test('of several processes that find the lock of a killed one, one gets it', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'lock-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
  for (const round of rounds) writeFileSync(join(directory, String(round)), DEAD);
  const takers = Array.from({ length: PROCESSES }, () => taker(t, directory));
  await Promise.all(takers.map(told));
  const lines = Promise.all(takers.map(told));
  const start = Date.now() + 100;
  for (const { stdin } of takers) stdin?.write(String(start));
  const got = (await lines).map((line): readonly number[] => JSON.parse(line));
  assert.deepEqual(
    got.flat().sort((one, other) => one - other),
    rounds,
  );
  assert.equal(readdirSync(directory).length, ROUNDS);
  await assert.rejects(takeLock(join(directory, '0'), 'it'), /^ToolError: it is in use by process \d+\.$/);
});

test('a lock that was released is taken again', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'lock-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'lock');
  const release = await takeLock(path, 'it');
  const message = `it is in use by process ${process.pid}.`;
  await assert.rejects(takeLock(path, 'it'), { name: 'ToolError', message });
  release();
  (await takeLock(path, 'it'))();
  assert.deepEqual(readdirSync(directory), []);
});
