// Indexes over existing rows: backfills and rebuilds that resume by their tokens; and what programs may do with an index until they finish.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, type NewOf } from '#patterns';
import { audit, backfill, rebuild } from '#patterns/audit';
import { collect, findingsOf, pageByPage } from '../../support/collect.js';
import { assertExact, NEAR, Person, person, rowsIn } from '../../support/indexed-entity.js';
import { describePeers, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

const common = { ...person, table: Person.table } as const;
const { byEmail, byName } = NEAR;
const upcast = { 1: (old: Readonly<Record<string, unknown>>) => old };
/** As programs knew it before there were indexes. */
const Older = entity('Person', common);
/** As programs know it that keep the new index and do not read it. */
const Newer = entity('Person', {
  ...common,
  version: 2,
  upcast,
  indexes: { byEmail: { ...byEmail, state: 'building' }, byName },
});
/** The same, and they read it. */
const Built = entity('Person', { ...common, version: 2, upcast, indexes: { byEmail, byName } });

const ROWS = 10;
const newPerson = (id: number, email: string | undefined): NewOf<typeof Newer> => ({
  department: 'Sales',
  id,
  last: `Jones ${id % 3}`,
  ...(email !== undefined && { email }),
});

/** A table of rows that programs left which knew no index. */
async function olderRows(peer: Peer) {
  const table = await peer.newTable();
  const db = peer.open();
  const batch = db.batch(Older, { department: 'Sales' }, { table });
  for (let id = 0; id < ROWS; id++) batch.create(Older, newPerson(id, `${id}@x.org`));
  await batch.commit();
  return { table, db };
}

const SIZE = 3;

describePeers('making an index', peer => {
  test('writes the rows that older programs left out', async () => {
    const { table, db } = await olderRows(peer);
    const pages = await pageByPage(resume => backfill(db, Newer, 'byEmail', { table, size: SIZE, resume }));
    assert.deepEqual(
      pages.map(({ phase, checked, repaired, next }) => [phase, checked, repaired, next !== undefined]),
      [3, 3, 3, 1].map(rows => ['Person', rows, rows, rows === SIZE]),
    );
    const [one] = await collect(backfill(db, Newer, 'byEmail', { table }));
    assert.deepEqual([one?.checked, one?.findings], [ROWS, []]);
    const byNewEmail = db.repo(Built, { table }).index('byEmail');
    assert.equal((await byNewEmail.get({ department: 'Sales', email: '7@X.org' }))?.value.id, 7);
    await collect(backfill(db, Newer, 'byName', { table }));
    await assertExact(db, table, Newer);
  });

  test('refuses its queries meanwhile, and keeps its rows', async () => {
    const { table, db } = await olderRows(peer);
    const newer = db.repo(Newer, { table });
    // @ts-expect-error it is being built
    assert.throws(() => newer.index('byEmail'), /DefinitionInvalid.*byEmail.*being built/);
    await newer.create(newPerson(20, 'new@x.org'));
    assert((await rowsIn(db, table)).includes('email!new@x.0org'));
    await rejects(newer.create(newPerson(21, 'New@x.org')), 'UniqueViolation');
    const older = db.repo(Older, { table });
    const row = (await older.get({ department: 'Sales', id: 20 })) ?? assert.fail();
    await rejects(older.replace(row, newPerson(20, 'other@x.org')), 'NewerVersion');
  });

  test('tells of rows that hold one unique key', async () => {
    const { table, db } = await olderRows(peer);
    await db.repo(Older, { table }).create(newPerson(11, '3@X.ORG'));
    const found = await findingsOf(backfill(db, Newer, 'byEmail', { table }));
    assert.deepEqual(
      found
        .filter(({ isRepaired }) => !isRepaired)
        .map(({ fault, key: of, reason }) => [fault, of?.id, reason?.code]),
      [['missing', 11, 'UniqueViolation']],
    );
  });

  test('takes no more rows a second than it is told', async () => {
    const { table } = await olderRows(peer);
    const slept: number[] = [];
    const sleep = async (milliseconds: number): Promise<void> => void slept.push(milliseconds);
    const db = peer.open({ sleep, now: () => 0 });
    await collect(backfill(db, Newer, 'byEmail', { table, size: 4, rate: 2 }));
    assert.deepEqual(slept, [2_000, 2_000]);
    assert.throws(() => backfill(db, Newer, 'byEmail', { table, rate: 0 }), /ValueInvalid/);
  });
});

describePeers('rebuilding an index', peer => {
  test('deletes orphans, which a backfill leaves, and leaves other indexes alone', async () => {
    const { table, db } = await olderRows(peer);
    await collect(rebuild(db, Newer, 'byEmail', { table }));
    const raw = peer.table(table);
    await raw.deleteEntity('Sales', 'person!000004');
    await raw.deleteEntity('Sales', 'email!2@x.0org');
    const made = await findingsOf(backfill(db, Newer, 'byEmail', { table }));
    const found = await findingsOf(rebuild(db, Newer, 'byEmail', { table }));
    assert.deepEqual(
      [...made, ...found].map(({ fault, rowKey, isRepaired }) => [fault, rowKey, isRepaired]),
      [
        ['missing', 'email!2@x.0org', true],
        ['orphan', 'email!4@x.0org', true],
      ],
    );
    const left = await findingsOf(audit(db, Newer, { table }));
    assert.deepEqual(new Set(left.map(({ of }) => of)), new Set(['byName']));
  });

  test('has tokens that are none of a backfill, an audit or another index', async () => {
    const { table, db } = await olderRows(peer);
    const { value } = await rebuild(db, Newer, 'byEmail', { table, size: SIZE }).next();
    const resume = value?.next;
    assert(resume);
    for (const other of [
      backfill(db, Newer, 'byEmail', { table, resume }),
      rebuild(db, Newer, 'byName', { table, resume }),
      audit(db, Newer, { table, resume }),
    ])
      await rejects(other.next(), 'TokenMismatch');
  });
});
