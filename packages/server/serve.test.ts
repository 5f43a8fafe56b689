// What a server that cannot start leaves open: nothing.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Engines } from './engines.js';
import { serve } from './serve.js';
import { SharedKind } from './testing/stub-peers.js';

async function listening(port = 0): Promise<{ readonly server: Server; readonly port: number }> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: address !== null && typeof address === 'object' ? address.port : 0 };
}

const closed = (server: Server): Promise<unknown> => once(server.close(), 'close');

async function freePort(): Promise<number> {
  const { server, port } = await listening();
  await closed(server);
  return port;
}

async function takenPort(t: TestContext): Promise<number> {
  const { server, port } = await listening();
  t.after(() => closed(server));
  return port;
}

/** Its stores count how often they are closed, and fail to. */
class Unclosable extends SharedKind {
  closes = 0;

  override async open(place: string) {
    const close = async (): Promise<void> => {
      this.closes += 1;
      throw new Error('It cannot be closed.');
    };
    return { ...(await super.open(place)), close };
  }
}

for (const taken of ['blobPort', 'peerPort'] as const)
  test(`a server whose ${taken} is taken says so, and closes the rest, also where its store cannot be closed`, async t => {
    const kind = new Unclosable();
    const [table, operations] = [await freePort(), await freePort()];
    const options = { store: 'stub:a', operations: { port: operations }, tablePort: table };
    const starting = serve({ ...options, [taken]: await takenPort(t) }, new Engines([kind]));
    await assert.rejects(starting, { code: 'EADDRINUSE' });
    assert.equal(kind.closes, 1);
    for (const port of [table, operations]) await closed((await listening(port)).server);
  });
