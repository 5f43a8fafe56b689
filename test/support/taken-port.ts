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

/** Nobody had it a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise(resolve => {
    server.close(resolve);
  });
  assert(typeof address === 'object' && address !== null);
  return address.port;
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
