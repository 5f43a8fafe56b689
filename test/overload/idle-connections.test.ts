// Ten thousand connections that are used once and kept open: their memory, the refusal of one more, answers on the
// open ones, and the end by a signal. Run by npm run verify overload.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { residentBytes, spawnServer } from '../support/spawned-server.js';

const skip = process.env.SHELFMARK_LONG !== '1' || process.platform !== 'linux';
const CONNECTIONS = 10_000;
const AT_ONCE = 100;
/** The server's memory limit for a waiting connection: about three times the measured value. */
const BYTES_MAX = 20_000;
const REQUEST = 'GET /devstoreaccount1/Tables HTTP/1.1\r\nHost: h\r\n\r\n';

/** The status of an answer; ignores the rest. */
function ask(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    socket.once('data', bytes => resolve(bytes.toString('latin1', 9, 12)));
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('The connection was closed.')));
    socket.write(REQUEST);
  });
}

test('ten thousand connections that wait', { skip, timeout: 240_000 }, async t => {
  const server = await spawnServer(['serve', '--inMemoryPersistence', '--table-port', '0', '--silent']);
  t.after(() => server.stop('SIGKILL'));
  const sockets: Socket[] = [];
  t.after(() => sockets.map(socket => socket.destroy()));
  const open = async (): Promise<string> => {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    return ask(socket);
  };
  for (let warm = 0; warm < 200; warm++) assert.equal(await open(), '403');
  const before = residentBytes(server);
  while (sockets.length < CONNECTIONS) {
    const statuses = await Promise.all(Array.from({ length: AT_ONCE }, open));
    assert.deepEqual(new Set(statuses), new Set(['403']));
  }
  const each = Math.round((residentBytes(server) - before) / (CONNECTIONS - 200));
  t.diagnostic(`${each} bytes of memory for each connection; ${Math.round(before / 2 ** 20)} MiB before`);
  assert(each < BYTES_MAX, `${each} bytes`);
  assert.equal(await open(), '503');
  for (const socket of sockets.slice(0, CONNECTIONS).filter((_, i) => i % 100 === 0))
    assert.equal(await ask(socket), '403');
  sockets[0]?.destroy();
  await until(
    'another one is taken in its place',
    async () => (await open().catch(() => undefined)) === '403',
  );
  assert.equal((await server.stop('SIGTERM')).code, 0);
});
