// People, as tests of the pattern library have them: their properties, their keys, and indexes in their partition and in others. A test takes those that it needs.
import assert from 'node:assert/strict';
import { type AnyEntity, codec, type Db, entity, key, part, type Repo, t } from '#patterns';
import { near, remote } from '#patterns/indexes';
import { encodeBag, encodeIndexRow, type WireRow } from '#patterns/internals';
import { bags } from '#patterns/mixed';

export const person = {
  version: 1,
  props: {
    department: t.string(),
    id: t.int32(),
    last: t.string(),
    email: t.string().optional(),
    badge: t.int32().optional(),
    note: t.string().optional(),
  },
  partition: key(part('department')),
  row: key('person', part('id', codec.int(6))),
} as const;

/** A unique one that is sparse, and one that is not unique with whole copies. */
export const NEAR = {
  byEmail: { kind: near, row: key('email', part('email', codec.lower)), unique: true, project: ['last'] },
  byName: { kind: near, row: key('name', part('last')), project: 'all' },
} as const;

/** In a table of its own, or a second entity would have its rows. */
export const byEmailIn = (table: string) =>
  ({ kind: remote, table, partition: key(part('email', codec.lower)), row: key('e') }) as const;
export const byNameElsewhere = {
  kind: remote,
  partition: key('name', part('last')),
  row: key('n'),
  project: 'all',
} as const;

export const Person = entity('Person', {
  ...person,
  table: 'People',
  indexes: { ...NEAR, byBadge: { kind: near, row: key('badge', part('badge')) } },
});
export type People = Repo<typeof Person>;

export const ann = { department: 'Sales', id: 1, last: 'Jones', email: 'Ann@X.org', badge: 7 } as const;
export const ben = { department: 'Sales', id: 2, last: 'Jones', email: 'ben@x.org' } as const;

/** The keys of all rows of a partition. */
export async function rowsIn(db: Db, table: string, partitionKey = 'Sales'): Promise<readonly string[]> {
  const rows = await bags(db, table).partition(partitionKey).take(1000);
  return rows.map(({ rowKey }) => rowKey);
}

/** Without the version of the row that a remote index row was made of. */
function textOf({ partitionKey, rowKey, properties }: Omit<WireRow, 'bytes'>): string {
  const own = properties.filter(({ name }) => name !== '_source');
  const texts = own.map(({ name, type, literal }) => `${name}:${type}=${literal}`);
  return [partitionKey, rowKey, ...texts.toSorted()].join(' ');
}

/** The index rows that stand in the tables, and those that the rows of the entity should have. */
export async function rowsOfIndexes(db: Db, entity: AnyEntity, table = entity.table) {
  const { indexes, remoteIndexes } = entity.plan;
  const stand: string[] = [];
  for (const each of new Set([table, ...remoteIndexes.map(index => index.entity.table)]))
    for await (const bag of bags(db, each).scan().allowScan('a check').stream())
      if (bag.tag?.startsWith(`${entity.name}.by`)) stand.push(textOf(encodeBag(bag)));
  const rows = await db.repo(entity, { table }).scan().allowScan('a check').take(10_000);
  const should = rows.flatMap(({ value }) =>
    [...indexes, ...remoteIndexes].flatMap(index => {
      const row = encodeIndexRow(index, value);
      return row === undefined ? [] : [textOf(row)];
    }),
  );
  return { stand: stand.toSorted(), should: should.toSorted() };
}

/** Index rows are exactly what the rows of people say. */
export async function assertExact(db: Db, table: string, Entity: AnyEntity = Person): Promise<void> {
  const { stand, should } = await rowsOfIndexes(db, Entity, table);
  assert.deepEqual(stand, should);
}
