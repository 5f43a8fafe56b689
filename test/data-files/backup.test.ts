// `shelfmark backup`, `restore` and `check` as commands: on a server that is being written to, and killed half way.
// Tests in packages/cli cover what they refuse.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { until } from '#base/testing/until';
import { openLmdbStore } from '#store-lmdb';
import { encodeEntity, encodeTableMetadata } from '#tables';
import { onlyIn } from '../support/slow.js';
import { ROOT, runToEnd, type SpawnedServer, spawnServer } from '../support/spawned-server.js';

const CLIENT_OPTIONS = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } } as const;
const WRITERS = 4;
const PARTS = ['a', 'b', 'c'];

const clientOf = (server: SpawnedServer, table: string): TableClient =>
  TableClient.fromConnectionString(server.connectionString, table, CLIENT_OPTIONS);

async function serve(t: TestContext, data: string): Promise<SpawnedServer> {
  const server = await spawnServer(['serve', '--data', data, '--table-port', '0']);
  t.after(() => server.stop('SIGKILL'));
  return server;
}

/** Transactions of three entities, by several concurrent writers, until it is stopped. */
class Load {
  /** The answered rounds, as `writer.round`. */
  readonly answered: string[] = [];
  readonly #table: TableClient;
  #isOver = false;
  readonly #writing: Promise<unknown>;

  constructor(table: TableClient) {
    this.#table = table;
    this.#writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => this.#write(writer)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
  }

  async #write(writer: number): Promise<void> {
    for (let round = 0; !this.#isOver; round += 1) {
      const name = `${writer}.${round}`;
      await this.#table.submitTransaction(
        PARTS.map(part => ['create', { partitionKey: 'p', rowKey: name + part, text: 'v'.repeat(1000) }]),
      );
      this.answered.push(name);
    }
  }
}

async function keysOf(table: TableClient): Promise<Set<string>> {
  const keys = new Set<string>();
  for await (const { rowKey } of table.listEntities()) if (rowKey !== undefined) keys.add(rowKey);
  return keys;
}

const skipLong = onlyIn('operations');

describe('backup, restore and check', () => {
  let base = '';
  let unused = 0;
  const newPath = (): string => join(base, `${++unused}`);
  before(async () => {
    base = await mkdtemp(join(tmpdir(), 'shelfmark-backup-'));
  });
  after(() => rm(base, { recursive: true }));

  test('of a server that is written to, a backup has everything acknowledged before, and transactions whole', async t => {
    const data = newPath();
    const server = await serve(t, data);
    const table = clientOf(server, 'Things');
    await table.createTable();
    const load = new Load(table);
    await until('20 rounds are answered', () => load.answered.length >= 20);
    const before = [...load.answered];
    const backup = join(newPath(), 'of', 'today');
    const [{ code, stdout, stderr }, checked] = await Promise.all([
      runToEnd(['backup', backup, '--data', data]),
      runToEnd(['check', data]),
    ]);
    assert.deepEqual([code, stderr], [0, '']);
    assert.match(stdout, /^Backed up \S+ to \S+: 1 table, \d+ entities, \d+ bytes\.\n$/);
    await until('the writers go on', () => load.answered.length > before.length);
    await load.stop();
    assert.deepEqual([checked.code, checked.stderr], [0, ''], checked.stdout);
    assert.deepEqual(await readdir(backup), ['data.mdb']);
    assert.equal((await keysOf(table)).size, PARTS.length * load.answered.length, 'The server lost nothing.');

    const restored = newPath();
    assert.equal((await runToEnd(['restore', backup, '--data', restored])).code, 0);
    const keys = await keysOf(clientOf(await serve(t, restored), 'things'));
    for (const name of before) assert(keys.has(`${name}a`), `${name} was answered before the backup began`);
    for (const key of keys) {
      for (const part of PARTS) assert(keys.has(key.slice(0, -1) + part), `${key} is not alone`);
    }
    assert.match(stdout, new RegExp(` ${keys.size} entities`));
  });

  test('a backup or a restore that is killed leaves nothing that looks whole, and no process', {
    skip: skipLong,
  }, async () => {
    const from = newPath();
    await fill(from);
    const [backup, restored] = [newPath(), newPath()];
    await Promise.all([
      killHalfWay(['backup', backup, '--data', from], backup),
      killHalfWay(['restore', from, '--data', restored], restored),
    ]);
    const [again, torn] = await Promise.all([
      runToEnd(['backup', backup, '--data', from]),
      runToEnd(['restore', backup, '--data', newPath()]),
    ]);
    assert.deepEqual([again.code, torn.code], [1, 1]);
    assert.match(again.stderr, /^shelfmark: \S+ holds data\.mdb\.partial of a copy .* remove it, .*\n$/);
    assert.match(torn.stderr, /^shelfmark: \S+ holds no store: .*\n$/);
  });
});

/** The command creates the directory, and is killed as soon as it contains something; repeated if it ended before that was seen. */
async function killHalfWay(args: readonly string[], directory: string): Promise<void> {
  while (!(await killOnce(args, directory))) {
    assert.equal((await runToEnd(['check', directory])).code, 0, 'It was not done.');
    await rm(directory, { recursive: true });
  }
}

/** @returns whether it was still running. */
async function killOnce(args: readonly string[], directory: string): Promise<boolean> {
  const child = spawn(process.execPath, [join(ROOT, 'bin', 'shelfmark.js'), ...args], { stdio: 'ignore' });
  const closed = once(child, 'close');
  const partial = join(directory, 'data.mdb.partial');
  const done = join(directory, 'data.mdb');
  await until('there is something in it', () => existsSync(partial) || existsSync(done));
  const grandchildren = childrenOf(child);
  child.kill('SIGKILL');
  await closed;
  for (const pid of grandchildren)
    await until(`the process ${pid} is gone`, () => !existsSync(`/proc/${pid}`));
  if (existsSync(done)) return false;
  assert.deepEqual(await readdir(directory), ['data.mdb.partial']);
  return true;
}

/** A store of some megabytes, which takes a while to copy. */
async function fill(directory: string): Promise<void> {
  const store = await openLmdbStore({ directory, durability: 'none' });
  const metadata = encodeTableMetadata({ name: 'Things', identifiers: [] });
  const space = await store.createSpace({ account: 'dev', service: 'table', name: 'things' }, metadata);
  assert(space !== undefined);
  const value = encodeEntity([{ name: 'text', type: 'Edm.String', value: 'v'.repeat(3000) }]);
  const puts = Array.from({ length: 3000 }, (_, index) => ({ key: `${index}`, value }));
  await store.commit(space, 'p', { keys: [] }, () => ({ result: true, puts }));
  await store.close();
}

/** If the system reports them. */
function childrenOf({ pid }: ChildProcess): number[] {
  const list = `/proc/${pid}/task/${pid}/children`;
  return existsSync(list) ? readFileSync(list, 'utf8').split(' ').filter(Boolean).map(Number) : [];
}
