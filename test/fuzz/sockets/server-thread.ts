// The server that streams are sent to, in a thread of its own: an endless request does not stop the watcher. On the
// embedded engine, so that requests reach the disk.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort } from 'node:worker_threads';
import { serve } from '#server';
import { NOW } from '../credentials.js';

const data = mkdtempSync(join(tmpdir(), 'shelfmark-fuzz-'));
const server = await serve({ data, durability: 'none', logLevel: 'silent', clock: () => NOW });
parentPort?.postMessage(server.tablePort);
parentPort?.once('message', () => {
  void server.close().then(() => {
    rmSync(data, { recursive: true, force: true });
    process.exit(0);
  });
});
