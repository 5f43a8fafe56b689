// The operator's view of several processes: readiness, metrics summed over all, key changes in all of them, deaths in
// between. It takes about half a minute, so only `npm run verify operations` runs it.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, type TestContext, test } from 'node:test';
import { AzureNamedKeyCredential, TableClient } from '@azure/data-tables';
import { until } from '#base/testing/until';
import { CLIENT_OPTIONS, refuses } from '../support/clients.js';
import { rawRequest } from '../support/raw-client.js';
import { type SpawnedServer, spawnServer } from '../support/spawned-server.js';
import { childrenOf } from '../support/worker-processes.js';

/** Linux reports which process is stopped, and whose child it is. */
const skip = process.env.SHELFMARK_LONG === undefined || process.platform !== 'linux';
const NAME = 'shop';
const WORKERS = 3;
const newKey = (): string => randomBytes(64).toString('base64');
const directory = mkdtempSync(join(tmpdir(), 'shelfmark-operations-'));
after(() => rmSync(directory, { recursive: true, maxRetries: 5 }));
let unused = 0;

interface Running {
  readonly server: SpawnedServer;
  /** Puts other accounts into the file. */
  write(text: string): void;
  /** Waits for the nth time that this is logged. */
  said(text: RegExp, times?: number): Promise<true>;
  ready(): Promise<readonly [status: number, text: string]>;
  /** By the text before the number. */
  metrics(): Promise<ReadonlyMap<string, number>>;
  /** Metrics to which all workers have contributed in time. */
  metricsOfAll(): Promise<ReadonlyMap<string, number>>;
}

async function start(t: TestContext, accounts: string, ...flags: readonly string[]): Promise<Running> {
  const folder = join(directory, String(++unused));
  const path = `${folder}-accounts`;
  const write = (text: string): void => {
    writeFileSync(`${path}.new`, text);
    renameSync(`${path}.new`, path);
  };
  write(accounts);
  const args = ['--data', folder, '--table-port', '0', '--metrics-port', '0', '--accounts', path, ...flags];
  const server = await spawnServer(['serve', ...args]);
  t.after(() => server.stop('SIGKILL'));
  const told = /health and metrics are served at (\S+)\.\n/;
  await until('the port is told', () => told.test(server.stderr()));
  const [, origin] = told.exec(server.stderr()) ?? [];
  const metrics = async (): Promise<ReadonlyMap<string, number>> => {
    const text = await (await fetch(`${origin}/metrics`)).text();
    const lines = text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
    return new Map(lines.map(line => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
  };
  return {
    server,
    write,
    said: (text, times = 1) => until(`${text} is said`, () => server.stderr().split(text).length > times),
    ready: async () => {
      const response = await fetch(`${origin}/readyz`);
      return [response.status, await response.text()];
    },
    metrics,
    metricsOfAll: () =>
      until('all workers tell their metrics', async () => {
        const told = await metrics();
        return told.get('shelfmark_workers') === WORKERS && told;
      }),
  };
}

const clientOf = ({ endpoint }: SpawnedServer, key: string): TableClient =>
  new TableClient(endpoint, 'orders', new AzureNamedKeyCredential(NAME, key), CLIENT_OPTIONS);

/** Connections that are closed after each request reach all workers in rotation. */
async function onAll(server: SpawnedServer, key: string): Promise<readonly number[]> {
  const target = `/${NAME}/orders(PartitionKey='p',RowKey='r')`;
  const addressed = { account: { name: NAME, key }, tablePort: server.port };
  const request = { method: 'GET', target, headers: { Connection: 'close' } };
  const asked = Array.from({ length: 4 * WORKERS }, () => rawRequest(addressed, request));
  return [...new Set((await Promise.all(asked)).map(({ status }) => status))];
}

const QUERIES = 'shelfmark_requests_total{operation="getEntity",status="200"}';
const REFUSED = 'shelfmark_requests_total{operation="getEntity",status="403"}';

test('changed keys hold in all of them at once, also in later ones', {
  skip,
}, async t => {
  const [first, second, third] = [newKey(), newKey(), newKey()];
  const { server, write, said } = await start(t, `${NAME}:${first}:${second}`, '--workers', String(WORKERS));
  await clientOf(server, first).createTable();
  await clientOf(server, second).createEntity({ partitionKey: 'p', rowKey: 'r' });
  assert.deepEqual(await onAll(server, first), [200]);

  write(`${NAME}:${third}:${second}`);
  process.kill(server.pid, 'SIGHUP');
  await said(/hold now: shop with 2 keys\./);
  await refuses(clientOf(server, first).getEntity('p', 'r'), 403, 'AuthenticationFailed');
  for (const [key, status] of [
    [first, 403],
    [second, 200],
    [third, 200],
  ] as const)
    assert.deepEqual(await onAll(server, key), [status]);

  // Without a signal, an invalid file; then a worker dies and its successor has the valid accounts.
  write(`${NAME}:${third}!`);
  await said(/was not taken, and the accounts stay as they were/);
  const [victim = 0] = childrenOf(server.pid);
  process.kill(victim, 'SIGKILL');
  await said(/another takes its place\./);
  await until('its successor answers', () => childrenOf(server.pid).length === WORKERS);
  assert.deepEqual(await onAll(server, third), [200]);
  assert.deepEqual(await onAll(server, first), [403]);

  write(`${NAME}:${first}`);
  await said(/hold now: shop with one key\./);
  assert.deepEqual(await onAll(server, third), [403]);
  assert.deepEqual(await onAll(server, first), [200]);
  assert.equal((await server.stop('SIGTERM')).code, 0);
});

test('a stopped worker does not keep an old key', { skip }, async t => {
  const [first, second] = [newKey(), newKey()];
  const { server, write, said } = await start(t, `${NAME}:${first}`, '--workers', '2');
  await clientOf(server, first).createTable();
  const [still = 0] = childrenOf(server.pid);
  process.kill(still, 'SIGSTOP');
  write(`${NAME}:${second}`);
  process.kill(server.pid, 'SIGHUP');
  await said(/hold now: shop with one key\./);
  await said(/it did not take the keys/);
  await until('it is gone', () => !childrenOf(server.pid).includes(still));
});

test("metrics are summed over all, and a dead worker's counts are not lost", {
  skip,
}, async t => {
  const key = newKey();
  const running = await start(t, `${NAME}:${key}`, '--workers', String(WORKERS));
  const { server, ready, metrics, metricsOfAll, said } = running;
  await until('it is ready', async () => (await ready()).join() === '200,ok\n');
  await clientOf(server, key).createTable();
  await clientOf(server, key).createEntity({ partitionKey: 'p', rowKey: 'r' });
  await onAll(server, key);
  await onAll(server, newKey());
  const before = await metricsOfAll();
  const read = (name: string): number | undefined => before.get(name);
  assert.deepEqual([read(QUERIES), read(REFUSED)], [4 * WORKERS, 4 * WORKERS]);
  assert.equal(read('shelfmark_request_duration_seconds_count{operation="getEntity"}'), 8 * WORKERS);
  assert.deepEqual([read('shelfmark_workers'), read('shelfmark_processes')], [WORKERS, WORKERS + 1]);
  // The table and the entity; counters of the store may have been written at the start.
  assert((read('shelfmark_commit_seconds_count') ?? 0) >= 2);
  assert((read('shelfmark_data_file_bytes') ?? 0) > 8192);

  const workers = childrenOf(server.pid);
  for (const pid of workers) process.kill(pid, 'SIGKILL');
  await said(/another takes its place\./, WORKERS);
  await until(
    'all are back',
    async () => (await ready())[0] === 200 && (await metrics()).get('shelfmark_workers') === WORKERS,
  );
  const since = await metricsOfAll();
  assert.deepEqual([since.get(QUERIES), since.get(REFUSED)], [4 * WORKERS, 4 * WORKERS]);
  assert.equal(since.get('shelfmark_worker_restarts_total'), WORKERS);
  await onAll(server, key);
  assert.equal((await metricsOfAll()).get(QUERIES), 8 * WORKERS);
});

test('readiness ends when the shutdown begins, and while no worker answers', { skip }, async t => {
  const { server, ready } = await start(t, `${NAME}:${newKey()}`, '--workers', '2');
  const workers = childrenOf(server.pid);
  for (const pid of workers) process.kill(pid, 'SIGSTOP');
  assert.deepEqual(await ready(), [503, 'not ready: no worker answers\n']);
  const stopped = server.stop('SIGTERM');
  await until('it is not ready', async () => (await ready())[1] === 'not ready: stopping\n');
  for (const pid of workers) process.kill(pid, 'SIGCONT');
  assert.equal((await stopped).code, 0);
});
