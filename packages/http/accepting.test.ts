// Clients that connect while the server's thread is blocked: the system has to complete their connections, or they
// retry a second later.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

const CONNECTIONS = 1_000;
const SYSTEM_ALLOWS = '/proc/sys/net/core/somaxconn';

function allowed(): number {
  try {
    return Number(readFileSync(SYSTEM_ALLOWS, 'utf8'));
  } catch {
    return 0;
  }
}

test('a thousand connections are made while the server is blocked, and answered when it continues', {
  skip: allowed() < CONNECTIONS && 'the system does not allow so many',
  timeout: 120_000,
}, async context => {
  const gate = new SharedArrayBuffer(4);
  const url = new URL('./testing/blocked-listener.js', import.meta.url);
  const worker = new Worker(url, { workerData: gate });
  const sockets: net.Socket[] = [];
  const release = (): void => {
    Atomics.store(new Int32Array(gate), 0, 1);
    Atomics.notify(new Int32Array(gate), 0);
  };
  context.after(async () => {
    release();
    for (const socket of sockets) socket.destroy();
    worker.postMessage('close');
    await once(worker, 'exit');
  });
  const [port] = (await once(worker, 'message')) as [number];
  for (let count = 0; count < CONNECTIONS; count++) sockets.push(net.connect(port, '127.0.0.1'));
  await Promise.all(sockets.map(socket => once(socket, 'connect')));
  release();
  const answers = await Promise.all(
    sockets.map(async socket => {
      socket.end('GET /here HTTP/1.1\r\nHost: here\r\n\r\n');
      const [bytes] = (await once(socket, 'data')) as [Buffer];
      return bytes.toString('latin1').split('\r\n', 1)[0];
    }),
  );
  assert.deepEqual(new Set(answers), new Set(['HTTP/1.1 200 OK']));
});
