// Connections over real sockets: requests cut anywhere, one after another and all at once, clients that stop reading or
// sending, timeouts, and answers that must not be written.
import assert from 'node:assert/strict';
import net from 'node:net';
import { type TestContext, test } from 'node:test';
import type { WireRequest, WireResponse } from '#base';
import { openOutput } from '#base';
import { until } from '#base/testing/until';
import type { Listener, Respond, Timeouts } from './listen.js';
import { answer, connect, drain, drainUndated, HEAD, LAST } from './testing/raw-socket.js';
import { stopClock } from './testing/stopped-clock.js';
import {
  collecting,
  exchange,
  newGate,
  openStreams,
  pause,
  send,
  settled,
} from './testing/stream-listener.js';

const echo: Respond = async ({ method, target, headers, body, bodyTooLarge = false }: WireRequest) =>
  answer(`<${JSON.stringify([method, target, { ...headers }, body.toString('latin1'), bodyTooLarge])}>`);

const open = (context: TestContext, respond = echo, timeouts: Partial<Timeouts> = {}): Promise<Listener> =>
  openStreams(context, collecting(respond), { timeouts });

const statuses = (text: string): readonly string[] =>
  text.match(/HTTP\/1\.1 \d+/g)?.map(line => line.slice(9)) ?? [];
const bodies = (text: string): readonly string[] => text.match(/<[^>]*>/g) ?? [];

test('requests cut at any place are answered as whole ones are', { timeout: 120_000 }, async context => {
  const listener = await open(context);
  const requests = [
    `GET /plain?x ${HEAD}X-A:  1\r\nx-a: 2 \r\n\r\n`,
    `POST /sized ${HEAD}Content-Length: 7\r\n\r\nab\r\n\r\nc`,
    `\r\nPOST /chunks ${HEAD}Transfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\n\r\n\r\n0\r\nTrailer: x\r\n\r\n`,
  ];
  const text = requests.join('') + LAST;
  const whole = await exchange(listener, text);
  assert.deepEqual(statuses(whole), ['200', '200', '200', '200']);
  assert.match(whole, /"ab\\r\\n\\r\\nc",false/);
  assert.match(whole, /"abc\\r\\n",false/);
  assert.equal(await exchange(listener, ...requests, LAST), whole);
  const places = Array.from({ length: text.length - 1 }, (_, i) => i + 1);
  while (places.length > 0) {
    const cuts = places.splice(0, 64);
    const results = await Promise.all(cuts.map(at => exchange(listener, text.slice(0, at), text.slice(at))));
    for (const [i, result] of results.entries()) assert.equal(result, whole, `cut at ${cuts[i]}`);
  }
});

test('of pipelined requests 32 are answered in a row, then other connections get their turn', async context => {
  for (const count of [31, 32, 33]) {
    let turns = 0;
    const seen: number[] = [];
    const listener = await open(context, async () => {
      if (seen.length === 0)
        setImmediate(() => {
          turns += 1;
        });
      seen.push(turns);
      return answer('');
    });
    await exchange(listener, `GET / ${HEAD}\r\n`.repeat(count - 1) + LAST);
    assert.deepEqual([seen.length, seen[31] ?? 0, seen[32] ?? 1], [count, 0, 1]);
  }
});

test('a thousand pipelined requests are answered one at a time and in order', async context => {
  let underWay = 0;
  const listener = await open(context, async ({ target, body }) => {
    assert.equal(++underWay, 1);
    if (target.endsWith('7')) await pause(0);
    underWay--;
    return answer(`<${target} ${body}>`);
  });
  const requests = Array.from(
    { length: 1_000 },
    (_, i) => `PUT /${i} ${HEAD}Content-Length: ${String(i).length}\r\n\r\n${i}`,
  );
  const text = await exchange(listener, requests.join('') + LAST);
  assert.deepEqual(bodies(text), [...requests.map((_, i) => `</${i} ${i}>`), '</last >']);
});

test('while a request is handled, and while its answer is not read, reading from the client is bounded', async context => {
  const gate = newGate();
  const big = Buffer.alloc(8_000_000, 'x');
  let asked = 0;
  const listener = await open(context, async ({ target }) => {
    asked++;
    if (target === '/waits') await gate.opened;
    return answer(target === '/big' ? big : '<ok>');
  });
  const socket = connect(listener);
  socket.pause();
  socket.write(`GET /waits ${HEAD}\r\n`);
  const flood = Buffer.from(`GET /big ${HEAD}\r\n`.repeat(500_000));
  socket.write(flood);
  await until('the first request', () => asked > 0);
  await settled(() => socket.writableLength);
  assert.ok(socket.bytesWritten - socket.writableLength < flood.length || socket.writableLength > 0);
  assert.equal(asked, 1);
  gate.open();
  await until('the next request', () => asked > 1);
  await settled(() => asked);
  assert.ok(asked < 4, `${asked} answers were made for a client that reads none`);
  socket.destroy();
});

test('a body in a hundred thousand pieces', async context => {
  const listener = await open(context, async ({ body }) =>
    answer(`<${body.length} ${body.every(byte => byte === 120)}>`),
  );
  const chunks = '1\r\nx\r\n'.repeat(100_000);
  const text = await exchange(
    listener,
    `PUT / ${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n${LAST}`,
  );
  assert.deepEqual(bodies(text), ['<100000 true>', '<0 true>']);
});

test('a body stays as it is after it was handed on', async context => {
  const received: Buffer[] = [];
  const listener = await open(context, async ({ body }) => {
    received.push(body);
    return answer('<ok>');
  });
  const put = (letter: string, size: number): string =>
    `PUT / ${HEAD}Content-Length: ${size}\r\n\r\n${letter.repeat(size)}`;
  const sizes = [1, 10, 70_000, 3, 200_000, 5, 4];
  const letters = sizes.map((_, i) => String.fromCharCode(97 + i));
  const whole = sizes.map((size, i) => put(letters[i] ?? '', size)).join('');
  await exchange(listener, whole.slice(0, 80), whole.slice(80, 90_000), whole.slice(90_000) + LAST);
  for (const [i, size] of sizes.entries()) assert.equal(received[i]?.toString(), letters[i]?.repeat(size));
});

/** A page of 200 KB in pooled memory, different for each target. */
function pageOf(target: string): Buffer | string {
  const output = openOutput();
  for (let i = 0; i < 50; i++) output.text(`${i}:${target.repeat(4000 / target.length)}`);
  return output.end();
}

test('a page for a slow client stays as it is while others are answered', async context => {
  const pages = 150;
  let begun = 0;
  const listener = await open(context, async ({ target }) => {
    begun += 1;
    return answer(target === '/last' ? '' : pageOf(target));
  });
  const slow = ['/slow1', '/slow2', '/slow3'].map(target => {
    const socket = connect(listener);
    socket.write(`GET ${target} ${HEAD}\r\n`.repeat(pages) + LAST);
    return { target, socket };
  });
  await until('all of them are served', () => begun >= slow.length);
  assert((await settled(() => begun)) < slow.length * pages, 'none has to wait for its client');
  const countIn = (text: string, target: string): number => text.split(String(pageOf(target))).length - 1;
  for (const target of ['/quick1', '/quick2'])
    assert.equal(countIn(await exchange(listener, `GET ${target} ${HEAD}\r\n${LAST}`), target), 1);
  for (const { target, socket } of slow) assert.equal(countIn(await drain(socket), target), pages, target);
});

test('a client that has closed its half still gets its answers', async context => {
  const listener = await open(context, async ({ target }) => {
    await pause(20);
    return answer(`<${target}>`);
  });
  const socket = connect(listener);
  socket.end(`GET /1 ${HEAD}\r\nGET /2 ${HEAD}\r\n`);
  assert.deepEqual(bodies(await drainUndated(socket)), ['</1>', '</2>']);
  const cut = connect(listener);
  cut.end(`GET /1 ${HEAD}\r\nGET /2 HT`);
  assert.deepEqual(statuses(await drainUndated(cut)), ['200', '400']);
  const silent = connect(listener);
  silent.end();
  assert.equal(await drainUndated(silent), '');
});

test('what follows a fault is ignored, and the fault is answered in its turn', async context => {
  const listener = await open(context);
  const text = await exchange(listener, `GET /1 ${HEAD}\r\nGET /2 ${HEAD}a : b\r\n\r\n${LAST}`);
  assert.deepEqual(statuses(text), ['200', '400']);
  assert.ok(text.endsWith('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'));
  const expecting = await exchange(listener, `PUT / ${HEAD}Expect: x\r\nContent-Length: 1\r\n\r\n${LAST}`);
  assert.deepEqual(statuses(expecting), ['417']);
  const closed = await exchange(listener, LAST + LAST);
  assert.deepEqual(statuses(closed), ['200']);
});

test('heads of 64 KiB and no more, however they come', async context => {
  const listener = await open(context);
  const head = (size: number): string => {
    const text = `GET / ${HEAD}Connection: close\r\na: \r\n\r\n`;
    return text.replace('a: ', `a: ${'x'.repeat(size - text.length)}`);
  };
  assert.deepEqual(statuses(await exchange(listener, head(65_536))), ['200']);
  assert.deepEqual(statuses(await exchange(listener, head(65_537))), ['400']);
  const pieces = head(65_536).match(/[\s\S]{1,9000}/g) ?? [];
  assert.deepEqual(statuses(await exchange(listener, ...pieces)), ['200']);
  assert.deepEqual(
    statuses(await exchange(listener, `GET / ${HEAD}a: `, 'x'.repeat(40_000), 'x'.repeat(40_000))),
    ['400'],
  );
});

test('two thousand headers and no more, in however many packets, and again on the same connection', async context => {
  const listener = await open(context);
  const piece = 'a: b\r\n'.repeat(600);
  const begin = `GET /a ${HEAD}`;
  const good = [begin, piece, piece, piece, '\r\n'];
  assert.deepEqual(statuses(await exchange(listener, ...good, ...good, LAST)), ['200', '200', '200']);
  assert.deepEqual(statuses(await exchange(listener, ...good, begin, piece, piece, piece, piece)), [
    '200',
    '400',
  ]);
});

test('answers to HEAD, of 204 and of 304 end with the head; strings and bytes go out as they are', async context => {
  const listener = await open(context, async ({ method, target }) => {
    if (target === '/wide') return answer('<\u00e9\u20ac>');
    if (target === '/bytes') return answer(Buffer.from('<\u00e9>', 'latin1'));
    if (target === '/many') return answer(Buffer.alloc(100_000, 0xe9));
    return answer('<body>', method === 'GET' ? Number(target.slice(1)) : 200);
  });
  const gets = ['/204', '/304', '/201', '/wide', '/bytes', '/many'].map(
    target => `GET ${target} ${HEAD}\r\n`,
  );
  const text = await exchange(
    listener,
    `HEAD / ${HEAD}\r\n${gets.join('')}HEAD / ${HEAD}Connection: close\r\n\r\n`,
  );
  const wide = Buffer.from('<\u00e9\u20ac>').toString('latin1');
  const long = '\u00e9'.repeat(100_000);
  assert.deepEqual(text.split(/HTTP\/1\.1[\s\S]*?\r\n\r\n/), [
    '',
    '',
    '',
    '',
    '<body>',
    wide,
    '<\u00e9>',
    long,
    '',
  ]);
  assert.equal(text.match(/Content-Length: 6\r\n/g)?.length, 5);
});

test('an answer that cannot be written ends its connection, and no client gets half of it', async context => {
  const bad: readonly WireResponse[] = [
    {
      status: 200,
      headers: [
        ['Content-Length', '0'],
        ['x', 'a\r\nSet-Cookie: b'],
      ],
      body: undefined,
    },
    {
      status: 200,
      headers: [
        ['Content-Length', '0'],
        ['x: y', 'a'],
      ],
      body: undefined,
    },
    ...['OK\r\n\r\n', 'a\0', 'a\u0100', 'a\u2028'].map(reason => ({
      status: 200,
      reason,
      headers: [['Content-Length', '0']] as const,
      body: undefined,
    })),
    ...['a\r\nb: c', '\n', '\0', '\u007f', '\u0100'].map(value => ({
      status: 200,
      headers: [['Content-Length', '0'] as const, ['x-remembered', value] as const],
      body: undefined,
    })),
    { status: 200, headers: [['Content-Length', '3']], body: 'four' },
    { status: 200, headers: [['Content-Length', '1']], body: Buffer.from('22') },
    { status: 200, headers: [], body: 'x' },
  ];
  const good = {
    ...answer('<ok>'),
    headers: [['Content-Length', '4'] as const, ['x-remembered', 'good'] as const, ['x-wide', 'é'] as const],
  };
  const listener = await open(context, async ({ target }) => bad[Number(target.slice(1))] ?? good);
  assert.match(await exchange(listener, LAST), /\r\nx-remembered: good\r\nx-wide: \u00c3\u00a9\r\n/);
  for (const i of bad.keys()) assert.equal(await exchange(listener, `GET /${i} ${HEAD}\r\n`), '');
  assert.deepEqual(bodies(await exchange(listener, LAST)), ['<ok>']);
  const thrower = await open(context, () => {
    throw new Error('a fault');
  });
  assert.equal(await exchange(thrower, LAST), '');
});

test('timeouts apply to a head, a body, idle time between requests; not to the handler', {
  timeout: 120_000,
}, async context => {
  const clock = stopClock(context);
  const timeouts = { head: 200, request: 400, idle: 200, linger: 200 };
  const gate = newGate();
  let asked = 0;
  const slow: Respond = async ({ target }) => {
    asked += 1;
    if (target === '/slow') await gate.opened;
    return answer('<ok>');
  };
  const listener = await open(context, slow, timeouts);
  const late = 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n';
  const kept =
    'HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: keep-alive\r\nKeep-Alive: timeout=120\r\n\r\n<ok>';
  const exchanges = Promise.all([
    exchange(listener, ''),
    exchange(listener, `GET / ${HEAD}`),
    exchange(listener, `PUT / ${HEAD}Content-Length: 2\r\n\r\na`),
    exchange(listener, `GET / ${HEAD}\r\n`),
    exchange(listener, `GET / ${HEAD}\r\nGET`),
    exchange(listener, `GET / ${HEAD}\r\n\r\n`),
    exchange(listener, `GET / ${HEAD}\r\n`, '\r\n\r', '\n', '\r'),
  ]);
  const answered = exchange(listener, `GET /slow ${HEAD}Connection: close\r\n\r\n`);
  await until('all of them are connected', () => listener.connections === 8 && asked === 5);
  await until('all but one are at their end', () => {
    clock.pass(50);
    return listener.connections === 1;
  });
  clock.pass(700);
  gate.open();
  const [silent, head, body, idle, second, ...emptyLines] = await exchanges;
  assert.deepEqual(emptyLines, [kept, kept]);
  assert.deepEqual([silent, head, body, idle, second], [late, late, late, kept, kept + late]);
  assert.deepEqual(bodies(await answered), ['<ok>']);
  // A refused client that keeps sending is cut off.
  const stubborn = net.connect({ port: listener.port, host: listener.host, allowHalfOpen: true });
  stubborn.on('error', () => undefined);
  stubborn.resume();
  stubborn.write('nonsense\r\n\r\n');
  let isOpen = true;
  stubborn.on('close', () => {
    isOpen = false;
  });
  while (isOpen) {
    await send(stubborn, 'more');
    clock.pass(50);
    await pause(1);
  }
});
