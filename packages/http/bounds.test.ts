// What bounds the connections of a listener together: their number, the memory that they hold, how long a closing
// listener waits for them; and TLS handshakes that never end. Each bound at its limit, below and above it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import { type TestContext, test } from 'node:test';
import tls from 'node:tls';
import { until } from '#base/testing/until';
import type { Listener, ListenOptions, Respond } from './listen.js';
import { makeCertificate } from './testing/certificate.js';
import { answer, HEAD } from './testing/raw-socket.js';
import { stopClock } from './testing/stopped-clock.js';
import { collecting, newGate, openStreams, send, turns } from './testing/stream-listener.js';

const tell: Respond = async ({ target, body, isBusy }) => answer(`<${target} ${body.length} ${isBusy}>`);

const open = (
  t: TestContext,
  options: Partial<ListenOptions>,
  respond: Respond = tell,
  unread = collecting(respond),
): Promise<Listener> => openStreams(t, unread, options);

class Client {
  readonly socket: net.Socket;
  text = '';
  readonly closed: Promise<string>;
  #whenMore: () => void = () => undefined;

  constructor(socket: net.Socket) {
    this.socket = socket;
    socket.on('error', () => undefined);
    socket.on('data', bytes => {
      this.text += bytes.toString('latin1');
      this.#whenMore();
    });
    this.closed = new Promise(resolve => {
      socket.on('close', () => resolve(this.text));
    });
  }

  /** Resolves once this has arrived. */
  async sees(wanted: string): Promise<void> {
    while (!this.text.includes(wanted))
      await new Promise<void>(resolve => {
        this.#whenMore = resolve;
      });
  }
}

const connect = ({ port, host }: Listener): Client => new Client(net.connect({ port, host, noDelay: true }));
const put = (target: string, size: number): string =>
  `PUT ${target} ${HEAD}Content-Length: ${size}\r\n\r\n${'x'.repeat(size)}`;

test('bodies up to the memory bound, and no more; requests without one up to twice as much', async t => {
  const gate = newGate();
  const listener = await open(t, { bufferedBytesMax: 1_000 }, async request => {
    if (request.target === '/waits') await gate.opened;
    return tell(request);
  });
  const client = connect(listener);
  for (const [size, isBusy] of [
    [999, false],
    [1_000, false],
    [1_001, true],
  ] as const) {
    client.socket.write(put(`/${size}`, size));
    await client.sees(`</${size} ${isBusy ? 0 : size} ${isBusy}>`);
  }
  const holder = connect(listener);
  await send(holder.socket, put('/waits', 600));
  // Its own body, in two pieces, is dropped as soon as it is too much.
  const half = connect(listener);
  await send(half.socket, put('/half', 600).slice(0, -100));
  client.socket.write(put('/a', 400));
  await client.sees('</a 400 false>');
  half.socket.write('x'.repeat(100));
  await half.sees('</half 0 true>');
  client.socket.write(put('/b', 401));
  await client.sees('</b 0 true>');
  client.socket.write(`GET /c ${HEAD}\r\n`);
  await client.sees('</c 0 false>');
  gate.open();
  await holder.sees('</waits 600 false>');
  client.socket.write(put('/d', 1_000));
  await client.sees('</d 1000 false>');
});

test('a request whose client went away holds its memory until it is answered', {
  timeout: 120_000,
}, async t => {
  const gate = newGate();
  const listener = await open(t, { bufferedBytesMax: 1_000 }, async request => {
    if (request.target === '/waits') await gate.opened;
    return tell(request);
  });
  const gone = connect(listener);
  await send(gone.socket, put('/waits', 1_000));
  gone.socket.resetAndDestroy();
  await until('the client is missed', () => listener.connections === 0);
  const client = connect(listener);
  client.socket.write(put('/a', 1));
  await client.sees('</a 0 true>');
  gate.open();
  await turns();
  client.socket.write(put('/b', 1_000));
  await client.sees('</b 1000 false>');
});

/** Sends bodies as long as the bound until one is refused, or until one is accepted. */
async function sendUntil(client: Client, isBusy: boolean): Promise<void> {
  for (let i = 0; ; i++) {
    client.text = '';
    client.socket.write(put(`/${i}`, 1_000));
    await client.sees('>');
    if (client.text.endsWith(` ${isBusy}>`)) return;
  }
}

test('a client that leaves before its request is complete, or after its answer, holds nothing', {
  timeout: 120_000,
}, async t => {
  // A body of two seconds would make room for others.
  stopClock(t);
  const listener = await open(t, { bufferedBytesMax: 1_000 }, async request =>
    request.target === '/big' ? answer(Buffer.alloc(16_000_000)) : tell(request),
  );
  const client = connect(listener);
  for (const text of [
    put('/half', 900).slice(0, -1),
    `GET /big ${HEAD}\r\n`,
    `GET /big ${HEAD}Connection: close\r\n\r\n`,
  ]) {
    const gone = connect(listener);
    gone.socket.pause();
    gone.socket.write(text);
    await sendUntil(client, true);
    gone.socket.resetAndDestroy();
    await sendUntil(client, false);
  }
});

test('of bodies with unknown callers the oldest are evicted, and evicted ones hold nothing', {
  timeout: 120_000,
}, async t => {
  const gates: (() => void)[] = [];
  const listener = await open(t, { bufferedBytesMax: 1_000_000 }, tell, async request => {
    await new Promise<void>(resolve => gates.push(resolve));
    return collecting(tell)(request);
  });
  // An eighth of the bound is less than two heads, which must fit: 128 KiB.
  const size = 100_000;
  const begin = async (target: string): Promise<Client> => {
    const client = connect(listener);
    const before = gates.length;
    client.socket.write(put(target, size).slice(0, -40_000));
    await until('the request is handed on', () => gates.length > before);
    return client;
  };
  const end = (client: Client): boolean => client.socket.write('x'.repeat(40_000));
  for (let round = 0; round < 3; round++) {
    const clients = [await begin('/1'), await begin('/2'), await begin('/3')] as const;
    for (const open of gates.splice(0)) open();
    await clients[0].sees('</1 0 true>');
    for (const client of clients) end(client);
    await clients[1].sees(`</2 ${size} false>`);
    await clients[2].sees(`</3 ${size} false>`);
    for (const { socket } of clients) socket.destroy();
  }
});

test('a failed request holds nothing', { timeout: 120_000 }, async t => {
  const listener = await open(t, { bufferedBytesMax: 1_000 }, request => {
    if (request.target === '/throws') throw new Error('a fault');
    return request.target === '/rejects' ? Promise.reject(new Error('a fault')) : tell(request);
  });
  const client = connect(listener);
  for (const target of ['/throws', '/rejects']) {
    const gone = connect(listener);
    gone.socket.write(put(target, 1_000));
    assert.equal(await gone.closed, '');
    client.text = '';
    client.socket.write(put('/next', 1_000));
    await client.sees('</next 1000 false>');
  }
});

test('while a client does not take its answer, no other answers are made for it, and it is cut', {
  timeout: 120_000,
}, async t => {
  const clock = stopClock(t);
  let asked = 0;
  const big = Buffer.alloc(16_000_000);
  const listener = await open(
    t,
    { timeouts: { drain: 300, drainWhenShort: 100, linger: 100 }, bufferedBytesMax: 1_000 },
    async request => {
      if (!request.target.startsWith('/big')) return tell(request);
      asked += 1;
      return answer(big);
    },
  );
  const deaf = net.connect(listener.port, listener.host);
  deaf.on('error', () => undefined);
  deaf.pause();
  await send(deaf, `GET /big ${HEAD}\r\n`.repeat(100));
  // While its answer is in memory no other client gets one.
  const client = connect(listener);
  client.socket.write(`GET /a ${HEAD}\r\n`);
  await client.sees('</a 0 true>');
  await until('it is cut', () => {
    clock.pass(50);
    return listener.connections === 1;
  });
  client.socket.write(`GET /b ${HEAD}\r\n`);
  await client.sees('</b 0 false>');
  assert.equal(asked, 1);
  deaf.destroy();
});

test('as many connections as there are places; one more gets 503 and is closed', async t => {
  const listener = await open(t, { connectionsMax: 3, timeouts: { linger: 100 } });
  const clients = Array.from({ length: 3 }, () => connect(listener));
  for (const { socket } of clients) socket.write(`GET / ${HEAD}\r\n`);
  for (const client of clients) await client.sees('</ 0 false>');
  const away = await connect(listener).closed;
  assert.match(
    away,
    /^HTTP\/1\.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\nDate: .*GMT\r\n\r\n$/,
  );
  clients[0]?.socket.destroy();
  await until('there is a place', () => listener.connections === 2);
  const next = connect(listener);
  next.socket.write(`GET /next ${HEAD}\r\n`);
  await next.sees('</next 0 false>');
  assert.match(await connect(listener).closed, /^HTTP\/1\.1 503 /);
});

test('a closing listener cuts what takes too long: bodies, requests, answers, silent clients', {
  timeout: 120_000,
}, async t => {
  let asked = 0;
  const listener = await open(t, { timeouts: { closing: 200 } }, async request => {
    asked += 1;
    if (request.target === '/never') await new Promise(() => undefined);
    return request.target === '/big' ? answer(Buffer.alloc(16_000_000)) : tell(request);
  });
  const clients = [put('/body', 9).slice(0, -1), put('/never', 9), `GET /he`, ''].map(text => {
    const client = connect(listener);
    client.socket.write(text);
    return client;
  });
  const deaf = net.connect(listener.port, listener.host);
  deaf.on('error', () => undefined);
  deaf.pause();
  deaf.write(`GET /big ${HEAD}\r\n`);
  await until('all of them are under way', () => asked === 2 && listener.connections === 5);
  const begun = performance.now();
  await listener.close();
  assert(performance.now() - begun >= 150, 'What is under way has its time.');
  await Promise.all(clients.map(({ closed }) => closed));
  deaf.destroy();
});

test('under TLS: handshakes that do not end, and a closing listener', { timeout: 120_000 }, async t => {
  const tls = makeCertificate();
  // The timeout for a head also covers a handshake.
  const listener = await open(t, { tls, timeouts: { head: 500 } });
  const halfOpen = connect(listener);
  const garbled = connect(listener);
  garbled.socket.write(Buffer.from([22, 3, 1, 2, 0, 1, 0]));
  assert.deepEqual([await halfOpen.closed, await garbled.closed], ['', '']);
  const second = await open(t, { tls });
  const silent = connect(second);
  await once(silent.socket, 'connect');
  await turns();
  await second.close();
  await silent.closed;
});

test('under TLS: heads that do not end, and too many connections', { timeout: 120_000 }, async t => {
  const clock = stopClock(t);
  const options = { tls: makeCertificate(), connectionsMax: 2, timeouts: { head: 60_000 } };
  const listener = await open(t, options);
  const secure = (): Client =>
    new Client(tls.connect({ port: listener.port, host: listener.host, rejectUnauthorized: false }));
  const late = secure();
  await once(late.socket, 'secureConnect');
  late.socket.write(`GET / ${HEAD}`);
  const good = secure();
  good.socket.write(`GET /good ${HEAD}\r\n`);
  await good.sees('</good 0 false>');
  assert.match(await secure().closed, /^HTTP\/1\.1 503 Service Unavailable\r\nRetry-After: 1\r\n/);
  clock.pass(60_001);
  assert.match(await late.closed, /^HTTP\/1\.1 408 /);
});
