// Servers of one store forward requests: over real connections, on a store in memory that they share. The test decides which server owns a partition.
import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { odata, RestError, TableClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { until } from '#base/testing/until';
import { Engines } from '../engines.js';
import { type RunningServer, serve } from '../serve.js';
import { SharedKind, type StubMember } from '../testing/stub-peers.js';
import { addressIn } from './peer-socket.js';

const INSECURE = { allowInsecureConnection: true, retryOptions: { maxRetries: 0 } };

interface Pair {
  readonly kind: SharedKind;
  readonly owner: RunningServer;
  readonly guest: RunningServer;
  readonly ownerMember: StubMember;
  readonly guestMember: StubMember;
  readonly table: TableClient;
  /** At the guest; writes to `p` are the owner's. */
  count(name: string): Promise<number>;
}

async function pair(t: TestContext): Promise<Pair> {
  // What is handed over would come too late on a machine that stands still for two seconds.
  const now = performance.now();
  t.mock.method(performance, 'now', () => now);
  const kind = new SharedKind();
  const engines = new Engines([kind]);
  const start = async (name: string) => {
    const server = await serve({ store: `stub:${name}`, operations: { port: 0 } }, engines);
    t.after(() => server.close());
    return server;
  };
  const [owner, guest] = [await start('owner'), await start('guest')];
  const of = (name: string) => kind.members.get(name) ?? assert.fail(name);
  const table = TableClient.fromConnectionString(guest.connectionString(), 'hot', INSECURE);
  await table.createTable();
  of('guest').owners.set('p', 'owner');
  const count = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${guest.operationsPort}/metrics`)).text();
    return Number(new RegExp(`^${name.replace(/[{}"]/g, '\\$&')} (\\d+)$`, 'm').exec(text)?.[1] ?? 'NaN');
  };
  const members = { ownerMember: of('owner'), guestMember: of('guest') };
  return { kind, owner, guest, ...members, table, count };
}

const ANSWERED = 'shelfmark_forwarded_requests_total{outcome="answered"}';
const REFUSED = 'shelfmark_forwarded_requests_total{outcome="refused"}';
const UNCLEAR = 'shelfmark_forwarded_requests_total{outcome="unclear"}';

/** The first request opens the connection but does not wait for it. */
async function warm({ table, ownerMember, guestMember, count }: Pair): Promise<void> {
  await until('a request is handed over', async () => {
    await table.upsertEntity({ partitionKey: 'p', rowKey: 'warm' });
    return (await count(ANSWERED)) > 0;
  });
  assert.deepEqual(guestMember.suspected, []);
  ownerMember.commits = 0;
}

/** A request that the owner has begun, and answers once it may go on. On a busy machine a request may be carried out by the guest: then another. */
async function held({ kind, table, guestMember }: Pair) {
  const gate = new EventEmitter();
  const begun = once(gate, 'begun').then(() => true);
  const going = once(gate, 'go');
  kind.before = async member => {
    if (member !== 'owner') return;
    gate.emit('begun');
    await going;
  };
  for (let row = 0; ; row++) {
    guestMember.commits = 0;
    const answer = table.createEntity({ partitionKey: 'p', rowKey: `held${row}` }).then(
      () => 204,
      error => error.statusCode,
    );
    if (await Promise.race([begun, answer.then(() => false)]))
      return { answer, row: `held${row}`, go: () => gate.emit('go') };
  }
}

test('forwarding: writes go to the owner of their partition, others do not', async t => {
  const both = await pair(t);
  const { table, ownerMember, guestMember } = both;
  await warm(both);
  guestMember.commits = 0;
  await table.createEntity({ partitionKey: 'p', rowKey: 'a', n: 1 });
  await table.updateEntity({ partitionKey: 'p', rowKey: 'a', n: 2 }, 'Merge');
  await table.submitTransaction([
    ['create', { partitionKey: 'p', rowKey: 'b' }],
    ['create', { partitionKey: 'p', rowKey: 'ä\u{1F600}' }],
  ]);
  await table.deleteEntity('p', 'b');
  assert.deepEqual([ownerMember.commits, guestMember.commits], [4, 0]);
  await table.createEntity({ partitionKey: 'q', rowKey: 'a' });
  assert.deepEqual([ownerMember.commits, guestMember.commits], [4, 1]);
  const rows: string[] = [];
  for await (const { rowKey } of table.listEntities({ queryOptions: { filter: odata`PartitionKey eq 'p'` } }))
    rows.push(rowKey ?? '');
  assert.deepEqual(rows, ['a', 'warm', 'ä\u{1F600}']);
});

test('forwarding: messages of a queue', async t => {
  const both = await pair(t);
  const { guest, ownerMember, guestMember } = both;
  await warm(both);
  const queue = QueueServiceClient.fromConnectionString(guest.connectionString()).getQueueClient('jobs');
  await queue.create();
  guestMember.owners.set('00000000', 'owner');
  guestMember.commits = 0;
  await queue.sendMessage('work');
  const {
    receivedMessageItems: [message],
  } = await queue.receiveMessages();
  assert.equal(message?.messageText, 'work');
  const { popReceipt = '' } = await queue.updateMessage(message.messageId, message.popReceipt, 'more', 0);
  await queue.deleteMessage(message.messageId, popReceipt);
  assert.deepEqual([ownerMember.commits, guestMember.commits], [4, 0]);
});

test('forwarding: an answer has the ids, the headers and the refusal that it has without', async t => {
  const both = await pair(t);
  const { table, count, guestMember } = both;
  await warm(both);
  const answers = [];
  for (const owner of ['owner', 'guest']) {
    guestMember.owners.set('p', owner);
    const before = await count('shelfmark_refusals_total{code="EntityAlreadyExists"}');
    const failure: unknown = await table
      .createEntity({ partitionKey: 'p', rowKey: 'warm' })
      .catch(error => error);
    assert(failure instanceof RestError);
    assert.equal((await count('shelfmark_refusals_total{code="EntityAlreadyExists"}')) - (before || 0), 1);
    const { response } = failure;
    const text = response?.bodyAsText ?? '';
    const id = response?.headers.get('x-ms-request-id') ?? assert.fail('It has no id.');
    assert(text.includes(id));
    const names = [...(response?.headers ?? [])].map(([name]) => name);
    answers.push({ names, status: failure.statusCode, text: text.replace(id, '').replace(/Time:[^"]*/, '') });
  }
  assert.deepEqual(answers[0], answers[1]);
});

test('forwarding: it goes one step, whoever the next one takes for the owner', async t => {
  const both = await pair(t);
  const { table, ownerMember } = both;
  ownerMember.owners.set('p', 'guest');
  await warm(both);
  await table.createEntity({ partitionKey: 'p', rowKey: 'a' });
  assert.equal(ownerMember.commits, 1);
});

test('forwarding: what the owner refuses is carried out here', async t => {
  const both = await pair(t);
  const { table, ownerMember, guestMember, count } = both;
  await warm(both);
  ownerMember.ownLease = 'another';
  guestMember.commits = 0;
  await table.createEntity({ partitionKey: 'p', rowKey: 'a' });
  assert.deepEqual([ownerMember.commits, guestMember.commits], [0, 1]);
  assert.equal(await count(REFUSED), 1);
});

test('forwarding: an owner that nobody answers for costs nobody a wait', async t => {
  const { table, ownerMember, guestMember } = await pair(t);
  ownerMember.url = 'shelfmark3://127.0.0.1:1';
  await table.createEntity({ partitionKey: 'p', rowKey: 'a' });
  await until('the owner is suspected', () => guestMember.suspected.length > 0);
  assert.deepEqual(guestMember.suspected, ['owner']);
  assert.deepEqual([ownerMember.commits, guestMember.commits], [0, 1]);
});

/** Between guest and owner; `isShut` lets no connection through. */
class Gate {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  isShut = false;
  connections = 0;

  constructor(to: { readonly host: string; readonly port: number }) {
    this.#server = createServer(near => {
      if (this.isShut) return near.destroy();
      this.connections += 1;
      const far = connect(to);
      for (const [one, other] of [
        [near, far],
        [far, near],
      ] as const) {
        this.#sockets.add(one);
        one.on('error', () => undefined).on('close', () => other.destroy());
        one.pipe(other);
      }
      return undefined;
    });
  }

  async open(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    return `shelfmark3://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  }

  /** Nothing comes through any more. */
  freeze(): void {
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Ends its connections. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}

async function gated(t: TestContext) {
  const both = await pair(t);
  const gate = new Gate(addressIn(both.ownerMember.url) ?? assert.fail());
  t.after(() => gate.close());
  both.ownerMember.url = await gate.open();
  await warm(both);
  return { ...both, gate };
}

test('forwarding: what is under way when a connection ends is told to be unclear, and not done here', async t => {
  const both = await gated(t);
  const { table, guestMember, count, gate } = both;
  const { answer, row, go } = await held(both);
  const open = answer.then(() => false);
  gate.cut();
  // The next requests make another connection at once; the owner holds what comes over it.
  const later: Promise<unknown>[] = [];
  const isConnected = until('it is connected again', () => {
    later.push(table.upsertEntity({ partitionKey: 'p', rowKey: 'b' }));
    return gate.connections > 1;
  });
  const isAtOnce = await Promise.race([open, isConnected]);
  const found = [await answer, await count(UNCLEAR)];
  const { statusCode } = await table.getEntity('p', row).catch(error => error);
  go();
  await Promise.all(later);
  assert.deepEqual([isAtOnce, found, statusCode], [true, [503, 1], 404]);
  assert.deepEqual(guestMember.suspected, []);
});

test('forwarding: an owner that is silent is suspected, and what it had is unclear', async t => {
  const both = await gated(t);
  const { ownerMember, guestMember, count, gate } = both;
  const { answer, go } = await held(both);
  gate.freeze();
  assert.equal(await answer, 503);
  assert.deepEqual([ownerMember.commits, guestMember.commits, await count(UNCLEAR)], [1, 0, 1]);
  assert.deepEqual(guestMember.suspected, ['owner']);
  go();
});

test('forwarding: an owner that cannot be connected to any more is suspected, and costs no request', async t => {
  const { table, ownerMember, guestMember, gate } = await gated(t);
  gate.isShut = true;
  gate.cut();
  guestMember.commits = 0;
  await until('the owner is suspected', async () => {
    await table.upsertEntity({ partitionKey: 'p', rowKey: 'a' }).catch(() => undefined);
    return guestMember.suspected.length > 0;
  });
  assert.deepEqual(guestMember.suspected, ['owner']);
  assert.equal(ownerMember.commits, 0);
  assert(guestMember.commits > 0);
});

test('forwarding: who does not know the secret is not heard', async t => {
  const { ownerMember } = await pair(t);
  const socket = connect(addressIn(ownerMember.url) ?? assert.fail());
  socket.write('POST / HTTP/1.1\r\n\r\n');
  socket.on('error', () => undefined).resume();
  await new Promise(resolve => socket.on('close', resolve));
});

test('forwarding: a server that ends answers what it had taken', async t => {
  const both = await pair(t);
  const { owner, ownerMember, guestMember } = both;
  await warm(both);
  const { answer, go } = await held(both);
  const closed = owner.close();
  await new Promise(resolve => setImmediate(resolve));
  go();
  assert.equal(await answer, 204);
  await closed;
  assert.deepEqual([ownerMember.commits, guestMember.commits], [1, 0]);
});
