// A store moves from LMDB to a cluster and back while clients write, by the steps of docs/scale-out.md: rows by doubled
// writes or by a dump, messages and blobs while their writers pause. After each switch both stores have the same rows,
// and the clients' last writes are there.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RestError, TableClient, TableServiceClient } from '@azure/data-tables';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { dropKeyspace, newPlace, skip } from '../../../packages/store-cassandra/testing/cluster.js';
import { type Ended, runCommand } from '../../data-tools/command-run.js';
import { below, chance, drawFrom } from '../../random/arbitrary.js';
import { type SpawnedServer, spawnServer } from '../../support/spawned-server.js';

const seed = Number(process.env.SHELFMARK_SEED ?? 24);
const TABLE = 'people';
const OTHER_TABLE = 'orders';
const QUEUE = 'jobs';
const CONTAINER = 'files';
const PARTITIONS = 10;
const ROWS = 300;
const WRITERS = 3;
const WRITING_MS = 1000;
const MESSAGES = ['1', '2', '3', '4', '5'];
/** A busy node takes long to create tables. */
const READY_MS = 90_000;
const CLIENT = { allowInsecureConnection: true };

/** Where the tools keep their journals. */
const JOURNALS = mkdtempSync(join(tmpdir(), 'shelfmark-move-'));
const PORTS = ['--table-port', '0', '--queue-port', '0', '--blob-port', '0'];

/** An account, as its clients and the tools see it. */
class Side {
  readonly address: string;
  readonly #queues: QueueServiceClient;
  readonly #blobs: BlobServiceClient;

  constructor({ connectionString }: SpawnedServer) {
    this.address = connectionString;
    this.#queues = QueueServiceClient.fromConnectionString(connectionString);
    this.#blobs = BlobServiceClient.fromConnectionString(connectionString);
  }

  async makeTable(name: string): Promise<void> {
    await TableServiceClient.fromConnectionString(this.address, CLIENT).createTable(name);
  }

  table(name = TABLE): TableClient {
    return TableClient.fromConnectionString(this.address, name, CLIENT);
  }

  get queue() {
    return this.#queues.getQueueClient(QUEUE);
  }

  get container() {
    return this.#blobs.getContainerClient(CONTAINER);
  }
}

const isMissing = (error: unknown): boolean => error instanceof RestError && error.statusCode === 404;

/** Clients of one table that write each change first to one side, with its conditions, and then to the other, unconditionally. */
class Writers {
  readonly model = new Map<string, number>();
  readonly #draw = drawFrom(seed);
  #isOver = false;
  #running: Promise<unknown> = Promise.resolve();
  #sequence = 0;

  begin(first: Side, second: Side): void {
    this.#isOver = false;
    this.#running = Promise.all(
      Array.from({ length: WRITERS }, (_, number) => this.#run(number, first.table(), second.table())),
    );
    this.#running.catch(() => undefined);
  }

  async end(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  async #run(number: number, first: TableClient, second: TableClient): Promise<void> {
    while (!this.#isOver) {
      // Each has rows of its own, so that the model is right.
      const row = this.#draw(below(ROWS / WRITERS)) * WRITERS + number;
      const key = String(row);
      const [partitionKey, rowKey] = [`p${row % PARTITIONS}`, key];
      const entity = { partitionKey, rowKey, n: ++this.#sequence };
      if (!this.model.has(key)) await first.createEntity(entity);
      else if (this.#draw(chance(30))) {
        await first.deleteEntity(partitionKey, rowKey);
        await second.deleteEntity(partitionKey, rowKey).catch(error => assert(isMissing(error), error));
        this.model.delete(key);
        continue;
      } else await first.updateEntity(entity, 'Replace');
      await second.upsertEntity(entity, 'Replace');
      this.model.set(key, entity.n);
    }
  }
}

async function rowsOf(side: Side): Promise<Map<string, number>> {
  const rows = new Map<string, number>();
  for await (const { rowKey, n } of side.table().listEntities<{ n: number }>()) rows.set(String(rowKey), n);
  return rows;
}

const inOrder = (rows: ReadonlyMap<string, number>): readonly (readonly [string, number])[] =>
  [...rows].sort(([a], [b]) => Number(a) - Number(b));

async function tool(...args: readonly string[]): Promise<Ended> {
  const ended = await runCommand(args, { cwd: JOURNALS });
  assert([0, 1].includes(ended.code ?? -1), `${args.join(' ')} ended with ${ended.code}: ${ended.told}`);
  return ended;
}

async function mustEnd(...args: readonly string[]): Promise<void> {
  const ended = await runCommand(args, { cwd: JOURNALS });
  assert.equal(ended.code, 0, `${args.join(' ')}: ${ended.told}${ended.out}`);
}

/** Steps 2 to 5 of the recipe. Returns while clients write to the new store first. */
async function move(writers: Writers, old: Side, now: Side): Promise<void> {
  const both = ['--from', old.address, '--to', now.address];
  await mustEnd('copy', ...both, '--all', '--mode', 'skip');
  for (let look = 0; look < 2; look++) await tool('diff', ...both, '--all');
  await writers.end();
  await mustEnd('copy', ...both, '--all', '--blobs', '--mirror');
  await mustEnd('copy', ...both, '--queues', '--take-messages');
  await mustEnd('diff', ...both, '--all');
  assert.deepEqual(inOrder(await rowsOf(now)), inOrder(writers.model), `SHELFMARK_SEED=${seed}`);
  writers.begin(now, old);
  await sleep(WRITING_MS);
}

/** By files: clients write to the old store only, until the last step. */
async function moveByDump(writers: Writers, old: Side, now: Side, name: string): Promise<void> {
  writers.begin(old, old);
  const [first, changes] = [join(JOURNALS, `${name}-first`), join(JOURNALS, `${name}-changes`)];
  await mustEnd('dump', '--from', old.address, '--all', '--blobs', '--out', first);
  await mustEnd('load', '--to', now.address, '--blobs', first);
  await mustEnd('dump', '--from', old.address, '--all', '--since', first, '--out', changes);
  await mustEnd('load', '--to', now.address, '--mode', 'upsert', changes);
  const both = ['--from', old.address, '--to', now.address];
  await tool('diff', ...both, '--all');
  await writers.end();
  const last = join(JOURNALS, `${name}-last`);
  const everything = ['--all', '--blobs', '--queues', '--take-messages'];
  await mustEnd('dump', '--from', old.address, ...everything, '--out', last);
  await mustEnd('load', '--to', now.address, '--blobs', '--queues', '--mode', 'upsert', last);
  // A dump does not see deletes.
  await mustEnd('copy', ...both, '--all', '--blobs', '--mirror');
  await mustEnd('diff', ...both, '--all');
  assert.deepEqual(inOrder(await rowsOf(now)), inOrder(writers.model), `SHELFMARK_SEED=${seed}`);
  assert.deepEqual(await textsOf(now), MESSAGES);
}

async function textsOf(side: Side): Promise<readonly string[]> {
  const { receivedMessageItems } = await side.queue.receiveMessages({ numberOfMessages: 32 });
  return receivedMessageItems.map(({ messageText }) => messageText);
}

/** There, and back into an empty one. */
async function moveThereAndBack(place: string): Promise<void> {
  const serve = (...args: readonly string[]): Promise<SpawnedServer> =>
    spawnServer(['serve', ...args, ...PORTS], { readyWithinMilliseconds: READY_MS });
  const servers = [
    await serve('--data', join(JOURNALS, 'before')),
    await serve('--store', `cassandra:${place}`),
    await serve('--data', join(JOURNALS, 'after')),
  ];
  const writers = new Writers();
  try {
    const [before, cluster, behind] = servers.map(server => new Side(server)) as [Side, Side, Side];
    await before.makeTable(TABLE);
    await before.queue.create();
    for (const text of MESSAGES) await before.queue.sendMessage(text);
    await before.container.create();
    await before.container.getBlockBlobClient('a').upload('hello', 5);
    await moveByDump(writers, before, cluster, 'there');
    // Those that the comparison has taken are hidden.
    await cluster.queue.clearMessages();
    for (const text of MESSAGES) await cluster.queue.sendMessage(text);
    await moveByDump(writers, cluster, behind, 'back');
    const kept = behind.container.getBlockBlobClient('a');
    assert.equal((await kept.downloadToBuffer()).toString(), 'hello');
  } finally {
    await writers.end().catch(() => undefined);
    for (const server of servers) await server.stop('SIGTERM');
  }
}

describe('move', { skip }, () => {
  const [place, dumpPlace] = [newPlace(), newPlace()];
  const directory = join(JOURNALS, 'data');
  after(async () => {
    rmSync(JOURNALS, { recursive: true, force: true });
    for (const one of [place, dumpPlace]) await dropKeyspace(one);
  });

  test('move: a store goes to a cluster and back while clients write', async () => {
    const servers = [
      await spawnServer(['serve', '--data', directory, ...PORTS]),
      await spawnServer(['serve', '--store', `cassandra:${place}`, ...PORTS], {
        readyWithinMilliseconds: READY_MS,
      }),
    ] as const;
    const writers = new Writers();
    try {
      const [lmdb, cluster] = servers.map(server => new Side(server)) as [Side, Side];
      for (const side of [lmdb, cluster]) for (const name of [TABLE, OTHER_TABLE]) await side.makeTable(name);
      await lmdb.table(OTHER_TABLE).createEntity({ partitionKey: 'still', rowKey: '1', n: 1 });
      await lmdb.queue.create({ metadata: { team: 'a' } });
      for (const text of MESSAGES) await lmdb.queue.sendMessage(text);
      await lmdb.container.create();
      await lmdb.container.getBlockBlobClient('a').upload('hello', 5, { metadata: { by: 'me' } });
      // Some rows exist before both are written.
      writers.begin(lmdb, lmdb);
      await sleep(WRITING_MS / 2);
      await writers.end();

      writers.begin(lmdb, cluster);
      await move(writers, lmdb, cluster);
      assert.deepEqual(await textsOf(cluster), MESSAGES);
      const kept = cluster.container.getBlockBlobClient('a');
      assert.equal((await kept.downloadToBuffer()).toString(), 'hello');
      assert.deepEqual((await kept.getProperties()).metadata, { by: 'me' });

      // Messages and blobs are now the new store's own.
      await cluster.queue.clearMessages();
      await cluster.queue.sendMessage('new');
      await kept.upload('hello again', 11);
      await lmdb.queue.clearMessages();
      await move(writers, cluster, lmdb);
      await writers.end();
      assert.deepEqual(await textsOf(lmdb), ['new']);
      const back = await lmdb.container.getBlockBlobClient('a').downloadToBuffer();
      assert.equal(back.toString(), 'hello again');
      await mustEnd('diff', '--from', lmdb.address, '--to', cluster.address, '--all');
      assert.deepEqual(inOrder(await rowsOf(lmdb)), inOrder(writers.model));
    } finally {
      await writers.end().catch(() => undefined);
      for (const server of servers) await server.stop('SIGTERM');
    }
  });

  test('move: a dump goes to a cluster and back while clients write', () => moveThereAndBack(dumpPlace));
});
