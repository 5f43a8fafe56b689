// The advice on an address that is taken names the option that chose it, on real sockets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { test } from 'node:test';
import { textOf } from '../fail.js';
import { adviseOnListening } from './listen-advice.js';

async function failedListen(port: number, host = '127.0.0.1'): Promise<unknown> {
  const server = createServer();
  server.listen(port, host);
  const [error] = await once(server, 'error');
  return error;
}

test('a port that is taken names its own option, or all that chose it', async t => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const address = taken.address();
  assert(address !== null && typeof address === 'object');
  const { port } = address;
  const adviceOn = async (ports: Readonly<Record<string, number | 'none' | undefined>>) => {
    const listenings = Object.entries(ports).map(([name, each]) => ({ name, port: each }));
    return textOf(adviseOnListening(await failedListen(port), listenings));
  };
  const start = `listen EADDRINUSE: address already in use 127.0.0.1:${port}`;
  const sentence = (options: string) =>
    `${start}: another program listens there; stop it, or choose another port with ${options}.`;
  for (const name of ['table', 'queue', 'blob', 'metrics', 'peer']) {
    const others = { table: 1, queue: 2, blob: 3, metrics: undefined, peer: 'none' as const };
    assert.equal(await adviceOn({ ...others, [name]: port }), sentence(`--${name}-port`));
  }
  assert.equal(
    await adviceOn({ table: port, queue: 1, blob: port }),
    sentence('--table-port or --blob-port'),
  );
  assert.equal(
    await adviceOn({ table: 0, queue: 'none', metrics: undefined, blob: 0 }),
    sentence('--table-port or --blob-port'),
  );
});

test('an address that the machine lacks names the option of the host', async () => {
  // Reserved for documentation.
  for (const port of [7, 0]) {
    const error = await failedListen(port, '192.0.2.1');
    const listenings = [
      { name: 'table', port },
      { name: 'blob', port: 8 },
      { name: 'metrics', port: undefined },
    ];
    const text = textOf(adviseOnListening(error, listenings));
    assert.match(
      text,
      /^listen EADDRNOTAVAIL.*: this machine does not have the address; choose another with --host\.$/,
    );
  }
});

test('another error stays as it is', () => {
  const error = new Error('x');
  assert.equal(adviseOnListening(error, [{ name: 'table', port: 1 }]), error);
  assert.equal(error.message, 'x');
  assert.equal(adviseOnListening('x', []), 'x');
});
