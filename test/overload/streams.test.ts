// A blob of a gigabyte through a server that buffers none of it, while point gets run on other connections. `npm test`
// sends an eighth of it, npm run verify overload the whole.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import { accountSas } from '../simulation/run/signing.js';
import { blobPortOf, residentBytes, type SpawnedServer, spawnServer } from '../support/spawned-server.js';
import { Connection } from '../support/worker-processes.js';
import { createTable, get, KEYS, ROW, send } from '../support/worker-server.js';

const MEBIBYTE = 1_048_576;
const BYTES = (process.env.SHELFMARK_LONG === '1' ? 1_024 : 128) * MEBIBYTE;
const GROWTH_MAX = 64 * MEBIBYTE;
const PIECE = Buffer.alloc(MEBIBYTE, 'y');
const BLOB = { 'x-ms-blob-type': 'BlockBlob' };
const skip = process.platform !== 'linux';

async function start(t: TestContext): Promise<SpawnedServer> {
  const data = mkdtempSync(join(tmpdir(), 'shelfmark-streams-'));
  const args = ['--data', data, '--table-port', '0', '--durability', 'none'];
  const server = await spawnServer(['serve', ...args, '--silent']);
  t.after(async () => {
    await server.stop('SIGKILL');
    rmSync(data, { recursive: true });
  });
  const making = begin(server, 'PUT', 'files?restype=container&', { 'Content-Length': 0 });
  making.end();
  assert.equal((await answerTo(making)).status, 201);
  return server;
}

/** With a signature by default. */
function begin(
  server: SpawnedServer,
  method: string,
  path: string,
  headers: Readonly<Record<string, string | number>> = {},
  isSigned = true,
): http.ClientRequest {
  const url = `http://127.0.0.1:${blobPortOf(server)}/devstoreaccount1/${path}${isSigned ? accountSas('b') : ''}`;
  const all = { 'x-ms-version': '2021-12-02', ...headers };
  return http.request(url, { method, headers: all, agent: false });
}

interface Answered {
  readonly status: number | undefined;
  readonly length: number;
  readonly md5: unknown;
}

async function answerTo(request: http.ClientRequest): Promise<Answered> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let length = 0;
  for await (const piece of response) length += piece.length;
  return { status: response.statusCode, length, md5: response.headers['content-md5'] };
}

/** Sends the last piece after `beforeLast`. */
async function upload(
  server: SpawnedServer,
  size: number,
  beforeLast: () => Promise<unknown> = async () => undefined,
): Promise<Answered> {
  const request = begin(server, 'PUT', 'files/large?', { ...BLOB, 'Content-Length': size });
  const answering = answerTo(request);
  for (let sent = 0; sent < size; sent += PIECE.length) {
    if (sent + PIECE.length >= size) await beforeLast();
    if (!request.write(PIECE)) await once(request, 'drain');
  }
  request.end();
  return answering;
}

async function download(server: SpawnedServer): Promise<number> {
  const request = begin(server, 'GET', 'files/large?');
  request.end();
  return (await answerTo(request)).length;
}

function md5Of(size: number): string {
  const hash = createHash('md5');
  for (let hashed = 0; hashed < size; hashed += PIECE.length) hash.update(PIECE);
  return hash.digest('base64');
}

test(`${BYTES / MEBIBYTE} MiB up and down, in less than 64 MiB of memory, while point gets run`, {
  skip,
}, async t => {
  const server = await start(t);
  const connections = Array.from({ length: 4 }, () => new Connection(server.port));
  t.after(() => connections.map(connection => connection.close()));
  const [first] = connections;
  await first?.request(createTable('people'));
  await first?.request(send('POST', '/people', { ...KEYS, name: 'Ada' }));
  await upload(server, 16 * MEBIBYTE);
  await download(server);
  for (let warm = 0; warm < 200; warm++) await first?.request(get(`/people${ROW}`));

  // The peak is measured from here on (proc(5)).
  writeFileSync(`/proc/${server.pid}/clear_refs`, '5');
  const before = residentBytes(server);
  let isOver = false;
  let gets = 0;
  const reading = connections.map(async connection => {
    for (; !isOver; gets += 1) assert.equal((await connection.request(get(`/people${ROW}`))).status, 200);
  });
  const { status, md5 } = await upload(server, BYTES, () =>
    until('point gets are answered while a body comes', () => gets > 10),
  );
  const downloaded = await download(server);
  isOver = true;
  await Promise.all(reading);
  const grown = residentBytes(server, 'VmHWM') - before;
  t.diagnostic(`memory grew by ${(grown / MEBIBYTE).toFixed(1)} MiB; ${gets} point gets`);
  assert.deepEqual([status, md5, downloaded], [201, md5Of(BYTES), BYTES]);
  assert(grown < GROWTH_MAX, `${grown} bytes`);
});

test('the caller is known before a body is asked for, and what is wanted whole has a limit of its own', {
  skip,
}, async t => {
  const server = await start(t);
  const body = Buffer.alloc(5_000_000);
  const expecting = { ...BLOB, Expect: '100-continue', 'Content-Length': body.length };
  const asked = async (path: string, isSigned: boolean): Promise<readonly [unknown, boolean]> => {
    const request = begin(server, 'PUT', path, expecting, isSigned);
    let isContinued = false;
    request.on('continue', () => {
      isContinued = true;
      request.end(body);
    });
    request.on('error', () => undefined);
    request.flushHeaders();
    const { status } = await answerTo(request);
    request.destroy();
    return [status, isContinued];
  };
  assert.deepEqual(await asked('files/b?', false), [401, false]);
  assert.deepEqual(await asked('files/b?comp=tags&', true), [413, false]);
  assert.deepEqual(await asked('files/b?', true), [201, true]);

  const chunked = begin(server, 'PUT', 'files/b?comp=tags&', {
    'Transfer-Encoding': 'chunked',
  });
  const answering = answerTo(chunked);
  chunked.on('error', () => undefined);
  chunked.end(body);
  assert.equal((await answering).status, 413);
});
