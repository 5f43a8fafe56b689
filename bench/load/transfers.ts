// Transfers of large blobs. Neither side keeps a body in memory: uploads send one piece again and again, downloads count.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request as open } from 'node:http';
import { connect } from 'node:net';
import { type Endpoint, requestOf, wireText } from './request.js';
import { BLOCK_BLOB } from './requests.js';

export type Transfer = 'download' | 'upload' | 'upload-blocks';

const MEGABYTE = 1_000_000;
const BYTES = 256 * MEGABYTE;
/** At once, in blocks. */
const BLOBS = 4;
const BLOCK_BYTES = 4 * MEGABYTE;
/** What a client gives its socket at a time. */
const PIECE = Buffer.alloc(256 * 1024, 'content');
const READ_BYTES = 256 * 1024;
const HEAD_END = '\r\n\r\n';
const VERSION = { 'x-ms-version': '2021-08-06' };

interface Client {
  readonly at: Endpoint;
  /** Keeps connections from one block to the next. */
  readonly agent: Agent;
}

async function answerOf(request: ClientRequest, status: number): Promise<IncomingMessage> {
  const [answer]: IncomingMessage[] = await once(request, 'response');
  assert.equal(answer?.statusCode, status);
  return answer as IncomingMessage;
}

/** A PUT with a body of the text, or else of so many bytes. */
async function put({ agent, at }: Client, resource: string, bytes: number, text?: string): Promise<void> {
  const { method, path, headers } = requestOf(at, 'PUT', resource, BLOCK_BLOB);
  const length = { 'Content-Length': bytes };
  const request = open({
    port: at.port,
    host: '127.0.0.1',
    method,
    path,
    agent,
    headers: { ...headers, ...length },
  });
  const answered = answerOf(request, 201);
  // It is awaited below, unless the connection ends before.
  answered.catch(() => undefined);
  if (text === undefined)
    for (let left = bytes; left > 0; left -= PIECE.length)
      if (!request.write(left < PIECE.length ? PIECE.subarray(0, left) : PIECE)) await once(request, 'drain');
  request.end(text);
  (await answered).resume();
}

async function putBlocks(client: Client, blob: string): Promise<void> {
  const ids: string[] = [];
  for (let from = 0; from < BYTES / BLOBS; from += BLOCK_BYTES) {
    const id = Buffer.from(String(from).padStart(12, '0')).toString('base64');
    ids.push(`<Latest>${id}</Latest>`);
    const length = Math.min(BLOCK_BYTES, BYTES / BLOBS - from);
    await put(client, `${blob}?comp=block&blockid=${encodeURIComponent(id)}`, length);
  }
  const list = `<BlockList>${ids.join('')}</BlockList>`;
  await put(client, `${blob}?comp=blocklist`, list.length, list);
}

/** Reads into one buffer: node:http allocates one for each 64 KiB, which costs more than the server does. */
async function download({ at }: Client, blob: string): Promise<void> {
  const request = requestOf(at, 'GET', blob, { ...VERSION, Connection: 'close' });
  const buffer = Buffer.alloc(READ_BYTES);
  let [head, bytes] = ['', 0];
  const callback = (count: number): boolean => {
    if (bytes === 0) head = buffer.toString('latin1', 0, buffer.indexOf(HEAD_END));
    bytes += count;
    return true;
  };
  const socket = connect({ port: at.port, host: '127.0.0.1', onread: { buffer, callback } });
  socket.write(wireText(request));
  await once(socket, 'close');
  assert.match(head, /^HTTP\/1\.1 200 /);
  assert.equal(bytes - head.length - HEAD_END.length, BYTES);
}

/** Runs it once in the container. @returns megabytes a second. */
export async function transfer(kind: Transfer, at: Endpoint, container: string): Promise<number> {
  const client = { at, agent: new Agent({ keepAlive: true }) };
  const blob = `${container}/large`;
  const start = performance.now();
  if (kind === 'download') await download(client, blob);
  else if (kind === 'upload') await put(client, blob, BYTES);
  else {
    const blobs = Array.from({ length: BLOBS }, (_, number) => `${blob}-in-blocks-${number}`);
    await Promise.all(blobs.map(each => putBlocks(client, each)));
  }
  const seconds = (performance.now() - start) / 1000;
  client.agent.destroy();
  return BYTES / MEGABYTE / seconds;
}
