// The table of costs in docs/patterns/indexes.md is written by hand. This test counts three of its columns over the wire: requests, and
// rows written, of each operation and of the worker after it. The tables of the other pages were counted in the same way.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { createDefaultHttpClient, type HttpClient } from '@azure/core-rest-pipeline';
import { TableServiceClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { serve } from 'shelfmark';
import {
  type AnyEntity,
  codec,
  type Db,
  entity,
  key,
  type Of,
  open,
  type Repo,
  type StoredOf,
  t,
} from '#patterns';
import { indexFlow, near, remote } from '#patterns/indexes';
import type { IndexSpecs } from '#patterns/internals';

const PAGE = new URL('../../docs/patterns/indexes.md', import.meta.url);
const TABLE = 'Costs';
const props = { id: t.int32(), email: t.string(), last: t.string(), note: t.string() };

const member = <const IX extends IndexSpecs<typeof props>>(name: string, indexes: IX) =>
  entity(name, {
    version: 1,
    table: TABLE,
    props,
    partition: key('members'),
    row: p => key(name.toLowerCase(), p.id.as(codec.int(6))),
    indexes,
  });

type Member = ReturnType<typeof member>;
type Members = Repo<Member>;

const FarUnique = member('FarUnique', {
  by: { kind: remote, partition: p => key('far-unique', p.email), row: key('e'), unique: true },
});
const COLUMNS: readonly { readonly title: string; readonly entity: AnyEntity }[] = [
  { title: 'no index', entity: member('Plain', {}) },
  {
    title: 'unique',
    entity: member('Unique', {
      by: { kind: near, row: p => key('unique-email', p.email.as(codec.lower)), unique: true },
    }),
  },
  { title: 'remote, unique', entity: FarUnique },
];

const ann: Of<Member> = { id: 1, email: 'ann@x.org', last: 'Jones', note: 'n' };
const moved = { ...ann, email: 'ann@y.org' };

/** In the order of the page's lines, each on a row that was just created. */
const OPERATIONS: readonly ((members: Members, row: StoredOf<Member>) => Promise<unknown>)[] = [
  members => members.create({ ...ann, id: 2, email: 'ben@x.org' }),
  (members, row) => members.merge(row, { note: 'new' }),
  (members, row) => members.merge(row, { email: moved.email }),
  (members, row) => members.replace(row, moved),
  (members, row) => members.delete(row),
  members => members.upsert(moved),
  members => members.merge({ key: { id: 1 }, etag: '*' }, { note: 'new' }),
  members => members.mutate({ id: 1 }, row => row && { ...row, email: moved.email }),
];

/** Counts requests to tables. Those to queues are computed: a polling worker sends more of them. */
class Counter implements HttpClient {
  requests = 0;
  written = 0;
  readonly #client = createDefaultHttpClient();

  sendRequest(request: Parameters<HttpClient['sendRequest']>[0]): ReturnType<HttpClient['sendRequest']> {
    this.requests += 1;
    const body = typeof request.body === 'string' ? request.body : '';
    if (request.url.includes('$batch')) this.written += body.match(/ HTTP\/1\.1\r\n/g)?.length ?? 0;
    else if (request.method !== 'GET') this.written += 1;
    return this.#client.sendRequest(request);
  }

  async count(run: () => Promise<number>): Promise<string> {
    const { requests, written } = this;
    const others = await run();
    return `${this.requests - requests + others}/${this.written - written}`;
  }
}

const flow = indexFlow(FarUnique);

/** Does the work that waits; returns the requests to the queue, which receive and delete each message. */
async function drain(db: Db): Promise<number> {
  const { pending } = await flow.figures(db);
  const worker = flow.worker(db, { concurrency: 1, rest: { base: 5, cap: 20 } });
  while ((await flow.figures(db)).pending > 0) await setTimeout(5);
  await worker.stop();
  return 2 * pending;
}

function linesOfPage(): readonly ReadonlyMap<string, string>[] {
  const rows = readFileSync(PAGE, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('|'));
  const from = rows.findIndex(line => line.startsWith('| requests/rows written'));
  const [titles = [], , ...lines] = rows
    .slice(from, from + 2 + OPERATIONS.length)
    .map(line => line.split('|').map(cell => cell.trim()));
  return lines.map(cells => new Map(cells.map((cell, at) => [titles[at] ?? '', cell])));
}

test('the costs of indexes are as the page has them', async t => {
  const server = await serve({});
  t.after(() => server.close());
  const connection = server.connectionString();
  const httpClient = new Counter();
  const tables = TableServiceClient.fromConnectionString(connection, { allowInsecureConnection: true });
  const queues = QueueServiceClient.fromConnectionString(connection);
  const db = open({ tables, queues }, { httpClient, announceAfter: 0 });
  await tables.createTable(TABLE);
  await flow.createQueues(db);
  const page = linesOfPage();
  for (const { title, entity: kind } of COLUMNS) {
    const members = db.repo(kind) as unknown as Members;
    for (const [at, operate] of OPERATIONS.entries()) {
      const row = await members.create(ann);
      await drain(db);
      const write = await httpClient.count(async () => {
        await operate(members, row);
        return (await flow.figures(db)).pending;
      });
      // The worker's stand behind a plus sign.
      const work = await httpClient.count(() => drain(db));
      const costs = kind === FarUnique ? `${write}+${work}` : write;
      assert.equal(costs, page[at]?.get(title), `line ${at + 1}, ${title}`);
      for (const each of await members.partition({} as never).take(10)) await members.delete(each);
      await drain(db);
    }
  }
});
