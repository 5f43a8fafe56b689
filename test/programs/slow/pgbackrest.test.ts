// pgBackRest, as Debian packages it, keeps the backups and the log of a PostgreSQL server in a container over TLS, and restores them. Skipped where it or
// PostgreSQL is not installed.
import assert from 'node:assert/strict';
import { appendFileSync, chownSync, copyFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { BlobServiceClient, type ContainerClient } from '@azure/storage-blob';
import { until } from '#base/testing/until';
import { Authority } from '../../cassandra/node/certificates.js';
import { blobPortOf } from '../../support/spawned-server.js';
import { ACCOUNT, isInstalled, KEY, newDirectory, run, startServer } from '../program.js';

const POSTGRESQL = '/usr/lib/postgresql';
const skip =
  !(isInstalled('pgbackrest') && isInstalled('pg_ctlcluster')) &&
  'pgBackRest or PostgreSQL is not installed (Debian: pgbackrest, postgresql)';
const CONTAINER = 'backups';
const ROWS = 100_000;

const configuration = (directory: string, port: number): string =>
  [
    '[global]',
    'repo1-type=azure',
    'repo1-path=/repo',
    `repo1-azure-account=${ACCOUNT}`,
    `repo1-azure-key=${KEY}`,
    `repo1-azure-container=${CONTAINER}`,
    'repo1-azure-endpoint=localhost',
    'repo1-azure-uri-style=path',
    `repo1-storage-port=${port}`,
    `repo1-storage-ca-file=${join(directory, 'ca.pem')}`,
    'repo1-retention-full=2',
    'process-max=4',
    'start-fast=y',
    `log-path=${directory}`,
    `lock-path=${directory}`,
    '[main]',
    `pg1-path=${join(directory, 'cluster')}`,
    `pg1-socket-path=${directory}`,
    'pg1-user=postgres',
    '',
  ].join('\n');

/** A database of its own, which can be reached by a socket in the directory only, and pgBackRest for it. */
interface Database {
  readonly cluster: string;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Leaves nothing running, whatever went wrong. */
  end(): Promise<void>;
  /** The first column of the first row. */
  query(sql: string): Promise<string>;
  backrest(...args: readonly string[]): Promise<string>;
}

/** PostgreSQL does not run as root. */
async function userOf(directory: string): Promise<number | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const uid = Number(await run('id', ['-u', 'postgres']));
  chownSync(directory, uid, 0);
  return uid;
}

async function makeDatabase(directory: string, port: number): Promise<Database> {
  const uid = await userOf(directory);
  const running = { cwd: directory, ...(uid !== undefined && { uid }) };
  const [version = ''] = readdirSync(POSTGRESQL).sort((a, b) => Number(b) - Number(a));
  const command = (name: string, ...args: readonly string[]): Promise<string> =>
    run(join(POSTGRESQL, version, 'bin', name), args, running);
  const cluster = join(directory, 'cluster');
  const config = join(directory, 'pgbackrest.conf');
  writeFileSync(config, configuration(directory, port), { mode: 0o644 });
  const backrest = `pgbackrest --config=${config} --stanza=main`;

  await command('initdb', '--username=postgres', '--auth=trust', '--data-checksums', '-D', cluster);
  const settings = [
    "listen_addresses = ''",
    `unix_socket_directories = '${directory}'`,
    'archive_mode = on',
    `archive_command = '${backrest} archive-push %p'`,
  ];
  appendFileSync(join(cluster, 'postgresql.conf'), `${settings.join('\n')}\n`);
  const stop = async (mode: string): Promise<void> =>
    void (await command('pg_ctl', '-D', cluster, '-w', '-m', mode, 'stop'));
  return {
    cluster,
    start: async () => {
      await command('pg_ctl', '-D', cluster, '-l', join(directory, 'postgresql.log'), '-w', 'start');
    },
    stop: () => stop('fast'),
    end: () => stop('immediate').catch(() => undefined),
    query: async sql =>
      (await command('psql', '-h', directory, '-U', 'postgres', '-qAtX', '-c', sql)).trimEnd(),
    backrest: (...args) => run('sh', ['-c', `exec ${backrest} "$@"`, 'sh', ...args], running),
  };
}

/** The kinds of the backups that are there. */
async function kinds({ backrest }: Database): Promise<readonly string[]> {
  const [stanza] = JSON.parse(await backrest('info', '--output=json'));
  assert.equal(stanza.status.message, 'ok');
  return stanza.backup.map(({ type }: { readonly type: string }) => type);
}

const SUM = "select count(*) || ' ' || sum(hashtext(text)::bigint) from rows";

const insert = (from: number): string =>
  `insert into rows select n, repeat(md5(n::text), 8) from generate_series(${from}, ${from + ROWS - 1}) n`;

async function backUp(database: Database): Promise<string> {
  const { query, backrest } = database;
  // Before the first segment of the log is full, and archived.
  await backrest('stanza-create');
  await query('create table rows (n bigint primary key, text text)');
  await query(insert(0));
  await backrest('check');
  await backrest('backup', '--type=full');
  await query(insert(ROWS));
  await backrest('backup', '--type=incr', '--repo1-bundle');
  await query(`delete from rows where n % 7 = 0`);
  const sum = await query(SUM);
  // Changes since the last backup are in the log alone.
  await query('select pg_switch_wal()');
  await backrest('check');
  assert.deepEqual(await kinds(database), ['full', 'incr']);
  assert.doesNotMatch(await backrest('verify', '--output=text', '--verbose'), /status: error|invalid: [1-9]/);
  return sum;
}

async function exercise(database: Database): Promise<void> {
  await database.start();
  const sum = await backUp(database);
  await database.stop();
  rmSync(database.cluster, { recursive: true });
  await database.backrest('restore');
  await database.start();
  // It answers as soon as it is consistent, and replays the log further.
  await until('recovery', async () => (await database.query('select pg_is_in_recovery()')) === 'f');
  assert.equal(await database.query(SUM), sum);

  await database.backrest('backup', '--type=full', '--repo1-retention-full=1');
  assert.deepEqual(await kinds(database), ['full']);
  await database.stop();
  await database.backrest('stop');
  await database.backrest('stanza-delete');
}

/** The official client does not know the authority of the certificate. */
async function withoutTls(
  t: TestContext,
  directory: string,
  use: (container: ContainerClient) => Promise<void>,
): Promise<void> {
  const { server } = await startServer(t, directory);
  const client = BlobServiceClient.fromConnectionString(server.connectionString);
  await use(client.getContainerClient(CONTAINER));
  await server.stop('SIGTERM');
}

test('pgBackRest backs up a database over TLS, restores it and expires backups', { skip }, async t => {
  const directory = newDirectory(t);
  const authority = new Authority('Shelfmark');
  t.after(() => rmSync(authority.directory, { recursive: true }));
  // pgBackRest does not find an address in a certificate.
  const { cert, key } = authority.sign('localhost', '127.0.0.1');
  copyFileSync(authority.ca, join(directory, 'ca.pem'));
  await withoutTls(t, directory, async container => void (await container.create()));
  const { server } = await startServer(t, directory, '--cert', cert, '--key', key);

  const database = await makeDatabase(directory, blobPortOf(server));
  try {
    await exercise(database);
  } finally {
    await database.end();
  }
  await server.stop('SIGTERM');
  await withoutTls(t, directory, async container => {
    for await (const { name } of container.listBlobsFlat()) assert.fail(`${name} is left`);
  });
});
