// The entity with indexes of the pattern library's tests: a unique one that is sparse, one that is not unique with whole copies, and a sparse one without a projection.
import assert from 'node:assert/strict';
import { type AnyEntity, codec, type Db, entity, key, type Repo, t } from '#patterns';
import { near } from '#patterns/indexes';
import { encodeBag, encodeIndexRow, type WireRow } from '#patterns/internals';
import { bags } from '#patterns/mixed';

export const Person = entity('Person', {
  version: 1,
  table: 'People',
  props: {
    department: t.string(),
    id: t.int32(),
    last: t.string(),
    email: t.string().optional(),
    badge: t.int32().optional(),
    note: t.string().optional(),
  },
  partition: p => key(p.department),
  row: p => key('person', p.id.as(codec.int(6))),
  indexes: {
    byEmail: {
      kind: near,
      row: p => key('email', p.email.as(codec.lower)),
      unique: true,
      project: ['last'],
    },
    byName: { kind: near, row: p => key('name', p.last), project: 'all' },
    byBadge: { kind: near, row: p => key('badge', p.badge) },
  },
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
