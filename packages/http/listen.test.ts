// What is handed on and written, to the letter, and a close that waits for requests in progress.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import type { WireRequest } from '#base';
import { type Listener, listen, type Respond } from './listen.js';
import { answer, connect, drain, HEAD } from './testing/raw-socket.js';
import { collecting, newGate, openStreams } from './testing/stream-listener.js';

interface Opened {
  readonly listener: Listener;
  /** The requests so far, in order. */
  readonly received: WireRequest[];
}

/** Answers with the target; closes when the test ends. */
async function open(context: TestContext, respond?: Respond): Promise<Opened> {
  const received: WireRequest[] = [];
  const take: Respond = request => {
    received.push(request);
    return respond ? respond(request) : Promise.resolve(answer(request.target));
  };
  return { listener: await openStreams(context, collecting(take)), received };
}

/** What a connection answers to these bytes, which should make it end. */
async function exchange(opened: Opened, bytes: string | Buffer): Promise<string> {
  const socket = connect(opened.listener);
  socket.write(bytes);
  return drain(socket);
}

const statusLines = (text: string): readonly string[] => text.match(/^HTTP\/1\.1 \d+ .*$/gm) ?? [];
const bodies = (text: string): readonly string[] => text.split(/HTTP\/1\.1 [\s\S]*?\r\n\r\n/).slice(1);

test('a request is handed on as it was sent', async context => {
  const opened = await open(context);
  const target = "http://other/a//T(PartitionKey=%27a%20b%27,RowKey='')?$filter=x+y&a=%zz";
  const headers = 'X-A: 1\r\nx-a: 2\r\nIf-Match: "a"\r\nif-match: "b"\r\n__proto__: y\r\n';
  await exchange(opened, `MERGE ${target} ${HEAD}${headers}Connection: close\r\n\r\n`);
  const [request] = opened.received;
  assert.ok(request);
  assert.deepEqual([request.method, request.target], ['MERGE', target]);
  assert.deepEqual([request.headers['x-a'], request.headers['if-match']], ['1, 2', '"a", "b"']);
  assert.deepEqual([request.secure, request.remoteAddress], [false, '127.0.0.1']);
  assert.deepEqual([request.headers.host, request.body.length, request.isBusy], ['other', 0, false]);
});

test('an answer is written as it is: phrase, order and spelling of headers, no body where there is none', async context => {
  const opened = await open(context, async ({ method }) => ({
    status: method === 'GET' ? 403 : 204,
    reason: method === 'GET' ? 'A whole sentence, said twice.' : undefined,
    headers: [
      ['x-Z', '1'],
      ['Content-Length', method === 'GET' ? '4' : '0'],
      ['ETag', `W/"datetime'2020'"`],
    ],
    body: method === 'GET' ? Buffer.from('body') : undefined,
  }));
  const text = await exchange(opened, `DELETE / ${HEAD}\r\nGET / ${HEAD}Connection: close\r\n\r\n`);
  assert.deepEqual(statusLines(text), [
    'HTTP/1.1 204 No Content',
    'HTTP/1.1 403 A whole sentence, said twice.',
  ]);
  const expected = (length: number) =>
    `\r\nx-Z: 1\r\nContent-Length: ${length}\r\nETag: W/"datetime'2020'"\r\nDate: `;
  assert.ok(text.includes(`No Content${expected(0)}`), text);
  assert.ok(text.includes(`said twice.${expected(4)}`), text);
  assert.ok(text.endsWith('\r\n\r\nbody'));
});

test('close waits for what is under way, then ends connections that would be kept', {
  timeout: 120_000,
}, async context => {
  const [begun, goOn] = [newGate(), newGate()];
  const opened = await open(context, async ({ target }) => {
    if (target === '/waits') {
      begun.open();
      await goOn.opened;
    }
    return answer(target);
  });
  const idle = connect(opened.listener);
  idle.write(`GET /idle ${HEAD}\r\n`);
  await once(idle, 'data');
  const idleEnds = once(idle, 'close');
  const waits = exchange(opened, `GET /waits ${HEAD}\r\n`);
  const uploads = connect(opened.listener);
  uploads.write(`PUT /upload ${HEAD}Content-Length: 4\r\n\r\nha`);
  const uploaded = drain(uploads);
  await begun.opened;
  let isClosed = false;
  const closing = opened.listener.close().then(() => {
    isClosed = true;
  });
  await idleEnds;
  const refused = connect(opened.listener);
  const [error] = await once(refused, 'error');
  assert.equal(error.code, 'ECONNREFUSED');
  assert.equal(isClosed, false);
  uploads.write('lf');
  assert.deepEqual(bodies(await uploaded), ['/upload']);
  assert.equal(isClosed, false);
  goOn.open();
  assert.deepEqual(bodies(await waits), ['/waits']);
  await closing;
  await opened.listener.close();
});

test('an address that is not available', async context => {
  const { listener } = await open(context);
  const again = listen({ host: '127.0.0.1', port: listener.port }, () => Promise.resolve(answer('')));
  await assert.rejects(again, { code: 'EADDRINUSE' });
});
