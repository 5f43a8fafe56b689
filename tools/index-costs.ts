// The cost of writes of an entity without indexes and with each kind of them, and with lists of ids.
// docs/patterns/indexes.md and docs/patterns/lists.md have the tables.
import {
  type AnyEntity,
  codec,
  type Db,
  entity,
  type IndexSpecs,
  key,
  type Of,
  type Repo,
  type StoredOf,
  t,
} from '#patterns';
import { indexFlow } from '#patterns/indexes';
import { listFlow, listOf } from '#patterns/lists';
import {
  COST_CONTAINER,
  COST_TABLE,
  type CostColumn,
  costTable,
  deleteAll,
  type Scene,
} from './cost-table.js';
import type { CountedFlow } from './counted-requests.js';

const props = { id: t.int32(), email: t.string(), last: t.string(), note: t.string() };

const member = <const IX extends IndexSpecs<typeof props>>(name: string, indexes: IX) =>
  entity(name, {
    version: 1,
    table: COST_TABLE,
    props,
    partition: key('members'),
    row: p => key(name.toLowerCase(), p.id.as(codec.int(6))),
    indexes,
  });

/** Definitions that differ only in their indexes. */
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

/** Indexes with rows in other partitions, which a worker writes. */
const FAR_KINDS = [
  [
    'remote, keys alone',
    member('RemoteBare', {
      by: { kind: 'remote', partition: p => key('remote-bare', p.email), row: key('e') },
    }),
  ],
  [
    'remote, whole copies',
    member('RemoteWhole', {
      by: { kind: 'remote', partition: p => key('remote-whole', p.email), row: key('e'), project: 'all' },
    }),
  ],
  [
    'remote, unique',
    member('RemoteUnique', {
      by: { kind: 'remote', partition: p => key('remote-unique', p.email), row: key('e'), unique: true },
    }),
  ],
] as const;

const Listed = member('Listed', {});
listOf(Listed, 'listed', { where: 'same-partition', row: p => key('list-email', p.email) });
const RemoteListed = member('RemoteListed', {});
const remoteList = listOf(RemoteListed, 'remote-listed', {
  where: 'remote',
  partition: p => key('remote-list', p.email),
  row: key('list'),
});
const BlobListed = member('BlobListed', {});
const blobList = listOf(BlobListed, 'blob-listed', {
  where: 'blob',
  container: COST_CONTAINER,
  blob: p => key('blob-list', p.email),
});

/** An entity, and the flow of its indexes or lists. */
interface Kind {
  readonly title: string;
  readonly entity: AnyEntity;
  readonly flow?: CountedFlow;
}

const INDEXES: readonly Kind[] = [
  ...KINDS.map(([title, entity]) => ({ title, entity })),
  ...FAR_KINDS.map(([title, entity]) => ({ title, entity, flow: indexFlow(entity) })),
];

const LISTS: readonly Kind[] = [
  { title: 'no list', entity: member('Unlisted', {}) },
  { title: 'in the same partition', entity: Listed },
  { title: 'remote', entity: RemoteListed, flow: listFlow('remote-listed', [remoteList]) },
  { title: 'in blobs', entity: BlobListed, flow: listFlow('blob-listed', [blobList]) },
];

type Member = ReturnType<typeof member>;
type Members = Repo<Member>;
type Row = StoredOf<Member>;

const ann: Of<Member> = { id: 1, email: 'ann@x.org', last: 'Jones', note: 'n' };
const moved = { ...ann, email: 'ann@y.org' };

type Operation = readonly [title: string, run: (members: Members, row: Row) => Promise<unknown>];

/** Operations on a row that was just created. */
const OPERATIONS: readonly Operation[] = [
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

/** Performs each operation on a row that was just created. */
const membersWith =
  (entity: AnyEntity) =>
  async (db: Db): Promise<Scene> => {
    const members = db.repo(entity) as unknown as Members;
    const row = await members.create(ann);
    return {
      ready: async () => line => (OPERATIONS[line] as Operation)[1](members, row),
      clear: () => deleteAll(members),
    };
  };

const titles = OPERATIONS.map(([title]) => title);
const columnsOf = (kinds: readonly Kind[]): readonly CostColumn[] =>
  kinds.map(({ title, entity, flow }) => ({ title, flow, prepare: membersWith(entity) }));

export const indexCosts = (): Promise<string> => costTable(titles, columnsOf(INDEXES));
export const listCosts = (): Promise<string> => costTable(titles, columnsOf(LISTS));
