// Counts what writes of an entity cost without indexes and with each kind of them, and with lists of ids: requests, and rows that are written, as they go over the wire to a server in memory; and what the worker
// does afterwards for those elsewhere. docs/patterns/indexes.md and docs/patterns/lists.md have the tables.
import { setTimeout } from 'node:timers/promises';
import { createDefaultHttpClient, type HttpClient, type PipelineRequest } from '@azure/core-rest-pipeline';
import { TableServiceClient } from '@azure/data-tables';
import { QueueServiceClient } from '@azure/storage-queue';
import { serve } from 'shelfmark';
import {
  type AnyEntity,
  codec,
  type Db,
  entity,
  type IndexSpecs,
  key,
  type Of,
  open,
  type Repo,
  type StoredOf,
  t,
} from '#patterns';
import type { Flow } from '#patterns/flows';
import { indexFlow } from '#patterns/indexes';
import { listFlow, listOf } from '#patterns/lists';

const props = { id: t.int32(), email: t.string(), last: t.string(), note: t.string() };

const member = <const IX extends IndexSpecs<typeof props>>(name: string, indexes: IX) =>
  entity(name, {
    version: 1,
    table: 'Costs',
    props,
    partition: key('members'),
    row: p => key(name.toLowerCase(), p.id.as(codec.int(6))),
    indexes,
  });

/** Definitions that differ in their indexes alone. */
const KINDS = [
  ['no index', member('Plain', {})],
  [
    'unique',
    member('Unique', {
      by: { kind: 'same-partition', row: p => key('unique-email', p.email.as(codec.lower)), unique: true },
    }),
  ],
  [
    'not unique, keys alone',
    member('Bare', { by: { kind: 'same-partition', row: p => key('bare-email', p.email) } }),
  ],
  [
    'not unique, whole copies',
    member('Whole', {
      by: { kind: 'same-partition', row: p => key('whole-email', p.email), project: 'all' },
    }),
  ],
  [
    'three: one of each',
    member('Three', {
      by: { kind: 'same-partition', row: p => key('a-email', p.email.as(codec.lower)), unique: true },
      second: { kind: 'same-partition', row: p => key('b-email', p.email) },
      third: { kind: 'same-partition', row: p => key('c-email', p.email), project: 'all' },
    }),
  ],
] as const;

/** Indexes whose rows stand in other partitions, which a worker writes. */
const FAR_KINDS = [
  [
    'elsewhere, keys alone',
    member('FarBare', {
      by: { kind: 'elsewhere', partition: p => key('far-bare', p.email), row: key('e') },
    }),
  ],
  [
    'elsewhere, whole copies',
    member('FarWhole', {
      by: { kind: 'elsewhere', partition: p => key('far-whole', p.email), row: key('e'), project: 'all' },
    }),
  ],
  [
    'elsewhere, unique',
    member('FarUnique', {
      by: { kind: 'elsewhere', partition: p => key('far-unique', p.email), row: key('e'), unique: true },
    }),
  ],
] as const;

const Listed = member('Listed', {});
listOf(Listed, 'listed', { where: 'same-partition', row: p => key('list-email', p.email) });
const FarListed = member('FarListed', {});
const farList = listOf(FarListed, 'far-listed', {
  where: 'elsewhere',
  partition: p => key('far-list', p.email),
  row: key('list'),
});

/** A column of a table, or two: the write, and what the worker of the flow does behind it. */
interface Column {
  readonly title: string;
  readonly entity: AnyEntity;
  readonly flow?: Pick<Flow, 'worker' | 'figures' | 'createQueues'>;
}

const INDEXES: readonly Column[] = [
  ...KINDS.map(([title, entity]) => ({ title, entity })),
  ...FAR_KINDS.map(([title, entity]) => ({ title, entity, flow: indexFlow(entity) })),
];

const LISTS: readonly Column[] = [
  { title: 'no list', entity: member('Unlisted', {}) },
  { title: 'in the same partition', entity: Listed },
  { title: 'elsewhere', entity: FarListed, flow: listFlow('far-listed', [farList]) },
];

type Member = ReturnType<typeof member>;
type Members = Repo<Member>;
type Row = StoredOf<Member>;

const ann: Of<Member> = { id: 1, email: 'ann@x.org', last: 'Jones', note: 'n' };
const moved = { ...ann, email: 'ann@y.org' };

/** What is done with a row that was just created. */
const OPERATIONS: readonly (readonly [string, (members: Members, row: Row) => Promise<unknown>])[] = [
  ['`create`', members => members.create({ ...ann, id: 2, email: 'ben@x.org' })],
  ['`merge` of a property that no key has', (members, row) => members.merge(row, { note: 'new' })],
  ['`merge` of what the index is by', (members, row) => members.merge(row, { email: moved.email })],
  ['`replace` with another key in the index', (members, row) => members.replace(row, moved)],
  ['`delete`', (members, row) => members.delete(row)],
  ['`upsert` with another key in the index', members => members.upsert(moved)],
  [
    "`merge` by `{ key, etag: '*' }`",
    members => members.merge({ key: { id: 1 }, etag: '*' }, { note: 'new' }),
  ],
  ['`mutate`', members => members.mutate({ id: 1 }, row => row && { ...row, email: moved.email })],
];

/** Counts what passes. */
class CountingClient implements HttpClient {
  requests = 0;
  written = 0;
  readonly #client = createDefaultHttpClient();

  sendRequest(request: PipelineRequest): ReturnType<HttpClient['sendRequest']> {
    this.requests++;
    const isBatch = request.url.includes('$batch');
    const parts = typeof request.body === 'string' ? request.body.match(/ HTTP\/1\.1\r\n/g) : null;
    if (isBatch) this.written += parts?.length ?? 0;
    else if (request.method !== 'GET') this.written++;
    return this.#client.sendRequest(request);
  }
}

/** A program whose requests to tables are counted. */
class Counted {
  readonly db: Db;
  readonly #client = new CountingClient();

  constructor(clients: Parameters<typeof open>[0]) {
    this.db = open(clients, { httpClient: this.#client, announceAfter: 0 });
  }

  /** `1 / 2`: requests, with those to queues that `run` gives, and rows written. */
  async count(run: () => Promise<number>): Promise<string> {
    const { requests, written } = this.#client;
    const others = await run();
    return `${this.#client.requests - requests + others} / ${this.#client.written - written}`;
  }
}

/** Empties the queues of a flow. Gives the requests that the worker needs for its messages: it receives and deletes each. */
async function drain(db: Db, flow: NonNullable<Column['flow']>): Promise<number> {
  const { pending } = await flow.figures(db);
  const worker = flow.worker(db, { concurrency: 1, rest: { base: 5, cap: 20 } });
  while ((await flow.figures(db)).pending > 0) await setTimeout(5);
  await worker.stop();
  return 2 * pending;
}

const titlesOf = ({ title, flow }: Column): readonly string[] =>
  flow === undefined ? [title] : [`${title}: the write`, 'the worker'];

/** A table, as it stands on its page. */
async function costsOf(columns: readonly Column[]): Promise<string> {
  const server = await serve({ data: undefined });
  try {
    const tables = TableServiceClient.fromConnectionString(server.connectionString(), {
      allowInsecureConnection: true,
    });
    await tables.createTable('Costs');
    const queues = QueueServiceClient.fromConnectionString(server.connectionString());
    const program = new Counted({ tables, queues });
    const { db } = program;
    for (const { flow } of columns) await flow?.createQueues(db);
    const lines: string[] = [];
    for (const [title, run] of OPERATIONS) {
      const cells: string[] = [];
      for (const { entity, flow } of columns) {
        const members = db.repo(entity) as unknown as Members;
        const row = await members.create(ann);
        if (flow) await drain(db, flow);
        const write = async (): Promise<number> => {
          await run(members, row);
          return flow ? (await flow.figures(db)).pending : 0;
        };
        cells.push(await program.count(write));
        if (flow) cells.push(await program.count(() => drain(db, flow)));
        for (const each of await members.partition({}).take(10)) await members.delete(each);
        if (flow) await drain(db, flow);
      }
      lines.push(`| ${[title, ...cells].join(' | ')} |`);
    }
    const names = columns.flatMap(titlesOf);
    return [
      `| requests / rows written | ${names.join(' | ')} |`,
      `|---|${'---|'.repeat(names.length)}`,
      ...lines,
    ].join('\n');
  } finally {
    await server.close();
  }
}

export const indexCosts = (): Promise<string> => costsOf(INDEXES);
export const listCosts = (): Promise<string> => costsOf(LISTS);
