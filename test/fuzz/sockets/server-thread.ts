// The server that streams are sent to, in a thread of its own: a request that never ends does not stop the one who watches.
import { parentPort } from 'node:worker_threads';
import { serve } from '#server';
import { NOW } from '../credentials.js';

const server = await serve({ logLevel: 'silent', clock: () => NOW });
parentPort?.postMessage(server.tablePort);
parentPort?.once('message', () => {
  void server.close().then(() => process.exit(0));
});
