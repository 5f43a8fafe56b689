// Long bodies over real sockets: many at once, read at a reader's own pace. Each arrives as it was sent although
// buffers are reused, and what follows a body is the next request.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import tls from 'node:tls';
import { PIECE_BYTES } from '#base';
import { until } from '#base/testing/until';
import type { Respond } from './listen.js';
import { descriptorOf } from './received-pieces.js';
import { makeCertificate } from './testing/certificate.js';
import { answer, connect, drain, HEAD, LAST } from './testing/raw-socket.js';
import { newGate, openStreams, pause, received, send, settled, streamOf } from './testing/stream-listener.js';

const BODY_BYTES = 1_500_001;
const CLIENTS = 4;

/** Bytes that encode their position, different for each seed. */
function bodyOf(seed: number): Buffer {
  const words = new Uint32Array(Math.ceil(BODY_BYTES / 4));
  for (let at = 0; at < words.length; at++) words[at] = Math.imul(at + seed * 7_919, 2_654_435_761);
  return Buffer.from(words.buffer, 0, BODY_BYTES);
}

const sumOf = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex');

/** Answers with the sum of the body, and the lengths of its pieces; every third reader is slow. */
function summing(lengths: number[]): Respond {
  let count = 0;
  return async request => {
    if (request.stream === undefined) return answer('<none>');
    count += 1;
    const isSlow = count % 3 === 0;
    const sum = createHash('md5');
    for await (const piece of streamOf(request)) {
      if (isSlow) await pause(1);
      sum.update(piece);
      lengths.push(piece.length);
    }
    return answer(`<${sum.digest('hex')}>`);
  };
}

for (const isSecure of [false, true])
  test(`long bodies ${isSecure ? 'over TLS' : 'over plain sockets'}, one behind the other and many at once`, async t => {
    const lengths: number[] = [];
    const respond = summing(lengths);
    const checking: Respond = request => {
      assert.equal(request.secure, isSecure);
      return respond(request);
    };
    const listener = await openStreams(t, checking, isSecure ? { tls: makeCertificate() } : {});
    assert.equal(listener.secure, isSecure);
    const told = await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        const { port, host } = listener;
        const socket = isSecure ? tls.connect({ port, host, rejectUnauthorized: false }) : connect(listener);
        const text = drain(socket);
        for (const seed of [client, client + CLIENTS]) {
          socket.write(`PUT / ${HEAD}Content-Length: ${BODY_BYTES}\r\n\r\n`);
          socket.write(bodyOf(seed));
        }
        socket.write(LAST);
        return (await text).match(/<[^>]*>/g);
      }),
    );
    for (const [client, texts] of told.entries()) {
      const sums = [client, client + CLIENTS].map(seed => `<${sumOf(bodyOf(seed))}>`);
      assert.deepEqual(texts, [...sums, '<none>'], `client ${client}`);
    }
    assert.equal(Math.max(...lengths), PIECE_BYTES);
  });

test('a long body that trickles in is handed on as it arrives', async t => {
  const seen: number[] = [];
  const listener = await openStreams(t, async request => {
    for await (const piece of streamOf(request)) seen.push(piece.length);
    return answer('');
  });
  const socket = connect(listener);
  const text = drain(socket);
  socket.write(`PUT / ${HEAD}Content-Length: ${2 * PIECE_BYTES}\r\n\r\n`);
  for (let drop = 0; drop < 5; drop++) {
    await send(socket, 'x'.repeat(100));
  }
  const bytes = (): number => seen.reduce((sum, length) => sum + length, 0);
  await until('all that came is handed on', () => bytes() === 500);
  socket.end('x'.repeat(2 * PIECE_BYTES - 500) + LAST);
  await text;
  assert.equal(bytes(), 2 * PIECE_BYTES);
});

for (const has of ['nothing', 'a piece'])
  test(`a reader that stops with ${has} stops its client, and nothing is lost when it continues`, async t => {
    const size = 64_000_000;
    const gate = newGate();
    const listener = await openStreams(t, async request => {
      if (has === 'nothing') await gate.opened;
      let bytes = 0;
      let isWhole = true;
      for await (const piece of streamOf(request)) {
        await gate.opened;
        bytes += piece.length;
        isWhole &&= piece.every(byte => byte === 120);
      }
      return answer(`<${bytes} ${isWhole}>`);
    });
    const socket = connect(listener);
    const text = received(socket);
    let accepted = 0;
    socket.write(`PUT / ${HEAD}Content-Length: ${size}\r\n\r\n`);
    const piece = Buffer.alloc(1_000_000, 'x');
    for (let sent = 0; sent < size; sent += piece.length)
      socket.write(piece, () => {
        accepted += piece.length;
      });
    const left = await settled(() => accepted);
    gate.open();
    await until('the answer', () => text().includes('>'));
    assert.deepEqual(text().match(/<[^>]*>/g), [`<${size} true>`]);
    socket.destroy();
    assert(left < size / 2, `${left} bytes left the client`);
  });

test('many small chunks are few pieces', async t => {
  const gate = newGate();
  const lengths: number[] = [];
  const listener = await openStreams(t, async request => {
    await gate.opened;
    for await (const piece of streamOf(request)) lengths.push(piece.length);
    return answer('');
  });
  const socket = connect(listener);
  const text = drain(socket);
  await send(socket, `PUT / ${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  for (let packets = 0; packets < 64; packets++) await send(socket, '1\r\nx\r\n'.repeat(1_000));
  gate.open();
  await until('all that came is handed on', () => lengths.length > 0);
  socket.end(`0\r\n\r\n${LAST}`);
  await text;
  assert.equal(
    lengths.reduce((sum, length) => sum + length, 0),
    64_000,
  );
  assert(lengths.length < 64, `${lengths.length} pieces`);
});

test('node exposes the descriptor of a plain socket', { skip: process.platform === 'win32' }, async t => {
  const server = net.createServer().listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  const socket = net.connect(address.port, '127.0.0.1');
  await once(socket, 'connect');
  assert.equal(typeof descriptorOf(socket), 'number');
  socket.destroy();
  assert.equal(descriptorOf(socket), undefined);
});
