// Request bodies as streams, over real sockets: they arrive whole and in order, and each way in which the rest of a body
// may fail is reported to the reader and to the client.
import assert from 'node:assert/strict';
import net from 'node:net';
import { test } from 'node:test';
import type { WireRequest } from '#base';
import { until } from '#base/testing/until';
import { BodyError, type Listener, type Respond } from './listen.js';
import { WINDOW_BYTES } from './request-stream.js';
import { answer, connect, drain, HEAD, LAST } from './testing/raw-socket.js';
import { stopClock } from './testing/stopped-clock.js';
import {
  chunk,
  exchange,
  newGate,
  openStreams,
  pause,
  received,
  send,
  streamOf,
} from './testing/stream-listener.js';

async function readAll(request: WireRequest): Promise<Buffer> {
  const parts: Buffer[] = [];
  // A piece may change once the next one is asked for.
  for await (const piece of streamOf(request)) parts.push(Buffer.from(piece));
  return Buffer.concat(parts);
}

/** Answers with the length of what it read, and whether it is all `x`. */
const measure: Respond = async request => {
  const body = request.stream === undefined ? request.body : await readAll(request);
  return answer(`<${request.target} ${body.length} ${body.every(byte => byte === 120)}>`);
};

/** A handler that waits before it calls another one. */
function gated(respond: Respond): { respond: Respond; open(): void } {
  const { opened, open } = newGate();
  return { open, respond: request => opened.then(() => respond(request)) };
}

const told = (text: string): readonly string[] => text.match(/<[^>]*>/g) ?? [];
const statuses = (text: string): readonly string[] =>
  text.match(/HTTP\/1\.1 \d+/g)?.map(line => line.slice(9)) ?? [];
const X = (size: number): string => 'x'.repeat(size);

test('only a body that did not come with its head is a stream', async t => {
  const seen: string[] = [];
  const respond: Respond = async request => {
    seen.push(`${request.target} ${request.stream?.length} ${request.body}`);
    return request.target === '/unread' ? answer('') : measure(request);
  };
  const listener = await openStreams(t, respond);
  const put = (target: string): string => `PUT ${target} ${HEAD}Content-Length: 2\r\n\r\n`;
  await exchange(listener, `${put('/whole')}xx${put('/read')}`, `xx${put('/unread')}`, `xx${LAST}`);
  assert.deepEqual(seen, ['/whole undefined xx', '/read 2 ', '/unread 2 ', '/last undefined ']);
});

test('a stream reserves its window when it is asked for, or its length; without memory there is none', async t => {
  const gate = gated(measure);
  const put = (target: string, size: number): readonly string[] => [
    `PUT ${target} ${HEAD}Content-Length: ${size}\r\n\r\n`,
    X(size),
  ];
  const tell: Respond = async request => {
    if (request.stream?.reserve() !== false) return measure(request);
    // A refused request takes no memory that others need.
    if (request.target === '/not') {
      const others = ['/beside', 1_000] as const;
      assert.deepEqual(told(await exchange(listener, ...put(...others), LAST)), [
        '</beside 1000 true>',
        '</last 0 true>',
      ]);
    }
    return answer(`<${request.target} busy>`);
  };
  const listener = await openStreams(
    t,
    request => {
      if (request.target !== '/waits') return tell(request);
      request.stream?.reserve();
      return gate.respond(request);
    },
    {
      bufferedBytesMax: WINDOW_BYTES + 1_000,
    },
  );
  const holder = connect(listener);
  const held = received(holder);
  await send(holder, `PUT /waits ${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  assert.deepEqual(told(await exchange(listener, ...put('/fits', 1_000), ...put('/not', 1_001), LAST)), [
    '</fits 1000 true>',
    '</not busy>',
    '</last 0 true>',
  ]);
  gate.open();
  holder.write('0\r\n\r\n');
  await until('the answer', () => held().includes('>'));
  assert.deepEqual(told(await exchange(listener, ...put('/again', 300_000), LAST)), [
    '</again 300000 true>',
    '</last 0 true>',
  ]);
});

test('a body may be collected instead: at its limit, beyond it, and beyond the available memory', async t => {
  const collect: Respond = async request => {
    if (!request.stream) return answer(`<${request.target}>`);
    const { body, bodyTooLarge, isBusy } = await request.stream.collect(1_000);
    return answer(`<${body.length} ${body.every(byte => byte === 120)} ${bodyTooLarge} ${isBusy}>`);
  };
  const ask = async (listener: Listener, size: number): Promise<readonly string[]> => {
    const sized = `PUT / ${HEAD}Content-Length: ${size}\r\n\r\n`;
    const chunked = `PUT / ${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
    const half = chunk(X(size / 2));
    return told(await exchange(listener, sized, X(size), chunked, half, half, `0\r\n\r\n${LAST}`));
  };
  const listener = await openStreams(t, collect, { bodyBytesMax: 2_000, bufferedBytesMax: 1_000_000 });
  assert.deepEqual(await ask(listener, 1_000), [
    '<1000 true false false>',
    '<1000 true false false>',
    '</last>',
  ]);
  assert.deepEqual(await ask(listener, 1_002), ['<0 true true false>', '<0 true true false>', '</last>']);
  // 16 times the listener's own limit is read of a chunked body, and no more.
  const endless = await exchange(
    listener,
    `PUT / ${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
    chunk(X(16_000)),
    chunk(X(16_100)),
  );
  assert.match(endless, /<0 true true false>$/);
  const short = await openStreams(t, collect, { bufferedBytesMax: 700 });
  const text = await exchange(
    short,
    `PUT / ${HEAD}Transfer-Encoding: chunked\r\n\r\n`,
    chunk(X(600)),
    chunk(X(200)),
    `0\r\n\r\n${LAST}`,
  );
  assert.deepEqual(told(text), ['<0 true false true>', '</last>']);
});

test('a body is read once', async t => {
  const listener = await openStreams(t, async request => {
    await readAll(request);
    await assert.rejects(readAll(request), TypeError);
    await assert.rejects(streamOf(request).collect(10), TypeError);
    return answer('<once>');
  });
  assert.deepEqual(
    told(await exchange(listener, `PUT / ${HEAD}Connection: close\r\nContent-Length: 1\r\n\r\n`, 'x')),
    ['<once>'],
  );
});

test('a client that waits for 100 Continue gets it when the body is asked for, and not before', async t => {
  const gate = gated(measure);
  const listener = await openStreams(t, request =>
    request.target === '/unread' ? Promise.resolve(answer('<unread>')) : gate.respond(request),
  );
  const socket = connect(listener);
  const text = received(socket);
  const expecting = `${HEAD}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n`;
  await send(socket, `PUT /asked ${expecting}`);
  assert.equal(text(), '');
  gate.open();
  await until('the client is told', () => text() !== '');
  assert.equal(text(), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write(`xx`);
  await until('the answer', () => text().includes('>'));
  // Whether this body will arrive is unknown, so nothing can follow it.
  const ended = drain(socket);
  socket.write(`PUT /unread ${expecting}`);
  assert.match(await ended, /^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n(?:.+\r\n)*\r\n<unread>$/);
  // A client that sends it anyway gets no 100 Continue.
  const eager = await exchange(listener, `PUT /asked ${expecting}`, `xx${LAST}`);
  assert.deepEqual([told(eager), statuses(eager).length <= 3], [['</asked 2 true>', '</last 0 true>'], true]);
});

test('collecting a body that is longer than the limit does not ask for it', async t => {
  const listener = await openStreams(t, async request =>
    answer(`<${(await streamOf(request).collect(10)).bodyTooLarge}>`),
  );
  const text = await exchange(listener, `PUT / ${HEAD}Expect: 100-continue\r\nContent-Length: 11\r\n\r\n`);
  assert.deepEqual([statuses(text), told(text)], [['200'], ['<true>']]);
});

test('a bounded rest of an unread body is discarded and the connection reused; a longer one ends it', async t => {
  const listener = await openStreams(t, async ({ target }) => answer(`<${target}>`), {
    bodyBytesMax: 10_000,
  });
  const put = (size: number): string => `PUT /unread ${HEAD}Content-Length: ${size}\r\n\r\n`;
  const chunked = `PUT /unread ${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  const kept = await exchange(
    listener,
    put(160_000),
    X(160_000),
    chunked,
    chunk(X(150_000)),
    `0\r\n\r\n${LAST}`,
  );
  assert.deepEqual(told(kept), ['</unread>', '</unread>', '</last>']);
  const long = await exchange(listener, put(160_001), X(160_001), LAST);
  assert.deepEqual(told(long), ['</unread>']);
  assert.match(long, /\r\nConnection: close\r\n/);
  const endless = connect(listener);
  const text = received(endless);
  endless.write(chunked);
  while (!endless.destroyed && endless.writable) {
    endless.write(chunk(X(50_000)));
    await pause(1);
  }
  assert.deepEqual(told(text()), ['</unread>']);
});

/** Keeps sending although the other side has ended. @returns whether that was read for a while. */
async function goesOnSending(
  listener: Listener,
  first: readonly string[],
  isAnswered: (text: string) => boolean,
): Promise<boolean> {
  const socket = net.connect({ port: listener.port, host: listener.host, allowHalfOpen: true });
  const text = received(socket);
  let isOpen = true;
  socket.on('error', () => {
    isOpen = false;
  });
  for (const part of first) await send(socket, part);
  await until('the answer and its end', () => isAnswered(text()) && socket.readableEnded);
  for (let i = 0; i < 10; i++) await send(socket, X(1_000));
  const isTaken = isOpen;
  socket.destroy();
  return isTaken;
}

test('a client that keeps sending after a refusal or an early answer is read for a while, so that it gets the answer', async t => {
  const listener = await openStreams(t, request =>
    request.target === '/unread' ? Promise.resolve(answer('<unread>')) : measure(request),
  );
  const refused = [`PUT / ${HEAD}Transfer-Encoding: chunked\r\n\r\n`, 'zz\r\n'];
  assert.equal(await goesOnSending(listener, refused, text => text.includes(' 400 ')), true);
  const unread = [`PUT /unread ${HEAD}Content-Length: 1000000000\r\n\r\n`, 'x'];
  assert.equal(await goesOnSending(listener, unread, text => text.endsWith('<unread>')), true);
});

/** Handlers whose faults the test records and answers. */
function watched(): { readonly faults: unknown[]; readonly respond: Respond } {
  const faults: unknown[] = [];
  const respond: Respond = async request => {
    try {
      return await measure(request);
    } catch (error) {
      faults.push(error instanceof BodyError ? error.code : error);
      throw error;
    }
  };
  return { faults, respond };
}

test('for a body that is cut off or malformed, the reader gets the reason, and so does the client if it is there', async t => {
  const { faults, respond } = watched();
  const listener = await openStreams(t, respond);
  for (const framing of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
    const head = `PUT / ${HEAD}${framing}\r\n\r\n`;
    const ended = connect(listener);
    const text = drain(ended);
    await send(ended, head);
    ended.end('2\r\nxx');
    assert.deepEqual(statuses(await text), ['400']);
    const reset = connect(listener);
    await send(reset, head);
    reset.resetAndDestroy();
  }
  await until('four faults', () => faults.length === 4);
  assert.deepEqual(faults, ['aborted', 'aborted', 'aborted', 'aborted']);
  const chunked = `PUT / ${HEAD}Transfer-Encoding: chunked\r\n\r\n`;
  assert.deepEqual(statuses(await exchange(listener, chunked, 'zz\r\n')), ['400']);
  assert.deepEqual(statuses(await exchange(listener, chunked, chunk('x'), '0\r\nConnection: x\r\n\r\n')), [
    '400',
  ]);
  assert.deepEqual(faults.slice(4), ['malformed', 'malformed']);
  assert.deepEqual(told(await exchange(listener, LAST)), ['</last 0 true>']);
});

test('a body that was cut off before it was read fails when it is read', async t => {
  const { faults, respond } = watched();
  const gate = gated(respond);
  const listener = await openStreams(t, gate.respond);
  const socket = connect(listener);
  await send(socket, `PUT / ${HEAD}Content-Length: 9\r\n\r\n`);
  socket.resetAndDestroy();
  await until('the client is missed', () => listener.connections === 0);
  gate.open();
  await until('the fault', () => faults.length === 1);
  assert.deepEqual(faults, ['aborted']);
});

test('time: a stream that moves may take long, one that stalls is cut, and its reader takes as long as it likes', {
  timeout: 120_000,
}, async t => {
  const clock = stopClock(t);
  const { faults, respond } = watched();
  const gate = gated(respond);
  const timeouts = { stall: 300, request: 400, head: 200 };
  const listener = await openStreams(
    t,
    request => (request.target === '/waits' ? gate.respond(request) : respond(request)),
    { timeouts },
  );
  const head = (target: string, size: number): string =>
    `PUT ${target} ${HEAD}Content-Length: ${size}\r\n\r\n`;
  const begin = async (...parts: readonly string[]) => {
    const socket = connect(listener);
    const text = drain(socket);
    for (const part of parts) await send(socket, part);
    return { socket, text };
  };
  const still = await begin(head('/still', 9), 'x');
  const waits = await begin(head('/waits', 9), 'xxxx', 'xxxxx', LAST);
  const moves = await begin(head('/moves', 15));
  for (let i = 0; i < 15; i++) {
    clock.pass(60);
    await send(moves.socket, 'x');
  }
  moves.socket.end(LAST);
  gate.open();
  assert.deepEqual(told(await moves.text), ['</moves 15 true>', '</last 0 true>']);
  assert.deepEqual([statuses(await still.text), faults], [['408'], ['timeout']]);
  assert.deepEqual(told(await waits.text), ['</waits 9 true>', '</last 0 true>']);
});

test('a collected body has the time limit of a buffered one, however it moves', {
  timeout: 120_000,
}, async t => {
  const clock = stopClock(t);
  const faults: unknown[] = [];
  const listener = await openStreams(
    t,
    async request => {
      await streamOf(request)
        .collect(100)
        .catch(error => faults.push(error.code));
      return answer('<too late>');
    },
    { timeouts: { stall: 300, request: 300, head: 200 } },
  );
  const socket = connect(listener);
  const text = received(socket);
  await send(socket, `PUT / ${HEAD}Content-Length: 50\r\n\r\n`);
  while (!socket.destroyed && socket.writable) {
    await send(socket, 'x');
    clock.pass(40);
  }
  assert.deepEqual([statuses(text()), faults], [['408'], ['timeout']]);
});

test('a closing listener lets streams end, and cuts those that do not', { timeout: 120_000 }, async t => {
  const clock = stopClock(t);
  const { faults, respond } = watched();
  const listener = await openStreams(t, respond, { timeouts: { closing: 300 } });
  const head = (target: string): string => `PUT ${target} ${HEAD}Content-Length: 4\r\n\r\n`;
  const [ends, never] = [connect(listener), connect(listener)];
  const texts = [drain(ends), drain(never)];
  await send(ends, head('/ends'));
  await send(never, head('/never'));
  const closed = listener.close();
  clock.pass(299);
  ends.write('xxxx');
  assert.match((await texts[0]) ?? '', /Connection: close\r\n[\s\S]*<\/ends 4 true>$/);
  assert.deepEqual(faults, []);
  clock.pass(2);
  await closed;
  assert.deepEqual([await texts[1], faults], ['', ['aborted']]);
});
