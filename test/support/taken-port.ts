// A port of this machine that is in use for the duration of a test.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
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
