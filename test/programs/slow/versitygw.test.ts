// versitygw, an S3 gateway in Go, on its Azure backend, under its own suite of S3 tests. Skipped where it can't be installed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import { freePort, isTaken } from '../../support/taken-port.js';
import { commandOf } from '../install.js';
import { ACCOUNT, finish, KEY, newDirectory, startServer } from '../program.js';

const COMMAND = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const TESTS = 568;
const SUITE_MILLISECONDS_MAX = 900_000;
const USER = ['--access', 'user', '--secret', 'password'];
// The suite's client refuses to start with an authority of its own.
const ENV = { ...process.env, AWS_CA_BUNDLE: undefined };

/** Its address. */
async function startGateway(t: TestContext, program: string, iam: string, blobs: string): Promise<string> {
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const backend = ['azure', '--account', ACCOUNT, '--access-key', KEY, '--url', blobs];
  const gateway = spawn(program, [...USER, '--port', address, '--iam-dir', iam, '--quiet', ...backend], {
    env: ENV,
    stdio: 'ignore',
  });
  const ended = once(gateway, 'close');
  t.after(async () => {
    gateway.kill('SIGKILL');
    await ended;
  });
  await until('the gateway', () => gateway.exitCode !== null || isTaken(port));
  assert.equal(gateway.exitCode, null);
  return `http://${address}`;
}

test(`versitygw on blobs passes its own ${TESTS} tests of S3`, async t => {
  const installed = commandOf('versitygw', COMMAND);
  if ('missing' in installed) return t.skip(installed.missing);
  const { directory: cwd } = installed;
  const directory = newDirectory(t);
  const { blobs } = await startServer(t, directory);
  const iam = join(directory, 'iam');
  mkdirSync(iam);
  const endpoint = await startGateway(t, join(cwd, 'versitygw'), iam, blobs);

  // It calls ./versitygw to make users.
  const suite = ['test', ...USER, '--endpoint', endpoint, 'full-flow', '--azure', '--parallel'];
  const { printed } = await finish('./versitygw', suite, {
    cwd,
    env: ENV,
    killedAfterMilliseconds: SUITE_MILLISECONDS_MAX,
  });
  const failed = printed.split('\n').filter(line => line.includes('FAIL'));
  assert.match(printed, new RegExp(`RAN: ${TESTS} PASS: ${TESTS} FAIL: 0 `), failed.join('\n'));
});
