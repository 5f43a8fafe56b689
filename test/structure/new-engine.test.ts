// A new engine is served by the whole server without a change to it. This one is the memory store under a scheme of its
// own. A real one is a package, and edits three existing files: packages/server/engines.ts (its line in ENGINES),
// package.json (its alias in `imports`), and test/structure/rooms.ts (its lines in DIRECTIONS and ENGINES).
// docs/engines.md has the rest.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { ConfigurationError, type RunningServer, serve } from '#server';
import { ENGINES, Engines } from '#server/parts';
import {
  type Engine,
  type EngineKind,
  type EngineOptions,
  openMemoryStore,
  type StoreWithContent,
} from '#store';

/** What a thin engine adds to a store. */
function engineOn(
  store: StoreWithContent,
  place: string,
): Engine & { sick: string | undefined; commits: number } {
  return {
    sick: undefined,
    commits: 0,
    content: store.content,
    tools: { place: `the stub ${place}` },
    health() {
      return this.sick;
    },
    statistics() {
      const help = 'Commits of the stub.';
      return [{ kind: 'counter', name: 'stub_commits_total', help, value: this.commits }];
    },
    createSpace: (...call) => store.createSpace(...call),
    getSpace: (...call) => store.getSpace(...call),
    listSpaces: (...call) => store.listSpaces(...call),
    updateSpace: (...call) => store.updateSpace(...call),
    dropSpace: (...call) => store.dropSpace(...call),
    read: (...call) => store.read(...call),
    scan: (...call) => store.scan(...call),
    commit(...call) {
      this.commits += 1;
      return store.commit(...call);
    },
    close: () => store.close(),
  };
}

interface Opened {
  readonly place: string;
  readonly options: EngineOptions;
  readonly engine: ReturnType<typeof engineOn>;
}

class StubKind implements EngineKind {
  readonly scheme = 'stub';
  readonly placeName = 'NAME';
  readonly opened: Opened[] = [];

  async open(place: string, options: EngineOptions): Promise<Engine> {
    const engine = engineOn(openMemoryStore(options), place);
    this.opened.push({ place, options, engine });
    return engine;
  }

  tools(place: string): Engine['tools'] {
    return { place: `the stub ${place}` };
  }
}

async function start(t: TestContext, kind: StubKind): Promise<RunningServer> {
  const operations = { port: 0 };
  const limits = { waitingWritesMax: 7 };
  const options = { store: 'stub:one', durability: 'none', operations, limits } as const;
  const server = await serve(options, new Engines([kind]));
  t.after(() => server.close());
  return server;
}

async function told(server: RunningServer, path: string): Promise<string> {
  return (await fetch(`http://127.0.0.1:${server.operationsPort}${path}`)).text();
}

test('an engine that the server does not know is opened by its address, and serves tables and queues', async t => {
  const kind = new StubKind();
  const server = await start(t, kind);
  const [opened] = kind.opened;
  assert.equal(opened?.place, 'one');
  const { durability, exclusive, waitingMax } = opened.options;
  assert.deepEqual(
    { durability, exclusive, waitingMax },
    { durability: 'none', exclusive: true, waitingMax: 7 },
  );
  assert.deepEqual([server.data, server.place], [undefined, 'the stub one']);
  const insecure = { allowInsecureConnection: true };
  const table = TableClient.fromConnectionString(server.connectionString(), 'Things', insecure);
  await table.createTable();
  await table.createEntity({ partitionKey: 'p', rowKey: 'r', number: 3 });
  assert.equal((await table.getEntity('p', 'r')).number, 3);
  const queue = QueueServiceClient.fromConnectionString(server.connectionString()).getQueueClient('jobs');
  await queue.create();
  await queue.sendMessage('work');
  const { receivedMessageItems } = await queue.receiveMessages();
  assert.deepEqual(
    receivedMessageItems.map(({ messageText }) => messageText),
    ['work'],
  );
});

test('its health and its metrics are reported like those of any engine', async t => {
  const kind = new StubKind();
  const server = await start(t, kind);
  const engine = kind.opened[0]?.engine ?? assert.fail('Nothing was opened.');
  assert.equal(await told(server, '/readyz'), 'ok\n');
  engine.commits = 41;
  assert.match(await told(server, '/metrics'), /^shelfmark_stub_commits_total 41$/m);
  engine.sick = 'the stub is unwell';
  assert.equal(await told(server, '/readyz'), 'not ready: the stub is unwell\n');
});

test('missing tools are refused in one sentence, by name', () => {
  const engines = new Engines([new StubKind()]);
  for (const name of ['check', 'backup', 'restore'] as const)
    assert.throws(() => engines.tool('stub:one', name), {
      name: 'StoreError',
      code: 'unsupported',
      message: `The engine 'stub' has no ${name}.`,
    });
});

test('the refusal of an unknown address lists the known ones, and repeats no more than the scheme', async () => {
  for (const [store, message] of [
    [
      'nonsense:secret',
      "There is no engine 'nonsense': known are lmdb:DIR, memory:, cassandra://HOST,…/KEYSPACE.",
    ],
    [
      './data',
      'That is not the address of a store: known are lmdb:DIR, memory:, cassandra://HOST,…/KEYSPACE.',
    ],
    [
      'C:\\data',
      'That is not the address of a store: known are lmdb:DIR, memory:, cassandra://HOST,…/KEYSPACE.',
    ],
    [
      'lmdb:',
      "An address of the engine 'lmdb' needs a place behind the colon: known are lmdb:DIR, memory:, cassandra://HOST,…/KEYSPACE.",
    ],
    [
      'memory:x',
      "An address of the engine 'memory' takes nothing behind the colon: known are lmdb:DIR, memory:, cassandra://HOST,…/KEYSPACE.",
    ],
  ] as const) {
    assert.throws(() => ENGINES.tools(store), { name: 'ConfigurationError', message });
    await assert.rejects(serve({ store }), ConfigurationError);
  }
  await assert.rejects(serve({ store: 'memory:', data: 'x' }), ConfigurationError);
});
