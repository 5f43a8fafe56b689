// Counts what writes and reads of an entity cost without indexes and with each kind of them: requests, and rows that are written, as they go over the wire to a server in memory. docs/patterns/indexes.md has
// the table.
import { createDefaultHttpClient, type HttpClient, type PipelineRequest } from '@azure/core-rest-pipeline';
import { TableServiceClient } from '@azure/data-tables';
import { serve } from 'shelfmark';
import { codec, entity, type IndexSpecs, key, type Of, open, type Repo, type StoredOf, t } from '#patterns';

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

/** The table, as it stands on the page. */
export async function indexCosts(): Promise<string> {
  const server = await serve({ data: undefined });
  try {
    const tables = TableServiceClient.fromConnectionString(server.connectionString(), {
      allowInsecureConnection: true,
    });
    await tables.createTable('Costs');
    const httpClient = new CountingClient();
    const db = open({ tables }, { httpClient });
    const lines: string[] = [];
    for (const [title, run] of OPERATIONS) {
      const cells: string[] = [];
      for (const [, kind] of KINDS) {
        const members = db.repo(kind) as unknown as Members;
        const row = await members.create(ann);
        const { requests, written } = httpClient;
        await run(members, row);
        cells.push(`${httpClient.requests - requests} / ${httpClient.written - written}`);
        for (const each of await members.partition({}).take(10)) await members.delete(each);
      }
      lines.push(`| ${[title, ...cells].join(' | ')} |`);
    }
    const names = KINDS.map(([name]) => name);
    return [
      `| requests / rows written | ${names.join(' | ')} |`,
      `|---|${'---|'.repeat(names.length)}`,
      ...lines,
    ].join('\n');
  } finally {
    await server.close();
  }
}
