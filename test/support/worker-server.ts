// Servers of several processes for tests, each on a directory of its own, and the tests' requests.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext } from 'node:test';
import { onlyIn } from './slow.js';
import { type SpawnedServer, spawnServer } from './spawned-server.js';
import { Connection, type Reply } from './worker-processes.js';

export const WORKERS = 4;
export const ACCOUNT = '/devstoreaccount1';
export const JSON_BODY = { 'Content-Type': 'application/json', Accept: 'application/json;odata=nometadata' };

export const get = (target: string) => ({ method: 'GET', target: ACCOUNT + target, headers: JSON_BODY });
export const send = (
  method: string,
  target: string,
  value: object,
  headers: Record<string, string> = {},
) => ({
  method,
  target: ACCOUNT + target,
  headers: { ...JSON_BODY, Prefer: 'return-no-content', ...headers },
  body: JSON.stringify(value),
});
export const createTable = (name: string) => send('POST', '/Tables', { TableName: name });
export const ROW = "(PartitionKey='p',RowKey='r')";
export const KEYS = { PartitionKey: 'p', RowKey: 'r' };

export const statusOf = ({ status }: Reply): number => status;

/** The time in an ETag, whose fraction has no trailing zeros, so that it sorts as text. */
export const tickOf = ({ headers }: Reply): string =>
  String(headers.etag).replace(/(?:\.(\d+))?Z/, (_, fraction = '') => `.${fraction.padEnd(7, '0')}Z`);

const directory = mkdtempSync(join(tmpdir(), 'shelfmark-workers-'));
let unused = 0;
export const newDirectory = (): string => join(directory, `data${++unused}`);
export const start = (workers: number | 'auto', ...args: readonly string[]): Promise<SpawnedServer> =>
  spawnServer([
    'serve',
    ...['--data', newDirectory(), '--table-port', '0', '--workers', String(workers)],
    ...args,
  ]);

/** A server that ends with its test. */
export async function serve(t: TestContext, workers: number | 'auto'): Promise<SpawnedServer> {
  const server = await start(workers);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

/** Connections, each with an answered request, so that each has its worker. */
export async function connections(
  t: TestContext,
  server: SpawnedServer,
  count: number,
): Promise<Connection[]> {
  const made = Array.from({ length: count }, () => new Connection(server.port));
  t.after(() => made.map(connection => connection.close()));
  for (const connection of made) assert.equal(statusOf(await connection.request(get('/Tables'))), 200);
  return made;
}

/** Only Linux reports the owner of a socket. */
export const skip = process.platform !== 'linux';
/** For tests that wait for seconds. */
export const skipLong: boolean | string = skip || onlyIn('processes');
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }));
