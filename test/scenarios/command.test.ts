// The command `shelfmark serve` as one process: ready line, flags, signals, data that outlives it, and mistakes in one sentence.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { until } from '#base/testing/until';
import { CLIENT_OPTIONS, collect } from '../support/clients.js';
import { signedHeaders } from '../support/raw-client.js';
import { onlyIn } from '../support/slow.js';
import { runToEnd, type SpawnedServer, type Spawning, spawnServer } from '../support/spawned-server.js';
import { freePort, isTaken, takenPort } from '../support/taken-port.js';

const WELL_KNOWN = {
  name: 'devstoreaccount1',
  key: 'Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==',
};

const open = (server: SpawnedServer, table = 'things'): TableClient =>
  TableClient.fromConnectionString(server.connectionString, table, CLIENT_OPTIONS);

/** A server that ends with its test. */
async function serve(t: TestContext, args: readonly string[], spawning?: Spawning): Promise<SpawnedServer> {
  const server = await spawnServer(['serve', ...args], spawning);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

/** A request in progress: the server has asked for its body, and everything except the last byte of it is sent. */
async function begin(
  server: SpawnedServer,
  agent: Agent,
  body: string,
): Promise<{ finish(): Promise<IncomingMessage> }> {
  const target = '/devstoreaccount1/things';
  const headers = {
    ...signedHeaders({ account: WELL_KNOWN }, { method: 'POST', target, body }),
    'Content-Type': 'application/json',
    Prefer: 'return-no-content',
    Expect: '100-continue',
  };
  const outgoing: ClientRequest = request({
    agent,
    host: '127.0.0.1',
    port: server.port,
    method: 'POST',
    path: target,
    headers,
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
  });
  outgoing.flushHeaders();
  await once(outgoing, 'continue');
  outgoing.write(body.slice(0, -1));
  return {
    finish: () => {
      outgoing.end(body.slice(-1));
      return answered;
    },
  };
}

const skipLong = onlyIn('operations');

describe('shelfmark serve', () => {
  let directory = '';
  let unused = 0;
  const newDirectory = (): string => join(directory, `data${++unused}`);
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'shelfmark-command-'));
  });
  after(() => rm(directory, { recursive: true }));

  test('reports in one line that it is ready, where, and how to connect', async t => {
    const data = newDirectory();
    const server = await serve(t, ['--data', data, '--table-port', '0']);
    t.diagnostic(`ready after ${Math.round(server.readyMilliseconds)} ms`);
    assert.equal(server.readyLine.split('\n').length, 2);
    assert.equal(server.endpoint, `http://127.0.0.1:${server.port}/devstoreaccount1`);
    assert.equal(server.place, `data in ${data}`);
    const [, queueEndpoint = ''] = /; queues at ([^;]+);/.exec(server.readyLine) ?? [];
    const [, blobEndpoint = ''] = /; blobs at ([^;]+);/.exec(server.readyLine) ?? [];
    for (const endpoint of [queueEndpoint, blobEndpoint])
      assert.match(endpoint, /^http:\/\/127\.0\.0\.1:\d+\/devstoreaccount1$/);
    assert.equal(
      server.connectionString,
      `DefaultEndpointsProtocol=http;AccountName=${WELL_KNOWN.name};AccountKey=${WELL_KNOWN.key};TableEndpoint=${server.endpoint};QueueEndpoint=${queueEndpoint};BlobEndpoint=${blobEndpoint};`,
    );
    const table = open(server);
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const { code, stderr } = await server.stop('SIGTERM');
    assert.deepEqual([code, stderr], [0, '']);
  });

  test('if ports of tables and queues are given, blobs get a free one', { skip: skipLong }, async t => {
    const chosen = ['--table-port', String(await freePort()), '--queue-port', String(await freePort())];
    const server = await serve(t, ['--inMemoryPersistence', ...chosen]);
    const [, port = ''] = /; blobs at http:\/\/127\.0\.0\.1:(\d+)\//.exec(server.readyLine) ?? [];
    assert(Number(port) > 0 && port !== '10000', server.readyLine);
    await server.stop('SIGTERM');
  });

  test('a second start on the same directory has the data, however the first one ended', async t => {
    const data = newDirectory();
    const first = await serve(t, ['--data', data, '--table-port', '0']);
    const table = open(first, 'Kept');
    await table.createTable();
    await table.setAccessPolicy([{ id: 'mine', accessPolicy: { permission: 'r' } }]);
    await table.createEntity({ partitionKey: 'p', rowKey: 'stopped', n: 5n });
    const { etag } = await table.getEntity('p', 'stopped');
    assert.equal((await first.stop('SIGINT')).code, 0);

    const second = await serve(t, ['--data', data, '--table-port', '0']);
    const again = open(second, 'kept');
    const entity = await again.getEntity<{ n: bigint }>('p', 'stopped');
    assert.deepEqual([entity.n, entity.etag], [5n, etag]);
    await again.submitTransaction([['create', { partitionKey: 'p', rowKey: 'killed' }]]);
    assert.equal((await second.stop('SIGKILL')).code, null);

    const third = await serve(t, ['--data', data, '--table-port', '0']);
    const entities = await collect(open(third, 'kept').listEntities());
    assert.deepEqual(
      entities.map(({ rowKey }) => rowKey),
      ['killed', 'stopped'],
    );
    assert.equal((await open(third, 'kept').getAccessPolicy())[0]?.id, 'mine');
  });

  test('a signal lets requests in progress be answered, and accepts nothing new', async t => {
    const data = newDirectory();
    const server = await serve(t, ['--data', data, '--table-port', '0']);
    await open(server).createTable();
    const agent = new Agent({ keepAlive: true });
    t.after(() => agent.destroy());
    const underWay = await begin(server, agent, '{"PartitionKey":"p","RowKey":"under way"}');
    const stopped = server.stop('SIGTERM');
    await until('nobody new is let in', async () => !(await isTaken(server.port)));
    // The client may still have a connection that was just closed.
    const late = open(server).createEntity({ partitionKey: 'p', rowKey: 'late' });
    await assert.rejects(late, { code: /^ECONN(?:REFUSED|RESET)$/ });
    const answer = await underWay.finish();
    answer.resume();
    // Its client would have kept the connection.
    assert.deepEqual([answer.statusCode, answer.headers.connection], [204, 'close']);
    assert.equal((await stopped).code, 0);
    const next = await serve(t, ['--data', data, '--table-port', '0']);
    const rows = await collect(open(next).listEntities());
    assert.deepEqual(
      rows.map(({ rowKey }) => rowKey),
      ['under way'],
    );
  });

  test("takes Azurite's flags and its variable", { skip: skipLong }, async t => {
    const location = newDirectory();
    const flags = [
      '-s',
      '-l',
      location,
      '--tableHost',
      '127.0.0.1',
      '--tablePort',
      '0',
      '--blobPort',
      '0',
      '--queuePort',
      '0',
    ];
    const ignored = [
      '-L',
      '--skipApiVersionCheck',
      '--disableProductStyleUrl',
      '--disableTelemetry',
      '--oauth',
      'basic',
      '--blobHost',
      '127.0.0.1',
    ];
    const key = Buffer.from('a key of our own').toString('base64');
    const env = { ...process.env, AZURITE_ACCOUNTS: `first:${key};second:${key}:${WELL_KNOWN.key}` };
    const server = await spawnServer([...flags, ...ignored], { env });
    t.after(() => server.stop('SIGKILL'));
    assert.equal(server.place, `data in ${location}`);
    assert.equal(server.endpoint, `http://127.0.0.1:${server.port}/first`);
    // Logs contain no configured key.
    assert.match(server.connectionString, /;AccountName=first;AccountKey=<its key>;/);
    const first = server.connectionString.replace('<its key>', key);
    const table = TableClient.fromConnectionString(first, 'things', CLIENT_OPTIONS);
    await table.createTable();
    for (const accountKey of [key, WELL_KNOWN.key]) {
      const second = `DefaultEndpointsProtocol=http;AccountName=second;AccountKey=${accountKey};TableEndpoint=http://127.0.0.1:${server.port}/second`;
      const other = TableClient.fromConnectionString(second, 'things', CLIENT_OPTIONS);
      await assert.rejects(other.createEntity({ partitionKey: 'p', rowKey: 'r' }), /TableNotFound/);
    }
    assert.equal((await server.stop('SIGTERM')).stderr, '');
  });

  test('keeps the data in memory if asked, and the folder clean; logs requests with --debug, without secrets', {
    skip: skipLong,
  }, async t => {
    const cwd = join(directory, 'clean');
    await mkdir(cwd);
    const server = await serve(t, ['--inMemoryPersistence', '--tablePort', '0', '--debug'], { cwd });
    assert.equal(server.place, 'data in memory');
    const table = open(server);
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r', word: 'private' });
    const { stderr } = await server.stop('SIGTERM');
    assert.deepEqual(await readdir(cwd), []);
    const lines: { method?: string; path?: string; status?: number }[] = stderr
      .trim()
      .split('\n')
      .map(line => JSON.parse(line));
    assert.deepEqual(
      lines.map(({ method, path, status }) => [method, path, status]),
      [
        ['POST', '/devstoreaccount1/Tables', 201],
        ['POST', '/devstoreaccount1/things', 204],
      ],
    );
    assert.doesNotMatch(stderr, /private|SharedKey|Eby8/);
  });

  test('serves HTTPS with a certificate', { skip: skipLong }, async t => {
    const [cert, key] = [join(directory, 'cert.pem'), join(directory, 'key.pem')];
    await writeFile(cert, CERTIFICATE);
    await writeFile(key, CERTIFICATE_KEY);
    const server = await serve(t, [
      '--inMemoryPersistence',
      '--tablePort',
      '0',
      '--cert',
      cert,
      '--key',
      key,
    ]);
    assert.match(server.endpoint, /^https:/);
    const trusting = { tlsOptions: { ca: CERTIFICATE }, retryOptions: { maxRetries: 0 } };
    const table = TableClient.fromConnectionString(server.connectionString, 'things', trusting);
    await table.createTable();
    await table.createEntity({ partitionKey: 'p', rowKey: 'r' });
    const broken = ['--inMemoryPersistence', '--cert', key, '--key', cert];
    await failsInOneSentence(
      broken,
      /^shelfmark: \S+key\.pem and \S+cert\.pem cannot be used as certificate and key: .+\n$/,
    );
  });

  test('mistakes are reported in one sentence', async t => {
    const memory = ['--inMemoryPersistence', '--table-port', '0'];
    const file = join(directory, 'file');
    await writeFile(file, '');
    const at = (data: string): string[] => ['--table-port', '0', '--data', data];
    const accounts = { env: { ...process.env, AZURITE_ACCOUNTS: 'Name!:a2V5' } };
    const port = String(await takenPort(t));
    const takenAs = (option: string): RegExp =>
      new RegExp(
        `^shelfmark: .*EADDRINUSE.*${port}: another program listens there; stop it, or choose another port with ${option}\\.\\n$`,
      );
    const mistakes: readonly (readonly [args: readonly string[], sentence: RegExp, spawning?: Spawning])[] = [
      [at(file), /^shelfmark: .*file cannot hold a store.*\n$/],
      [['--bad-flag'], /^error: unknown option '--bad-flag'\n$/],
      [[...memory, '--host', '0.0.0.0'], /^shelfmark: The emulator's well-known key is not a secret.*\n$/],
      [['--table-port', 'ten'], /^error: .* A port is a number from 0 to 65535\.\n$/],
      [['--queue-port', 'ten'], /^error: .* A port is a number from 0 to 65535\.\n$/],
      [
        [...memory, '--queueHost', '0.0.0.0'],
        /^shelfmark: The emulator's well-known key is not a secret.*\n$/,
      ],
      [[...memory, '--cert', file], /^shelfmark: --cert and --key go together\.\n$/],
      [
        [...memory, '--cert', file, '--key', `${file}.pem`],
        /^shelfmark: --key names a file that cannot be read: ENOENT: .*\.pem'\n$/,
      ],
      [memory, /^shelfmark: The account name 'Name!' must be .*\n$/, accounts],
      [['--inMemoryPersistence', '--table-port', port], takenAs('--table-port')],
      [[...memory, '--queue-port', port], takenAs('--queue-port')],
      [[...memory, '--blob-port', port], takenAs('--blob-port')],
    ];
    // Each is a process of its own: all of them run in `npm run verify operations`.
    const tried = mistakes.slice(0, process.env.SHELFMARK_LONG === undefined ? 3 : undefined);
    await Promise.all(tried.map(mistake => failsInOneSentence(...mistake)));
  });

  test('prints its options', { skip: skipLong }, async () => {
    const { code, stdout } = await runToEnd(['serve', '--help']);
    assert.equal(code, 0);
    for (const option of ['--data', '--table-port', '--queue-port', '--durability', '--inMemoryPersistence'])
      assert(stdout.includes(option), option);
  });
});

async function failsInOneSentence(
  args: readonly string[],
  stderr: RegExp,
  spawning?: Spawning,
): Promise<void> {
  const exit = await runToEnd(['serve', ...args], spawning);
  assert.match(exit.stderr, stderr);
  assert.deepEqual([exit.code, exit.stdout], [1, '']);
}

/** For this test only, for localhost and until 2126; the key protects nothing. */
const CERTIFICATE_KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgLF2xg7QHCduoZVUm
D3HQQr9tL3LaiYeU8xoRSkq7OA6hRANCAATgj/WGqdNuwNM2fXejJQVkmWJblb6M
TbHTf9WFhW846t1zNxy0mXY1nyU6jq//qzolk0MQfVPw428gdBH7HPMc
-----END PRIVATE KEY-----
`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUH7m481fSY9NFUFm62Al2g+awE0QwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTAyNDcxOVoYDzIxMjYxMDI4
MDI0NzE5WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATgj/WGqdNuwNM2fXejJQVkmWJblb6MTbHTf9WFhW846t1zNxy0mXY1
nyU6jq//qzolk0MQfVPw428gdBH7HPMco28wbTAdBgNVHQ4EFgQUe442c4HeH6cr
PmxrDjcmqoL5FFwwHwYDVR0jBBgwFoAUe442c4HeH6crPmxrDjcmqoL5FFwwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAN4P1dKT1JCNmKPPM5wi+71EMhhOsoX3IegVhWy1qRVqAiAw
1QP76Sq3v3l0dyAXA/aoZOuhVY6YSZLITVhaDxtC1Q==
-----END CERTIFICATE-----
`;
