// Finds a free port, for several processes to share.
import { once } from 'node:events';
import { createServer } from 'node:net';

/** The port is free at this moment and not reserved: another program may take it before it is used. */
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
