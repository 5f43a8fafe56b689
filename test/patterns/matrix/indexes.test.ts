// Rows with indexes in their partition: index rows are what the rows say, whenever one looks.
import assert from 'node:assert/strict';
import type { Db } from '#patterns';
import { audit } from '#patterns/audit';
import { change, writeAll } from '#patterns/bulk';
import { Person } from '../support/indexed-entity.js';
import {
  assertClean,
  followedCase,
  type Ground,
  type MatrixCase,
  matrixCase,
  type RawRow,
  rawRows,
  tagOf,
} from './case.js';
import { crashMatrix } from './matrix.js';

const ann = { department: 'Sales', id: 1, last: 'Jones', email: 'Ann@x', badge: 7 } as const;
const ben = { department: 'Sales', id: 2, last: 'Jones', email: 'ben@x' } as const;
const eve = { department: 'Sales', id: 3, last: 'Smith', email: 'eve@x', badge: 9 } as const;

interface World {
  readonly table: string;
}

/** What an index row is, but for times: its key, and what it says. */
const rowText = (rowKey: string, values: Readonly<Record<string, unknown>>): string =>
  [
    rowKey,
    ...Object.entries(values)
      .map(([name, value]) => `${name}=${value}`)
      .sort(),
  ].join(' ');

const BOOKKEEPING = ['etag', 'partitionKey', 'rowKey', 'timestamp', 'EntityType', '_op'];

const valuesOf = (row: RawRow): Record<string, unknown> =>
  Object.fromEntries(Object.entries(row).filter(([name]) => !BOOKKEEPING.includes(name)));

/** The index rows of a person, by the keys that the definitions spell out. */
function indexRowsOf({ rowKey = '', last, email, badge, note }: RawRow): readonly string[] {
  const id = Number(rowKey.slice('person!'.length));
  const given = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  return [
    ...(email === undefined ? [] : [rowText(`email!${String(email).toLowerCase()}`, { id, last, email })]),
    rowText(`name!${last}!${rowKey}`, given({ email, badge, note })),
    // Whole numbers are moved up by 2^31, so that they sort as texts.
    ...(badge === undefined ? [] : [rowText(`badge!${Number(badge) + 2 ** 31}!${rowKey}`, {})]),
  ];
}

async function assertExact({ table }: World, { peer }: Ground): Promise<void> {
  const rows = await rawRows(peer, table);
  const people = rows.filter(row => tagOf(row) === 'Person');
  const stand = rows
    .filter(row => tagOf(row) !== 'Person')
    .map(row => rowText(row.rowKey ?? '', valuesOf(row)));
  assert.deepEqual(
    stand.toSorted(),
    people.flatMap(indexRowsOf).toSorted(),
    'Index rows are not what people are.',
  );
}

const people = (db: Db, { table }: World) => db.repo(Person, { table });

const followed = {
  exact: assertExact,
  audit: ({ table }: World, db: Db) => audit(db, Person, { table }),
};

const indexed = (name: string, operation: MatrixCase<World>['operation']): MatrixCase =>
  followedCase<World>(followed, {
    name: `indexes of ${name}`,
    setUp: async ({ peer, db }) => {
      const world = { table: await peer.newTable() };
      await people(db, world).create(ann);
      await people(db, world).create(ben);
      return world;
    },
    operation,
    rival: async (world, db) => {
      await people(db, world).mutate(ann, row => row && { ...row, last: `${row.last}r`, badge: 8 });
      await people(db, world).upsert({ ...ben, note: 'rival' });
    },
    always: assertExact,
  });

interface RepairWorld extends World {
  /** Audits under way. */
  active: number;
}

const repair = async ({ table }: World, db: Db): Promise<void> => {
  for await (const page of audit(db, Person, { table, repair: true })) void page;
};

/** An audit that repairs; the next process repeats it. */
const REPAIR_CASE: MatrixCase = matrixCase<RepairWorld>({
  name: 'an audit of indexes that repairs',
  setUp: async ({ peer, db }) => {
    const world = { table: await peer.newTable(), active: 0 };
    await people(db, world).create(ann);
    const table = peer.table(world.table);
    const row = (rowKey: string, of: string) => ({
      partitionKey: 'Sales',
      rowKey,
      EntityType: `Person.${of}.1`,
    });
    await table.deleteEntity('Sales', `name!Jones!person!000001`);
    await table.createEntity(row('badge!2147483649!person!000001', 'byBadge'));
    const stale = { ...row('email!ann@x', 'byEmail'), id: 1, last: 'Old', email: 'Ann@x' };
    await table.upsertEntity(stale, 'Replace');
    return world;
  },
  operation: repair,
  rival: async (world, db) => {
    await people(db, world).mutate(ann, row => row && { ...row, last: 'Smith' });
  },
  work: (world, process) => {
    world.active++;
    const running = repair(world, process.db)
      .catch(() => undefined)
      .finally(() => world.active--);
    return { stop: async () => void (await running) };
  },
  isDone: async ({ active }) => active === 0,
  finally: async (world, ground) => {
    await assertExact(world, ground);
    await assertClean(audit(ground.db, Person, { table: world.table }));
  },
});

crashMatrix('indexes', [
  indexed('rows that are created, changed and deleted', async (world, db) => {
    const rows = people(db, world);
    const made = await rows.create(eve);
    const moved = await rows.merge(made, { email: 'Eva@x', badge: null });
    const renamed = await rows.replace(moved, { ...eve, email: 'eva@X', last: 'Brown' });
    await rows.delete(renamed);
    await rows.deleteIfExists({ key: ben, etag: '*' });
  }),
  indexed('rows that are written over', async (world, db) => {
    const rows = people(db, world);
    await rows.mutate(ann, row => row && { ...row, last: 'Smith', email: 'new@x' });
    await rows.upsert({ ...eve, email: 'ANN@x' });
    await rows.upsertMerge({ ...ben, last: 'Brown' });
    await rows.merge({ key: ann, etag: '*' }, { last: 'Adams', badge: 1 });
    // Another row's unique key.
    await rows.upsert({ ...eve, id: 4, email: 'BEN@x' });
  }),
  indexed('two rows that swap a unique key', async (world, db) => {
    const rows = people(db, world);
    const [a, b] = [await rows.get(ann), await rows.get(ben)];
    if (a === undefined || b === undefined) return;
    const batch = db.batch(Person, { department: 'Sales' }, { table: world.table });
    await batch.merge(Person, a, { email: ben.email }).merge(Person, b, { email: ann.email }).commit();
  }),
  indexed('many rows that are written at once', async ({ table }, db) => {
    const changes = [
      change.upsert(Person, { ...eve, email: 'new@x' }, { table }),
      change.upsert(Person, { ...ann, last: 'Brown' }, { table }),
      change.create(Person, { ...eve, id: 4, email: 'dan@x' }, { table }),
    ];
    for await (const report of writeAll(db, changes)) void report;
  }),
  REPAIR_CASE,
]);
