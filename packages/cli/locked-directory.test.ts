// One server per directory: a second one is refused with the first one's address; a server that is gone blocks none.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { until } from '#base/testing/until';
import { startLocked } from './locked-directory.js';

const MODULE = new URL('./locked-directory.js', import.meta.url).href;
const skip = process.platform === 'win32';

function newDirectory(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'held-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

/** A process that locks the directory, at once or on request, reports the result, and keeps the lock until it is stopped. */
function hold(t: TestContext, directory: string, waits = false): ChildProcess {
  const script = `
    import { startLocked } from ${JSON.stringify(MODULE)};
    if (${waits}) {
      console.log('waits');
      await new Promise(resolve => process.stdin.once('data', resolve));
    }
    const start = async () => process.argv[1];
    await startLocked(process.argv[1], start, () => 'http://there').then(
      () => console.log('held'),
      error => console.log(error.message),
    );
    process.on('SIGTERM', () => process.exit(0));
    setInterval(() => undefined, 1e6);
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.kill('SIGKILL'));
  return child;
}

async function said(child: ChildProcess): Promise<string> {
  assert(child.stdout !== null);
  const [line] = await once(child.stdout, 'data');
  return String(line).trim();
}

const take = (directory: string): Promise<string> =>
  startLocked(
    directory,
    async () => directory,
    () => 'here',
  );

/** For a server that is busy for two seconds the message only reports that it does not answer. */
const refusalOf = (directory: string): Promise<{ readonly name: string; readonly message: string }> =>
  until('the other server answers', async () => {
    const refusal: unknown = await take(directory).catch(error => error);
    assert(refusal instanceof Error, 'The directory was taken.');
    const { name, message } = refusal;
    return message.includes('which does not answer') ? undefined : { name, message };
  });

test('a second server is refused with the first one’s address; a killed or stopped one blocks none', {
  skip,
}, async t => {
  // Longer than the name of a socket may be.
  const directory = join(newDirectory(t), 'a'.repeat(120));
  mkdirSync(directory);
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const first = hold(t, directory);
    assert.equal(await said(first), 'held');
    const message = `${directory} is in use by process ${first.pid} (http://there): stop it, or choose another directory with --data.`;
    const path = join(directory, 'server.sock');
    const before = statSync(path, { bigint: true });
    // A replaced socket would have another time.
    await setTimeout(20);
    assert.deepEqual(await refusalOf(directory), { name: 'ConfigurationError', message });
    assert.equal(statSync(path, { bigint: true }).ctimeNs, before.ctimeNs, 'It was put aside for a moment.');
    const gone = once(first, 'exit');
    first.kill(signal);
    await gone;
    assert.equal(existsSync(path), signal === 'SIGKILL');
  }
  assert.equal(await take(directory), directory);
  assert.deepEqual(readdirSync(directory), ['server.sock']);
});

test('of many servers that start at once after a kill, one gets the lock', {
  skip: skip || process.env.SHELFMARK_LONG !== '1',
}, async t => {
  for (let round = 0; round < 3; round++) {
    const directory = newDirectory(t);
    const first = hold(t, directory);
    await said(first);
    first.kill('SIGSTOP');
    await assert.rejects(take(directory), /in use by another server, which does not answer: stop it/);
    first.kill('SIGKILL');
    await once(first, 'exit');
    const others = Array.from({ length: 6 }, () => hold(t, directory, true));
    await Promise.all(others.map(said));
    const saying = Promise.all(others.map(said));
    for (const other of others) other.stdin?.write('now');
    const answers = await saying;
    assert.equal(answers.filter(answer => answer === 'held').length, 1, answers.join('\n'));
    assert.deepEqual(readdirSync(directory), ['server.sock']);
    const gone = others.map(other => once(other, 'exit'));
    for (const other of others) other.kill('SIGKILL');
    await Promise.all(gone);
  }
});

test('a path that is not a directory, or missing, is left to the engine', { skip }, async t => {
  const directory = newDirectory(t);
  const file = join(directory, 'file');
  writeFileSync(file, '');
  const failing = startLocked(
    file,
    () => Promise.reject(new Error('mine')),
    () => '',
  );
  await assert.rejects(failing, /^Error: mine$/);
  const made = join(directory, 'made');
  await startLocked(
    made,
    async () => mkdirSync(made),
    () => '',
  );
  assert.deepEqual(readdirSync(made), ['server.sock']);
});
