// Lists of ids in all three places: sets of exactly the rows that have the value, after each write in the partition, and when the flow is done in remote rows and in blobs.
import assert from 'node:assert/strict';
import { codec, type Db, entity, key, t } from '#patterns';
import type { Flow } from '#patterns/flows';
import { auditLists, type ListFlowInput, listed, listFlow, listOf } from '#patterns/lists';
import { followedCase, type Ground, type MatrixCase, rawRows, tagOf } from './case.js';
import { crashMatrix } from './matrix.js';

/** Lists are kept from their definition on, so that each run has an entity of its own. */
const people = () =>
  entity('Employee', {
    version: 1,
    table: 'Staff',
    props: { department: t.string(), id: t.int32(), lastName: t.string(), note: t.string().optional() },
    partition: p => key(p.department),
    row: p => key('employee', p.id.as(codec.int(6))),
  });
type People = ReturnType<typeof people>;

const near = (of: People) =>
  listOf(of, 'near', { where: 'same-partition', row: p => key('last', p.lastName) });
const remote = (of: People, table: string) =>
  listOf(of, 'remote', {
    where: 'remote',
    table,
    partition: p => key('lastNames', p.lastName),
    row: key('list'),
  });
const inBlobs = (of: People, container: string) =>
  listOf(of, 'blobs', { where: 'blob', container, blob: p => key('last', p.lastName) });
type StaffList = ReturnType<typeof near> | ReturnType<typeof remote> | ReturnType<typeof inBlobs>;

const NAMES = ['Jones', 'Smith', 'Brown'];
const department = 'Sales';
const ann = { department, id: 1, lastName: 'Jones' } as const;
const ben = { department, id: 2, lastName: 'Jones' } as const;

interface World {
  readonly Person: People;
  readonly table: string;
  readonly list: StaffList;
  readonly flow: Flow<ListFlowInput, ListFlowInput> | undefined;
}

const rowsOf = (db: Db, { Person, table, list }: World) => listed(db, Person, [list as never], { table });

async function assertExact(world: World, { peer, db }: Ground): Promise<void> {
  const rows = await rawRows(peer, world.table);
  const people = rows.filter(row => tagOf(row) === 'Employee');
  for (const lastName of NAMES) {
    const ids = await rowsOf(db, world).ids(world.list as never, { department, lastName } as never);
    const keys = people.filter(row => row.lastName === lastName).map(({ rowKey }) => String(rowKey));
    const names = ids.map(id => keys.find(each => id.endsWith(each)) ?? id);
    assert.deepEqual(names, keys.toSorted(), `The list of ${lastName} is not what the rows say.`);
  }
}

async function setUp(ground: Ground, listOfPeople: (of: People) => StaffList): Promise<World> {
  const { peer, db, newName } = ground;
  const [Person, table] = [people(), await peer.newTable()];
  for (const each of [ann, ben]) await db.repo(Person, { table }).create(each);
  const list = listOfPeople(Person);
  for await (const page of auditLists(db, list as never, { table, repair: true })) void page;
  const flow = list.where === 'same-partition' ? undefined : listFlow(newName('lists'), [list as never]);
  await flow?.createQueues(db);
  return { Person, table, list, flow };
}

type Parts = Pick<MatrixCase<World>, 'setUp'> & Partial<MatrixCase<World>>;

const followed = {
  exact: assertExact,
  audit: ({ list, table }: World, db: Db) => auditLists(db, list as never, { table }),
};

/** Lists that are not in the partition. */
const byFlow = {
  ...followed,
  flow: ({ flow }: World) => {
    assert(flow);
    return flow;
  },
};

const renamed = (name: string, parts: Parts, of: typeof followed = byFlow): readonly MatrixCase[] => [
  followedCase<World>(of, {
    name: `${name} of rows that come and change`,
    operation: async (world, db) => {
      const rows = rowsOf(db, world);
      const row = await rows.create({ department, id: 3, lastName: 'Jones' });
      await rows.replace(row, { department, id: 3, lastName: 'Smith' });
    },
    rival: async (world, db) => {
      const rows = rowsOf(db, world);
      await rows.mutate(ben, row => row && { ...row, lastName: 'Smith' });
    },
    ...parts,
  }),
  followedCase<World>(of, {
    name: `${name} of rows that go`,
    notOn: 'azurite',
    operation: async (world, db) => {
      const rows = rowsOf(db, world);
      const row = await rows.get(ann);
      if (row) await rows.delete(row);
    },
    rival: async (world, db) => {
      const rows = rowsOf(db, world);
      const row = await rows.get(ann);
      if (row) await rows.merge(row, { lastName: 'Brown' });
      await rows.mutate(ann, each => ({ ...(each ?? ann), note: 'again' }));
    },
    ...parts,
  }),
];

crashMatrix('lists', [
  ...renamed(
    'a list in the partition',
    { setUp: ground => setUp(ground, near), always: assertExact },
    followed,
  ),
  ...renamed('a list in another table', {
    setUp: async ground => {
      const table = await ground.peer.newTable();
      return setUp(ground, of => remote(of, table));
    },
  }),
  ...renamed('a list in blobs', {
    setUp: async ground => {
      const container = ground.newName('lists');
      await ground.peer.blobs().getContainerClient(container).create();
      return setUp(ground, of => inBlobs(of, container));
    },
  }),
]);
