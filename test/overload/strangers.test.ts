// Callers whose requests do not end, and next to them a caller with credentials, which always gets through: unknown
// callers whose bodies and heads stop a byte short, and known slow callers. `npm test` bounds memory to 8 MiB, npm run
// verify overload leaves it at its default.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { until } from '#base/testing/until';
import {
  inAccount,
  type RawRequest,
  type RawResponse,
  rawRequest,
  signedHeaders,
} from '../support/raw-client.js';
import { queuePortOf, residentBytes, type SpawnedServer, spawnServer } from '../support/spawned-server.js';
import { WELL_KNOWN } from '../support/worker-processes.js';

const MEBIBYTE = 2 ** 20;
const IS_LONG = process.env.SHELFMARK_LONG === '1';
const BOUND = (IS_LONG ? 256 : 8) * MEBIBYTE;
const BODY = 4 * MEBIBYTE;
/** More than the bound holds. */
const STALLED = BOUND / BODY + 1;
/** After less a body is slow (packages/http/listener-context.ts). */
const SLOW_MILLISECONDS = 2_500;
const JSON_BODY = { 'Content-Type': 'application/json', Prefer: 'return-no-content' };

interface Stalled {
  readonly socket: Socket;
  /** The statuses so far. */
  statuses(): readonly string[];
}

class Attacked {
  readonly #server: SpawnedServer;
  readonly #addressed;
  readonly #sockets: Socket[] = [];
  #keys = 0;

  constructor(t: TestContext, server: SpawnedServer) {
    this.#server = server;
    this.#addressed = { account: WELL_KNOWN, tablePort: server.port };
    t.after(() => {
      for (const socket of this.#sockets) socket.destroy();
      return server.stop('SIGKILL');
    });
  }

  path(path: string): string {
    return inAccount(this.#addressed, path);
  }

  send(request: RawRequest): Promise<RawResponse> {
    return rawRequest(this.#addressed, request);
  }

  /** A write with credentials, whose body comes with the head, or after it. */
  async insert(): Promise<readonly number[]> {
    const bodies = [100, 100_000].map(size =>
      JSON.stringify({ PartitionKey: 'p', RowKey: `${++this.#keys}`, text: 'x'.repeat(size / 4) }),
    );
    const target = this.path('/things');
    const send = (body: string) => this.send({ method: 'POST', target, headers: JSON_BODY, body });
    return (await Promise.all(bodies.map(send))).map(({ status }) => status);
  }

  /** Sends the given part of a request, and nothing more. */
  async stall(text: string, bodyBytes: number, port = this.#server.port): Promise<Stalled> {
    const socket = connect(port, '127.0.0.1');
    this.#sockets.push(socket);
    let answer = '';
    socket.on('data', bytes => {
      answer += bytes.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.write(text);
    // A refused client may be cut before everything is sent.
    await new Promise<void>(resolve => {
      socket.once('close', resolve);
      socket.write(Buffer.alloc(bodyBytes, 'x'), () => resolve());
    });
    return { socket, statuses: () => answer.match(/(?<=HTTP\/1\.1 )\d+/g) ?? [] };
  }

  /** One after the other, so that the server's memory comes close to its bound. */
  async stallAll(count: number, text: string, bodyBytes: number, port?: number): Promise<readonly Stalled[]> {
    const stalled: Stalled[] = [];
    while (stalled.length < count) stalled.push(await this.stall(text, bodyBytes, port));
    return stalled;
  }

  head(method: string, target: string, headers: Readonly<Record<string, string>>): string {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    return `${method} ${target} HTTP/1.1\r\nHost: h\r\n${lines.join('')}\r\n`;
  }

  signed(method: string, target: string, headers: Readonly<Record<string, string>>): string {
    return this.head(method, target, signedHeaders(this.#addressed, { method, target, headers }));
  }

  get residentBytes(): number {
    return residentBytes(this.#server);
  }

  get queuePort(): number {
    return queuePortOf(this.#server);
  }
}

async function start(t: TestContext): Promise<Attacked> {
  const bound = IS_LONG ? [] : ['--max-request-megabytes', '8'];
  const args = ['serve', '--inMemoryPersistence', '--table-port', '0', '--log-level', 'error', ...bound];
  const attacked = new Attacked(t, await spawnServer(args));
  const body = JSON.stringify({ TableName: 'things' });
  const { status } = await attacked.send({
    method: 'POST',
    target: attacked.path('/Tables'),
    headers: JSON_BODY,
    body,
  });
  assert.equal(status, 204);
  assert.deepEqual(await attacked.insert(), [204, 204]);
  return attacked;
}

const skip = process.platform !== 'linux';
/** Only ends a test that hangs. */
const timeout = 240_000;

test('bodies of callers without credentials, each a byte short: refused at once, and not held', {
  skip,
  timeout,
}, async t => {
  const attacked = await start(t);
  const before = attacked.residentBytes;
  const length = { 'Content-Length': `${BODY}`, 'Content-Type': 'application/json' };
  const date = new Date().toUTCString();
  const version = { 'x-ms-version': '2019-02-02', 'x-ms-date': date };
  const forged = { ...version, Authorization: `SharedKeyLite ${WELL_KNOWN.name}:${'A'.repeat(43)}=` };
  const chunked = { 'Transfer-Encoding': 'chunked' };
  const heads = [
    attacked.head('POST', attacked.path('/things'), length),
    attacked.head('POST', attacked.path('/things'), { ...length, ...version }),
    attacked.head('POST', attacked.path('/things'), { ...length, ...forged }),
    attacked.head('POST', attacked.path('/$batch'), { ...length, ...forged }),
    attacked.head('POST', '/nobody/things', { ...length, ...forged }),
    attacked.head('POST', `${attacked.path('/things')}?sv=2019-02-02&sig=x&sp=a&tn=things`, length),
    `${attacked.head('POST', attacked.path('/things'), { ...chunked, ...forged })}${BODY.toString(16)}\r\n`,
  ];
  const refused: Stalled[] = [];
  for (const head of heads) {
    refused.push(...(await attacked.stallAll(STALLED, head, BODY - 1)));
    assert.deepEqual(await attacked.insert(), [204, 204], head);
  }
  const queue = attacked.head('POST', attacked.path('/q/messages'), { ...length, ...version });
  refused.push(...(await attacked.stallAll(STALLED, queue, BODY - 1, attacked.queuePort)));
  await until('all are refused', () => refused.every(({ statuses }) => /^40[0134]$/.test(statuses().join())));
  assert.deepEqual(await attacked.insert(), [204, 204]);
  const grown = (attacked.residentBytes - before) / MEBIBYTE;
  t.diagnostic(`${refused.length} bodies of 4 MiB, each a byte short: ${grown.toFixed(0)} MiB more memory`);
  assert(grown < 150, `${grown} MiB`);
});

test('heads that stop a byte short: the oldest are evicted', { skip, timeout }, async t => {
  const attacked = await start(t);
  const long = `GET /devstoreaccount1/Tables HTTP/1.1\r\nHost: h\r\nX: ${'x'.repeat(60_000)}`;
  const count = Math.ceil((2 * BOUND) / 8 / long.length);
  const stalled = await attacked.stallAll(count, long, 0);
  assert.deepEqual(await attacked.insert(), [204, 204]);
  await until(
    'half of them are gone',
    () => stalled.filter(({ statuses }) => statuses()[0] === '503').length >= count / 2 - 2,
  );
  assert.deepEqual(stalled.at(-1)?.statuses(), [], 'the newest is waited for');
  stalled.at(-1)?.socket.write('\r\n\r\n');
  await until('the newest is answered', () => stalled.at(-1)?.statuses().join() === '403');
});

test('bodies of callers with credentials, each a byte short: once they are slow the oldest are evicted', {
  skip,
  timeout,
}, async t => {
  const attacked = await start(t);
  const expecting = {
    'Content-Length': `${BODY}`,
    'Content-Type': 'application/json',
    Expect: '100-continue',
  };
  const head = attacked.signed('POST', attacked.path('/things'), expecting);
  /** The server waits for it after 100 Continue. */
  const begin = async (): Promise<Stalled> => {
    const stalled = await attacked.stall(head, 0);
    await until('it is told to go on', () => stalled.statuses().length > 0);
    await new Promise(resolve => stalled.socket.write(Buffer.alloc(BODY - 1, 'x'), resolve));
    return stalled;
  };
  const stalled: Stalled[] = [];
  while (stalled.length < STALLED - 1) stalled.push(await begin());
  // What does not fit is refused while none of them is slow, as are all others; then the oldest is evicted.
  await new Promise(resolve => setTimeout(resolve, SLOW_MILLISECONDS));
  const next = await begin();
  assert.deepEqual(await attacked.insert(), [204, 204]);
  await until('one was refused for the next', () =>
    stalled.some(({ statuses }) => statuses().join() === '100,503'),
  );
  assert.deepEqual(next.statuses(), ['100'], 'the next is waited for');
});
