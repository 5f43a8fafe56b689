// Sockets: bodies up to their limit and beyond, bodies that are cut off or aborted, what is handed on and written, and a close
// that waits for requests in progress.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { type TestContext, test } from 'node:test';
import type { WireRequest } from '#base';
import { type Listener, listen, type Respond } from './listen.js';
import { makeCertificate } from './testing/certificate.js';
import { answer, connect, drain, HEAD, LAST } from './testing/raw-socket.js';
import { collecting, PATIENT } from './testing/stream-listener.js';

const BODY_BYTES_MAX = 4_000_000;

interface Opened {
  readonly listener: Listener;
  /** The requests so far, in order. */
  readonly received: WireRequest[];
}

/** Answers with the target; closes when the test ends. */
async function open(context: TestContext, respond?: Respond): Promise<Opened> {
  const received: WireRequest[] = [];
  const options = { host: '127.0.0.1', port: 0, bodyBytesMax: BODY_BYTES_MAX, timeouts: PATIENT };
  const take: Respond = request => {
    received.push(request);
    return respond ? respond(request) : Promise.resolve(answer(request.target));
  };
  const listener = await listen(options, collecting(take, BODY_BYTES_MAX));
  context.after(() => listener.close());
  return { listener, received };
}

/** What a connection answers to these bytes, which should make it end. */
async function exchange(opened: Opened, bytes: string | Buffer): Promise<string> {
  const socket = connect(opened.listener);
  socket.write(bytes);
  return drain(socket);
}

const statusLines = (text: string): readonly string[] => text.match(/^HTTP\/1\.1 \d+ .*$/gm) ?? [];
const bodies = (text: string): readonly string[] => text.split(/HTTP\/1\.1 [\s\S]*?\r\n\r\n/).slice(1);

const chunk = (bytes: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);

test('bodies of limit - 1, limit and limit + 1 bytes, with their length or in chunks, on one connection', async context => {
  const opened = await open(context);
  const sizes = [BODY_BYTES_MAX - 1, BODY_BYTES_MAX, BODY_BYTES_MAX + 1, 2 * BODY_BYTES_MAX, 0, 1];
  const parts: Buffer[] = [];
  for (const size of sizes) {
    const body = Buffer.alloc(size, 'abc');
    parts.push(Buffer.from(`POST /${size} ${HEAD}Content-Length: ${size}\r\n\r\n`), body);
    const half = Math.ceil(size / 2);
    parts.push(Buffer.from(`POST /${size} ${HEAD}Transfer-Encoding: chunked\r\n\r\n`));
    if (size > 0) parts.push(chunk(body.subarray(0, half)));
    if (size > 1) parts.push(chunk(body.subarray(half)));
    parts.push(Buffer.from('0\r\n\r\n'));
  }
  const text = await exchange(opened, Buffer.concat([...parts, Buffer.from(LAST)]));
  assert.deepEqual(bodies(text), [...sizes.flatMap(size => [`/${size}`, `/${size}`]), '/last']);
  for (const size of sizes) {
    const isTooLarge = size > BODY_BYTES_MAX;
    const requests = opened.received.filter(({ target }) => target === `/${size}`);
    assert.equal(requests.length, 2);
    for (const request of requests) {
      assert.equal(request.bodyTooLarge ?? false, isTooLarge, request.target);
      assert.ok(request.body.equals(Buffer.alloc(isTooLarge ? 0 : size, 'abc')), request.target);
    }
  }
});

test('a body that never ends is answered after a while, and the connection ends', async context => {
  const opened = await open(context);
  const socket = connect(opened.listener);
  socket.write(`POST /endless ${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const piece = chunk(Buffer.alloc(BODY_BYTES_MAX));
  const pump = (): void => {
    while (socket.writable && socket.write(piece));
  };
  socket.on('drain', pump);
  pump();
  await drain(socket);
  assert.deepEqual(
    opened.received.map(({ target, bodyTooLarge, body }) => [target, bodyTooLarge, body.length]),
    [['/endless', true, 0]],
  );
});

test('a body that is cut off is never handed on, and other requests are served in the meantime', async context => {
  const opened = await open(context);
  const heads = [
    'Content-Length: 100\r\n\r\nhalf',
    'Transfer-Encoding: chunked\r\n\r\nff\r\nhalf',
    'Content-Length: 1\r\n\r\n',
  ];
  for (const head of heads) {
    const ended = connect(opened.listener);
    ended.end(`POST /cut ${HEAD}${head}`);
    await drain(ended);
    const aborted = connect(opened.listener);
    await new Promise<void>(resolve => aborted.write(`POST /cut ${HEAD}${head}`, () => resolve()));
    aborted.resetAndDestroy();
    assert.deepEqual(bodies(await exchange(opened, LAST)), ['/last']);
  }
  assert.deepEqual(
    opened.received.map(({ target }) => target),
    ['/last', '/last', '/last'],
  );
});

test('bytes that are not HTTP are refused, and the connection ends', async context => {
  const opened = await open(context);
  for (const bytes of ['\u0016\u0003\u0001\u0002', '\rGET / ', `\r\n\rGET / ${HEAD}\r\n`]) {
    const text = await exchange(opened, bytes);
    assert.deepEqual(statusLines(text), ['HTTP/1.1 400 Bad Request'], JSON.stringify(bytes));
    assert.match(text, /^connection: close\r$/im);
  }
  assert.deepEqual(opened.received, []);
});

test('a request line of 32 KiB is accepted', async context => {
  const opened = await open(context);
  const target = `/long?query=${'x'.repeat(33_000)}`;
  const taken = await exchange(opened, `GET ${target} ${HEAD}Connection: close\r\n\r\n`);
  assert.deepEqual(bodies(taken), [target]);
});

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

test('a client that waits for 100 Continue gets it', async context => {
  const opened = await open(context);
  const socket = connect(opened.listener);
  socket.write(`PUT /e ${HEAD}Expect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n`);
  const [first] = await once(socket, 'data');
  assert.match(String(first), /^HTTP\/1\.1 100 Continue/);
  socket.write('ok');
  assert.match(await drain(socket), /\/e$/);
  assert.equal(opened.received[0]?.body.toString(), 'ok');
});

test('an unhandled fault ends its connection and no other', async context => {
  const opened = await open(context, ({ target }) =>
    target === '/fault' ? Promise.reject(new Error('a fault')) : Promise.resolve(answer(target)),
  );
  assert.equal(await exchange(opened, `GET /fault ${HEAD}\r\n`), '');
  assert.deepEqual(bodies(await exchange(opened, LAST)), ['/last']);
});

/** A promise and what fulfils it. */
function signal(): { readonly given: Promise<void>; give(): void } {
  let give = (): void => undefined;
  const given = new Promise<void>(resolve => {
    give = resolve;
  });
  return { given, give: () => give() };
}

test('close waits for what is under way, then ends connections that would be kept', {
  timeout: 120_000,
}, async context => {
  const [begun, goOn] = [signal(), signal()];
  const opened = await open(context, async ({ target }) => {
    if (target === '/waits') {
      begun.give();
      await goOn.given;
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
  await begun.given;
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
  goOn.give();
  assert.deepEqual(bodies(await waits), ['/waits']);
  await closing;
  await opened.listener.close();
});

test('an address that is not available', async context => {
  const { listener } = await open(context);
  const again = listen({ host: '127.0.0.1', port: listener.port }, () => Promise.resolve(answer('')));
  await assert.rejects(again, { code: 'EADDRINUSE' });
});

test('the handler learns whether a request came over TLS', async context => {
  let isSecure: boolean | undefined;
  const listener = await listen({ host: '127.0.0.1', port: 0, tls: makeCertificate() }, async request => {
    isSecure = request.secure;
    return answer('over TLS');
  });
  context.after(() => listener.close());
  assert.equal(listener.secure, true);
  const request = https.get({
    host: '127.0.0.1',
    port: listener.port,
    rejectUnauthorized: false,
    agent: false,
  });
  const [response] = await once(request, 'response');
  assert.ok(response instanceof http.IncomingMessage);
  const [body] = await once(response, 'data');
  assert.equal(String(body), 'over TLS');
  assert.equal(isSecure, true);
  const plain = net.connect(listener.port, '127.0.0.1');
  plain.on('error', () => undefined);
  plain.write(LAST);
  assert.ok(!(await drain(plain)).startsWith('HTTP/1.1 200'));
});
