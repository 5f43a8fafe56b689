// Signals, with one process and several: requests in progress are answered and their connections closed, slow ones are
// cut, and a second signal ends the process at once. `npm test` runs the first of them, npm run verify overload all.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import { type RawRequest, signedHeaders } from '../support/raw-client.js';
import { type SpawnedServer, spawnServer } from '../support/spawned-server.js';
import { isTaken } from '../support/taken-port.js';
import { WELL_KNOWN } from '../support/worker-processes.js';

const isLong = process.env.SHELFMARK_LONG === '1';
const skip = !isLong || process.platform !== 'linux';

async function serve(t: TestContext, workers: number, drainSeconds: number): Promise<SpawnedServer> {
  const directory = mkdtempSync(join(tmpdir(), 'shelfmark-stop-'));
  t.after(() => rmSync(directory, { recursive: true, maxRetries: 5 }));
  const options = ['--workers', String(workers), '--drain-seconds', String(drainSeconds)];
  const server = await spawnServer([
    'serve',
    '--silent',
    '--data',
    directory,
    '--table-port',
    '0',
    ...options,
  ]);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

interface Upload {
  readonly socket: Socket;
  readonly closed: Promise<string>;
}

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A request of a known caller in progress: its last byte is still to come. Its connection was used before and would be kept. */
async function upload(server: SpawnedServer): Promise<Upload> {
  const socket = connect(server.port, '127.0.0.1');
  socket.on('error', () => undefined);
  const head = (request: RawRequest): string => {
    const headers = Object.entries({ Host: 'h', ...signedHeaders({ account: WELL_KNOWN }, request) });
    const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    return `${request.method} ${request.target} HTTP/1.1\r\n${lines}\r\n`;
  };
  const target = '/devstoreaccount1/things';
  socket.write(head({ method: 'GET', target }));
  const [first] = await once(socket, 'data');
  assert.match(String(first), /\r\nConnection: keep-alive\r\n/);
  let text = '';
  socket.on('data', bytes => {
    text += String(bytes);
  });
  const closed = new Promise<string>(resolve => {
    socket.on('close', () => resolve(text.slice(CONTINUE.length)));
  });
  socket.write(head({ method: 'POST', target, headers: { Expect: '100-continue' }, body: '{}' }));
  await until('the body is asked for', () => text === CONTINUE);
  socket.write('{');
  return { socket, closed };
}

for (const workers of [1, 2]) {
  const of = workers === 1 ? 'one process' : 'several processes';

  test(`${of}: requests in progress are answered, and their connections closed`, {
    skip: process.platform !== 'linux' || (!isLong && workers > 1),
  }, async t => {
    const server = await serve(t, workers, 60);
    const { socket, closed } = await upload(server);
    const stopped = server.stop('SIGTERM');
    await until('nobody new is let in', async () => !(await isTaken(server.port)));
    socket.write('}');
    assert.match(await closed, /^HTTP\/1\.1 4[\s\S]*\r\nConnection: close\r\n/);
    assert.equal((await stopped).code, 0);
  });

  test(`${of}: requests that take too long are cut`, { skip }, async t => {
    const server = await serve(t, workers, 1);
    const { closed } = await upload(server);
    const begun = performance.now();
    const { code, stderr } = await server.stop('SIGTERM');
    const seconds = (performance.now() - begun) / 1_000;
    assert.deepEqual([code, stderr, await closed], [0, '', '']);
    assert(seconds >= 1, `It took ${seconds} s.`);
  });

  test(`${of}: a second signal does not wait`, { skip, timeout: 120_000 }, async t => {
    const server = await serve(t, workers, 3_600);
    const { closed } = await upload(server);
    const stopped = server.stop('SIGTERM');
    await until('nobody new is let in', async () => !(await isTaken(server.port)));
    process.kill(server.pid, 'SIGTERM');
    assert.deepEqual([(await stopped).code, await closed], [1, '']);
  });
}
