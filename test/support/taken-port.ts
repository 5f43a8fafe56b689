// Ports of this machine: one in use for the duration of a test, a free one, and whether one is in use.
import assert from 'node:assert/strict';
import { connect, createServer } from 'node:net';
import type { TestContext } from 'node:test';

export async function takenPort(t: TestContext): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.after(() => server.close());
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  return address.port;
}

/** Below the ports that systems give to clients, and to servers that ask for any: another process is unlikely to take one of these in between. */
const FREE_PORTS = { from: 20_000, count: 10_000 };

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FREE_PORTS.from + Math.floor(Math.random() * FREE_PORTS.count);
    const server = createServer();
    const isFree = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise(resolve => {
      server.close(resolve);
    });
    if (isFree) return port;
  }
}

/** Whether anybody listens. */
export const isTaken = (port: number): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
