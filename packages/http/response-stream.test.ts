// Answers whose bodies are made while they are sent, over real sockets: framed as the client can read them, no faster
// than it reads, and never taken for whole when they are not.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import type { StreamedResponse, WireRequest } from '#base';
import { until } from '#base/testing/until';
import type { Listener, Respond } from './listen.js';
import { makeCertificate } from './testing/certificate.js';
import { answer, connect, drain, HEAD, LAST } from './testing/raw-socket.js';
import { stopClock } from './testing/stopped-clock.js';
import {
  exchange,
  newGate,
  openStreams,
  pieces,
  send,
  settled,
  streamed,
  streamOf,
  turns,
} from './testing/stream-listener.js';

const KEPT = 'Connection: keep-alive\r\nKeep-Alive: timeout=120\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\n';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';

/** A body that records how much of it was asked for, and whether it was released. */
class Source {
  produced = 0;
  isReturned = false;
  readonly #size: number;
  readonly #piece: Buffer;

  constructor(size: number, pieceBytes: number) {
    this.#size = size;
    this.#piece = Buffer.alloc(pieceBytes, 'x');
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void, undefined> {
    try {
      for (; this.produced < this.#size; this.produced += this.#piece.length) yield this.#piece;
    } finally {
      this.isReturned = true;
    }
  }
}

const sized = (size: number): StreamedResponse['headers'] => [['Content-Length', String(size)]];

test('with a length as it is, without one in chunks; empty pieces are skipped; the connection stays open', async t => {
  const listener = await openStreams(t, async ({ target }) => {
    if (target === '/sized') return streamed(pieces('abc', '', 'de'), sized(5));
    if (target === '/chunks') return streamed(pieces('', 'abc', '', 'x'.repeat(20)));
    if (target === '/empty') return streamed(pieces());
    return answer('<last>');
  });
  const get = (target: string): string => `GET ${target} ${HEAD}\r\n`;
  assert.equal(
    await exchange(listener, get('/sized') + get('/chunks') + get('/empty') + LAST),
    `${OK}Content-Length: 5\r\n${KEPT}abcde` +
      `${OK}${CHUNKED}${KEPT}3\r\nabc\r\n14\r\n${'x'.repeat(20)}\r\n0\r\n\r\n` +
      `${OK}${CHUNKED}${KEPT}0\r\n\r\n` +
      `${OK}Content-Length: 6\r\nConnection: close\r\n\r\n<last>`,
  );
});

test('HTTP/1.0 has no chunks: the end of the body is the end of the connection', async t => {
  const listener = await openStreams(t, async ({ target }) =>
    streamed(pieces('abc'), target === '/sized' ? sized(3) : []),
  );
  const old = (target: string): string => `GET ${target} HTTP/1.0\r\nConnection: keep-alive\r\n\r\n`;
  assert.equal(
    await exchange(listener, old('/sized') + old('/unsized') + old('/never')),
    `${OK}Content-Length: 3\r\n${KEPT}abc${OK}Connection: close\r\n\r\nabc`,
  );
});

test('answers to HEAD, of 204 and of 304 end with the head, and the body is released', async t => {
  let returned = 0;
  const body: AsyncIterable<Buffer> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => ({ done: false, value: Buffer.from('body') }),
      return: async () => {
        returned += 1;
        return { done: true, value: undefined };
      },
    }),
  };
  const listener = await openStreams(t, async ({ target }) => ({
    status: Number(target.slice(1)),
    headers: target === '/200' ? sized(4) : [],
    body,
  }));
  assert.equal(
    await exchange(
      listener,
      `HEAD /200 ${HEAD}\r\nHEAD /206 ${HEAD}\r\nGET /204 ${HEAD}\r\nGET /304 ${HEAD}Connection: close\r\n\r\n`,
    ),
    `${OK}Content-Length: 4\r\n${KEPT}HTTP/1.1 206 Partial Content\r\n${CHUNKED}${KEPT}` +
      `HTTP/1.1 204 No Content\r\n${KEPT}HTTP/1.1 304 Not Modified\r\nConnection: close\r\n\r\n`,
  );
  assert.equal(returned, 4);
});

test('a Node client reads what was sent, over TLS too', async t => {
  const size = 20_000_000;
  for (const [pair, get] of [
    [undefined, http.get],
    [makeCertificate(), https.get],
  ] as const) {
    const { host, port } = await openStreams(t, async () => streamed(new Source(size, 700_000)), {
      tls: pair,
    });
    const request = get({ host, port, agent: false, rejectUnauthorized: false });
    const [response] = (await once(request, 'response')) as [http.IncomingMessage];
    let length = 0;
    for await (const piece of response) length += piece.length;
    assert.equal(length, 29 * 700_000);
  }
});

test('a client that does not read stops the body, and gets all of it when it continues', async t => {
  const source = new Source(100_000_000, 100_000);
  const listener = await openStreams(t, async () => streamed(source, sized(100_000_000)));
  const socket = connect(listener);
  socket.pause();
  socket.write(`GET / ${HEAD}Connection: close\r\n\r\n`);
  await until('the body is asked for', () => source.produced > 0);
  const produced = await settled(() => source.produced);
  assert(produced < 50_000_000, `${produced} bytes were asked for`);
  const reading = drain(socket);
  socket.resume();
  const text = await reading;
  assert.equal(text.length - text.indexOf('\r\n\r\n') - 4, 100_000_000);
  assert.equal(source.isReturned, true);
});

test('request and answer may stream at the same time', async t => {
  const listener = await openStreams(t, async request => streamed(streamOf(request)));
  const size = 10_000_000;
  const socket = connect(listener);
  const text = drain(socket);
  await send(socket, `POST / ${HEAD}Content-Length: ${size}\r\n\r\n`);
  socket.write('x'.repeat(size) + LAST);
  const [first = '', second] = (await text).split(/(?=HTTP\/1\.1 )/);
  assert.equal(first.match(/x/g)?.length, size);
  assert.ok(first.endsWith('\r\n0\r\n\r\n'));
  // The next request has no body that could be a stream.
  assert.equal(second, undefined);
});

test('what is left of the request when a streamed answer ends is discarded', async t => {
  const listener = await openStreams(t, async ({ target }) =>
    target === '/last' ? answer('<last>') : streamed(pieces('<short>')),
  );
  const text = await exchange(listener, `POST / ${HEAD}Content-Length: 10\r\n\r\n`, 'xxxxx', `xxxxx${LAST}`);
  assert.deepEqual(text.match(/<\w+>/g), ['<short>', '<last>']);
});

test('a streamed answer before the end of a long body ends the connection', { timeout: 120_000 }, async t => {
  const listener = await openStreams(t, async () => streamed(pieces('<early>')));
  const text = await exchange(listener, `PUT / ${HEAD}Content-Length: 1000000000\r\n\r\n`);
  assert.deepEqual(text.match(/<\w+>/g), ['<early>']);
});

test('no client gets 100 Continue in the middle of an answer', { timeout: 120_000 }, async t => {
  async function* late(request: WireRequest): AsyncGenerator<Buffer, void, undefined> {
    yield Buffer.from('<begun>');
    yield* streamOf(request);
  }
  const respond: Respond = async request => streamed(late(request));
  const listener = await openStreams(t, respond, { timeouts: { stall: 200 } });
  const text = await exchange(listener, `PUT / ${HEAD}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`);
  assert.deepEqual(text.match(/HTTP\/1\.1 \d+|<\w+>/g), ['HTTP/1.1 200', '<begun>']);
});

test('a client that ends in the middle of an unread body still gets all of its answer', async t => {
  const size = 20_000_000;
  const listener = await openStreams(t, async () => answer(Buffer.alloc(size, 'x')));
  const socket = connect(listener);
  socket.pause();
  await send(socket, `PUT / ${HEAD}Content-Length: 1000\r\n\r\n`);
  socket.end('x');
  await turns();
  const text = drain(socket);
  socket.resume();
  assert.equal((await text).match(/x/g)?.length, size);
});

/** Ends with an error after some pieces. */
async function* failing(...texts: readonly string[]): AsyncGenerator<Buffer, void, undefined> {
  yield* pieces(...texts);
  // A client on libuv that gets bytes and a reset at once reports only the end of the stream.
  await turns();
  throw new Error('a fault');
}

test('a body that fails, or has another length than its head announces, cuts the connection before it looks whole', async t => {
  const answers: Readonly<Record<string, () => StreamedResponse>> = {
    fails: () => streamed(failing('abc')),
    failsAtOnce: () => streamed(failing()),
    failsSized: () => streamed(failing('abc'), sized(4)),
    short: () => streamed(pieces('abc'), sized(4)),
    long: () => streamed(pieces('abc', 'de'), sized(4)),
    header: () => streamed(pieces('abc'), [['X', 'a\r\nb']]),
    coding: () => streamed(pieces('abc'), [['transfer-encoding', 'chunked']]),
    spelling: () => streamed(pieces('abc'), [['content-length', '3']]),
    length: () => streamed(pieces('abc'), [['Content-Length', '3x']]),
  };
  const listener = await openStreams(t, async ({ target }) => answers[target.slice(1)]?.() ?? answer(''));
  const seen: Record<string, string> = {};
  for (const name of Object.keys(answers)) {
    const text = await exchange(listener, `GET /${name} ${HEAD}\r\n${LAST}`);
    seen[name] = text.slice(text.indexOf('\r\n\r\n') + 4).replace(/^HTTP.*/s, 'whole');
  }
  assert.deepEqual(seen, {
    fails: '3\r\nabc',
    failsAtOnce: '',
    failsSized: 'abc',
    short: 'abc',
    long: 'abc',
    header: '',
    coding: '',
    spelling: '',
    length: '',
  });
});

test('where the end of the connection is the end of the body, one that fails is reset', async t => {
  const listener = await openStreams(t, async ({ target }) =>
    streamed(target === '/fails' ? failing('abc') : pieces('abc')),
  );
  const outcome = async (target: string): Promise<string> => {
    const socket = connect(listener);
    let code = 'ended';
    socket.on('error', error => {
      code = 'code' in error ? String(error.code) : '';
    });
    socket.write(`GET ${target} HTTP/1.0\r\n\r\n`);
    await drain(socket);
    return code;
  };
  assert.deepEqual([await outcome('/whole'), await outcome('/fails')], ['ended', 'ECONNRESET']);
});

test('the body is released when its client goes, or has gone', async t => {
  const endless = new Source(1e12, 100_000);
  let isReturned = false;
  /** Reports its release even if it was never begun. */
  const unbegun: AsyncIterable<Buffer> = {
    [Symbol.asyncIterator]: () => ({
      next: async () => assert.fail('It is read.'),
      return: async () => {
        isReturned = true;
        return { done: true, value: undefined };
      },
    }),
  };
  let count = 0;
  const gate = newGate();
  const respond: Respond = async ({ target }) => {
    count += 1;
    if (target !== '/late') return streamed(endless);
    await gate.opened;
    return streamed(unbegun);
  };
  const listener = await openStreams(t, respond);
  const reads = connect(listener);
  reads.write(`GET / ${HEAD}\r\n`);
  await once(reads, 'data');
  reads.resetAndDestroy();
  await until('the body is let go', () => endless.isReturned);
  const late = connect(listener);
  late.write(`GET /late ${HEAD}\r\n`);
  await until('the second request is under way', () => count === 2);
  late.resetAndDestroy();
  await until('both clients are missed', () => listener.connections === 0);
  gate.open();
  await until('the second body is let go', () => isReturned);
});

const SIZE = 30_000_000;

/** A client that asks for a long answer and reads none of it unprompted. */
function deafClient(listener: Listener): Socket {
  const socket = connect(listener);
  socket.pause();
  socket.write(`GET / ${HEAD}Connection: close\r\n\r\n`);
  return socket;
}

test('a client that stalls is cut', { timeout: 120_000 }, async t => {
  const source = new Source(SIZE, 100_000);
  const respond: Respond = async () => streamed(source, sized(SIZE));
  const listener = await openStreams(t, respond, { timeouts: { stall: 400, drain: 120_000 } });
  const begun = performance.now();
  const socket = deafClient(listener);
  await until('the body is let go', () => source.isReturned);
  // The listener's clock is up to a quarter of that late.
  assert(performance.now() - begun >= 250 && source.produced < SIZE);
  socket.destroy();
});

test('a client that reads slowly may take long', { timeout: 120_000 }, async t => {
  const clock = stopClock(t);
  const respond: Respond = async () => streamed(new Source(SIZE, 100_000), sized(SIZE));
  const listener = await openStreams(t, respond, { timeouts: { stall: 1_500, drain: 300 } });
  const socket = deafClient(listener);
  let allowed = 0;
  let read = 0;
  socket.on('data', bytes => {
    read += bytes.length;
    if (read > allowed) socket.pause();
  });
  const ended = once(socket, 'close');
  for (let i = 0; i < 20; i++) {
    clock.pass(100);
    allowed += 1_000_000;
    socket.resume();
    await until('the next million bytes', () => read > allowed);
  }
  assert(read < SIZE);
  allowed = 2 * SIZE;
  socket.resume();
  await ended;
  assert(read > SIZE && read < SIZE + 1_000, `${read} bytes`);
});

test('while memory is short a client has less time to read', { timeout: 120_000 }, async t => {
  const source = new Source(SIZE, 100_000);
  const respond: Respond = async () => streamed(source, sized(SIZE));
  const timeouts = { stall: 120_000, drainWhenShort: 100, linger: 100 };
  const listener = await openStreams(t, respond, { timeouts, bufferedBytesMax: 10_000 });
  const socket = deafClient(listener);
  await until('the body is let go', () => source.isReturned);
  assert(source.produced < SIZE);
  socket.destroy();
});

test('a producer takes as long as it likes, and a closing listener lets it end', {
  timeout: 120_000,
}, async t => {
  const clock = stopClock(t);
  let isClosing = false;
  async function* slowly(): AsyncGenerator<Buffer, void, undefined> {
    for (const letter of ['a', 'b']) {
      await until('the listener closes', () => isClosing);
      clock.pass(300);
      // Long enough that the server has to wait for the client.
      yield Buffer.alloc(65_536, letter);
    }
  }
  const listener = await openStreams(t, async () => streamed(slowly()), {
    timeouts: { stall: 100, drain: 100, idle: 100 },
  });
  const socket = connect(listener);
  const text = drain(socket);
  await send(socket, `GET / ${HEAD}\r\n`);
  const closed = listener.close();
  isClosing = true;
  await closed;
  const chunkOf = (letter: string): string => `10000\r\n${letter.repeat(65_536)}\r\n`;
  assert.ok((await text).endsWith(`${chunkOf('a')}${chunkOf('b')}0\r\n\r\n`));
});
