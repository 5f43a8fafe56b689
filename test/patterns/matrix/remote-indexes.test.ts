// Indexes in other partitions and tables: when the flow is done, index rows match the rows, whatever wrote them and wherever a program or a worker ended.
import assert from 'node:assert/strict';
import type { Db } from '#patterns';
import { audit } from '#patterns/audit';
import { indexFlow } from '#patterns/indexes';
import { ann, ben, drain, type Person, remoteDefinition } from '../derived/remote/remote-world.js';
import { followedCase, type Ground, type MatrixCase, type RawRow, rawRows, tagOf } from './case.js';
import { crashMatrix } from './matrix.js';

interface World {
  readonly Person: Person;
  readonly own: string;
}

/** A row as the index of this name has it: keys, and what they are made of. */
function indexRowsOf(row: RawRow): readonly string[] {
  const { last, email, note, rowKey } = row;
  const address = `Sales!${rowKey}`;
  // A point in an email is escaped in a key.
  const key = email === undefined ? undefined : String(email).toLowerCase().replaceAll('.', '.0');
  return [
    ...(key === undefined ? [] : [`byEmail ${key} e!${address} ${last} ${email} undefined`]),
    `byName name!${last} n!${address} undefined ${email} ${note}`,
  ];
}

async function assertExact({ Person, own }: World, { peer }: Ground): Promise<void> {
  const rows = [...(await rawRows(peer, Person.table)), ...(await rawRows(peer, own))];
  const stand = rows
    .filter(row => tagOf(row) !== Person.name)
    .map(row => {
      const { partitionKey, rowKey, last, email, note } = row;
      return [tagOf(row).slice(Person.name.length + 1), partitionKey, rowKey, last, email, note].join(' ');
    });
  const should = rows.filter(row => tagOf(row) === Person.name).flatMap(indexRowsOf);
  const text = (all: readonly string[]) => all.map(each => each.replaceAll('undefined', '')).toSorted();
  assert.deepEqual(text(stand), text(should), 'Index rows are not what people are.');
}

const followed = {
  exact: assertExact,
  audit: ({ Person }: World, db: Db) => audit(db, Person),
  flow: ({ Person }: World) => indexFlow(Person),
};

const indexed = (name: string, operation: MatrixCase<World>['operation']): MatrixCase =>
  followedCase<World>(followed, {
    name: `remote indexes of ${name}`,
    setUp: async ({ peer, db }) => {
      const world = await remoteDefinition(peer);
      await indexFlow(world.Person).createQueues(db);
      for (const each of [ann, ben]) await db.repo(world.Person).create(each);
      await drain(db, world.Person);
      return world;
    },
    operation,
    rival: async ({ Person }, db) => {
      await db.repo(Person).mutate(ann, row => row && { ...row, last: 'Rival', note: 'rival' });
      // Whatever workers have done by now, fresh reads give what the rows say.
      for (const last of ['Jones', 'Smith', 'Rival'])
        for (const { value } of await db.repo(Person).index('byName', 'verified').partition({ last }).take(9))
          assert.equal(value.last, last);
    },
  });

crashMatrix('remote', [
  indexed('rows that are created and changed', async ({ Person }, db) => {
    const rows = db.repo(Person);
    const row = await rows.create({ ...ann, id: 3, email: 'eve@x.org' });
    await rows.replace(row, { ...ann, id: 3, last: 'Smith', email: 'Eva@x.org' });
  }),
  indexed('a row that moves in both', async ({ Person }, db) => {
    await db.repo(Person).mutate(ann, row => row && { ...row, last: 'Smith', email: 'new@x.org' });
  }),
  indexed('a row that goes', async ({ Person }, db) => {
    const row = await db.repo(Person).get(ann);
    if (row) await db.repo(Person).delete(row);
  }),
  indexed('rows that are written over', async ({ Person }, db) => {
    await db.repo(Person).upsert({ ...ben, last: 'Brown' });
    await db.repo(Person).deleteIfExists({ key: ann, etag: '*' });
  }),
  indexed('rows that go, come again and come together', async ({ Person }, db) => {
    const rows = db.repo(Person);
    await rows.deleteIfExists({ key: ann, etag: '*' });
    await rows.upsert({ ...ann, last: 'Brown' });
    const batch = db.batch(Person, ann);
    await batch
      .create(Person, { ...ben, id: 3, email: 'c@x.org' })
      .create(Person, { ...ben, id: 4, email: 'd@x.org' })
      .commit();
  }),
]);
