// A port that nobody listens on, for several processes to listen on together.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** It is free when asked for and nobody's yet: another program may take it before it is used. */
export async function freePort(host: string): Promise<number> {
  const server = createServer();
  server.listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error(`${host} has no ports.`);
  return address.port;
}
