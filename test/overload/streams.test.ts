// Bodies of a gigabyte through a server that buffers none of it, while point gets run on other connections. `npm test`
// sends an eighth of it, npm run verify overload the whole.
import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { until } from '#base/testing/until';
import type { ByteServer, MemoryGrowth } from '../support/byte-server.js';
import { NOTE_BYTES_MAX } from '../support/byte-service.js';
import { inAccount, type RawResponse, rawRequest } from '../support/raw-client.js';

const MEBIBYTE = 1_048_576;
const BYTES = (process.env.SHELFMARK_LONG === '1' ? 1_024 : 128) * MEBIBYTE;
const GROWTH_MAX = 64 * MEBIBYTE;
const PIECE = Buffer.alloc(MEBIBYTE, 'y');

interface Started {
  readonly server: ByteServer;
  readonly process: ChildProcess;
}

async function start(t: TestContext): Promise<Started> {
  const process = fork(fileURLToPath(new URL('../support/byte-server.js', import.meta.url)));
  t.after(() => process.kill('SIGKILL'));
  const [server] = (await once(process, 'message')) as [ByteServer];
  return { server, process };
}

/** Memory growth since the last reset. */
async function growth({ process }: Started): Promise<MemoryGrowth> {
  process.send('tell');
  const [grown] = (await once(process, 'message')) as [MemoryGrowth];
  return grown;
}

/** Signed by Shared Key Lite; unsigned without a key. */
function begin(
  { account: { name, key }, bytes }: ByteServer,
  method: string,
  resource: string,
  headers: Readonly<Record<string, string | number>> = {},
  isSigned = true,
): http.ClientRequest {
  const date = new Date().toUTCString();
  const text = `${method}\n\n\n\nx-ms-date:${date}\nx-ms-version:2020-02-10\n/${name}/${name}/${resource}`;
  const signature = createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64');
  const authorization = isSigned ? { authorization: `SharedKeyLite ${name}:${signature}` } : {};
  const all = { 'x-ms-date': date, 'x-ms-version': '2020-02-10', ...authorization, ...headers };
  return http.request(`${bytes}/${resource}`, { method, headers: all, agent: false });
}

interface Answered {
  readonly status: number | undefined;
  readonly length: number;
  readonly text: string;
}

async function answerTo(request: http.ClientRequest): Promise<Answered> {
  const [response] = (await once(request, 'response')) as [http.IncomingMessage];
  let length = 0;
  let first: Buffer | undefined;
  for await (const piece of response) {
    first ??= piece;
    length += piece.length;
  }
  return { status: response.statusCode, length, text: first?.toString('latin1', 0, 100) ?? '' };
}

/** Sends the last piece after `beforeLast`. */
async function upload(
  server: ByteServer,
  size: number,
  beforeLast: () => Promise<unknown> = async () => undefined,
): Promise<string> {
  const request = begin(server, 'PUT', 'bytes', { 'Content-Length': size });
  const answering = answerTo(request);
  for (let sent = 0; sent < size; sent += PIECE.length) {
    if (sent + PIECE.length >= size) await beforeLast();
    if (!request.write(PIECE)) await once(request, 'drain');
  }
  request.end();
  return (await answering).text;
}

async function download(server: ByteServer, size: number): Promise<number> {
  const request = begin(server, 'GET', String(size));
  request.end();
  return (await answerTo(request)).length;
}

const md5Of = (size: number): string => {
  const hash = createHash('md5');
  for (let hashed = 0; hashed < size; hashed += PIECE.length) hash.update(PIECE);
  return hash.digest('hex');
};

/** Reads one entity again and again; adds the times of the answers, in milliseconds, to `times`. */
async function pointGets(server: ByteServer, times: number[], isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const begun = performance.now();
    const answer = await pointGet(server);
    assert.equal(answer.status, 200);
    times.push(performance.now() - begun);
  }
}

const pointGet = (server: ByteServer): Promise<RawResponse> =>
  rawRequest(server, { method: 'GET', target: inAccount(server, "/people(PartitionKey='p',RowKey='r')") });

async function makeEntity(server: ByteServer): Promise<void> {
  const post = (path: string, body: object): Promise<RawResponse> =>
    rawRequest(server, {
      method: 'POST',
      target: inAccount(server, path),
      headers: { 'Content-Type': 'application/json', Accept: 'application/json;odata=nometadata' },
      body: JSON.stringify(body),
    });
  await post('/Tables', { TableName: 'people' });
  assert.equal((await post('/people', { PartitionKey: 'p', RowKey: 'r', name: 'Ada' })).status, 201);
}

test(`${BYTES / MEBIBYTE} MiB up and down, in less than 64 MiB of memory, while point gets run`, async t => {
  const started = await start(t);
  const { server } = started;
  await makeEntity(server);
  await upload(server, 16 * MEBIBYTE);
  await download(server, 16 * MEBIBYTE);
  for (let warm = 0; warm < 200; warm++) await pointGet(server);

  started.process.send('reset');
  let isOver = false;
  const times: number[] = [];
  const getting = Promise.all([1, 2, 3, 4].map(() => pointGets(server, times, () => isOver)));
  const begun = performance.now();
  const uploaded = await upload(server, BYTES, () =>
    until('point gets are answered while a body comes', () => times.length > 10),
  );
  const between = performance.now();
  const downloaded = await download(server, BYTES);
  const ended = performance.now();
  isOver = true;
  await getting;
  times.sort((a, b) => a - b);
  const { resident, external } = await growth(started);

  const mebibytes = (bytes: number): string => (bytes / MEBIBYTE).toFixed(1);
  const rate = (milliseconds: number): string =>
    `${Math.round(BYTES / MEBIBYTE / (milliseconds / 1_000))} MiB/s`;
  t.diagnostic(
    `up ${rate(between - begun)}, down ${rate(ended - between)}; resident memory grew by ${mebibytes(resident)} MiB, external by ${mebibytes(external)}; ` +
      `${times.length} point gets, p50 ${times[times.length >> 1]?.toFixed(1)} ms, p99 ${times[Math.floor(times.length * 0.99)]?.toFixed(1)} ms`,
  );
  assert.equal(uploaded, `${BYTES} ${md5Of(BYTES)}`);
  assert.equal(downloaded, BYTES);
  assert(resident < GROWTH_MAX && external < GROWTH_MAX, `${resident} bytes resident, ${external} external`);
});

test('the caller is known before a body is asked for, and a route that wants its body whole has a limit of its own', async t => {
  const { server } = await start(t);
  const expecting = { Expect: '100-continue', 'Content-Length': 5_000_000 };
  const asked = async (resource: string, isSigned: boolean): Promise<readonly [unknown, boolean]> => {
    const request = begin(server, 'PUT', resource, expecting, isSigned);
    let isContinued = false;
    request.on('continue', () => {
      isContinued = true;
      request.end(Buffer.alloc(5_000_000));
    });
    request.on('error', () => undefined);
    request.flushHeaders();
    const { status } = await answerTo(request);
    request.destroy();
    return [status, isContinued];
  };
  assert.deepEqual(await asked('bytes', false), [404, false]);
  assert.deepEqual(await asked('note', true), [413, false]);
  assert.deepEqual(await asked('bytes', true), [201, true]);

  const note = async (size: number): Promise<Answered> => {
    const request = begin(server, 'PUT', 'note', { 'Transfer-Encoding': 'chunked' });
    const answering = answerTo(request);
    request.flushHeaders();
    for (let left = size; left > 0; left -= 50_000) request.write(Buffer.alloc(Math.min(left, 50_000)));
    request.end();
    return answering;
  };
  assert.deepEqual(await note(NOTE_BYTES_MAX), { status: 201, length: 6, text: '100000' });
  assert.deepEqual([(await note(NOTE_BYTES_MAX + 1)).status, (await note(10)).text], [413, '10']);
});

test('a body that fails while it is sent cuts its connection', async t => {
  const { server } = await start(t);
  const request = begin(server, 'GET', 'broken');
  request.end();
  await assert.rejects(answerTo(request), { code: 'ECONNRESET' });
});
