// Copies in the partition of their source: equal to it after each write; deleting a source is refused while it has copies. matrix/ ends programs at every request, beside other writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, entity, key, t } from '#patterns';
import { copies, embed } from '#patterns/copies';
import type { WhenDeleted } from '#patterns/internals';
import { listOf } from '#patterns/lists';
import { FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { assertCopies, definitions, unknowing, writesOf } from './managers.js';

const where = 'same-partition';

const POLICIES: readonly WhenDeleted[] = ['null', 'keep', 'refuse'];

describePeers('copies in the partition of their source', peer => {
  let names = 0;
  const world = async (whenDeleted: WhenDeleted) => {
    const table = await peer.newTable();
    const defined = definitions(table, table, `near-${peer.name}-${++names}`, { whenDeleted, where });
    const httpClient = new FaultyClient();
    const db = peer.open({ httpClient, sleep: async () => {} });
    const check = (): Promise<void> => assertCopies(db, defined, whenDeleted);
    return { ...defined, table, db, httpClient, check, ...writesOf(db, defined) };
  };

  test('change with it, in one transaction, and take a source with one more read', async () => {
    const { db, httpClient, Employee, Department, hire, rename, found, appoint, check } = await world('null');
    const counted = async <T>(requests: number, write: () => Promise<T>): Promise<T> => {
      httpClient.count = 0;
      const written = await write();
      assert.equal(httpClient.count, requests);
      return written;
    };
    const early = await counted(2, () => hire(1, 'Ann'));
    await hire(2, 'Bob');
    const sales = await counted(2, () => found(10, 1));
    assert.deepEqual([sales.value.managerName, sales.value.managerEmail], ['Ann', 'Ann@contoso.com']);
    await found(11, 1);
    await counted(1, () => found(12, undefined));
    await rejects(rename(early, 'Anna'), 'Conflict');
    // A row that takes it gives the source a new ETag.
    const ann = await db.repo(Employee).get({ id: 1 });
    assert(ann);
    await counted(2, () => rename(ann, 'Anna'));
    await check();
    const now = await db.repo(Department).get({ id: 10 });
    assert(now);
    assert.equal(now.value.managerName, 'Anna');
    const bobs = await counted(2, () => appoint(now, 2));
    assert.equal(bobs.value.managerName, 'Bob');
    const kept = await counted(1, () => db.repo(Department).merge(bobs, {}));
    const none = await counted(1, () => appoint(kept, undefined));
    assert.equal(none.value.managerName, undefined);
    await check();
  });

  test('are what the source says, whatever a program writes into them', async () => {
    const { db, Department, hire, check } = await world('null');
    const departments = db.repo(Department);
    await hire(1, 'Ann');
    await departments.create({ id: 10, managerId: 1, managerName: 'Mine' });
    await check();
    await departments.upsert({ id: 10, managerId: 1 });
    await check();
    await departments.merge({ key: { id: 10 }, etag: '*' }, { managerName: 'Mine' });
    await check();
    await departments.upsertMerge({ id: 11, managerId: 1 });
    await departments.create({ id: 12, managerName: 'Nobody' });
    await check();
    await departments.mutate({ id: 12 }, now => now && { ...now, managerId: 1 });
    assert.equal((await departments.get({ id: 12 }))?.value.managerName, 'Ann');
    await check();
  });

  for (const policy of POLICIES)
    test(`when the source is deleted: ${policy}`, async () => {
      const { db, Employee, Department, hire, found, fire, check } = await world(policy);
      await rejects(found(10, 1), 'SourceMissing', { rowKey: 'employee!000001' });
      await hire(1, 'Ann');
      await found(10, 1);
      const ann = await db.repo(Employee).get({ id: 1 });
      assert(ann);
      if (policy === 'refuse') {
        await rejects(fire(ann), 'SourceInUse', { rowKey: 'employee!000001' });
        await rejects(db.repo(Employee).deleteIfExists({ key: { id: 1 }, etag: '*' }), 'SourceInUse');
        await db.repo(Department).delete({ key: { id: 10 }, etag: '*' });
      }
      await fire(ann);
      await check();
      const left = await db.repo(Department).get({ id: 10 });
      assert.equal(left?.value.managerName, policy === 'keep' ? 'Ann' : undefined);
      await hire(1, 'Another');
      await check();
      const again = await db.repo(Department).get({ id: 10 });
      assert.equal(again?.value.managerName, policy === 'refuse' ? undefined : 'Another');
    });

  test('are as many as fit into a transaction, which explain tells', async () => {
    const { db, table, managers, Employee, Department, hire, rename, found, httpClient, check } =
      await world('null');
    await hire(1, 'Ann');
    const { Department: Unknowing } = unknowing({ Employee, Department });
    const batch = db.batch(Unknowing, {});
    for (let id = 0; id < 98; id++) batch.create(Unknowing, { id, managerId: 1 });
    await batch.commit();
    await found(98, 1);
    const get = async () => (await db.repo(Employee).get({ id: 1 })) ?? assert.fail();
    await rename(await get(), 'Anna');
    await check();
    await found(99, 1);
    await rejects(rename(await get(), 'Anne'), 'TooManyOperations', { operations: 101, limit: 100 });
    await check();
    httpClient.count = 0;
    const plan = managers.explain(db, { id: 1 });
    assert.equal(httpClient.count, 0);
    assert.deepEqual(
      [plan.where, plan.table, plan.rows, plan.goesOn, plan.holders.class, plan.worker],
      [where, table, 99, false, 'partition-scan', []],
    );
    assert.equal(plan.writer.length, 2);
  });

  test('what could not be kept is refused', async () => {
    const table = await peer.newTable();
    const { Employee, Department } = definitions(table, table, `refused-${peer.name}`, {
      whenDeleted: 'null',
      where,
    });
    const byManager = () =>
      listOf(Department, 'byManager', { where: 'same-partition', row: p => key('by', p.managerName) });
    await rejects(async () => byManager(), 'DefinitionInvalid');
    listOf(Employee, 'byName', { where: 'same-partition', row: p => key('name', p.name) });
    await rejects(
      async () => definitions('A', 'B', 'two-tables', { whenDeleted: 'null', where }),
      'DefinitionInvalid',
    );
    const unit = embed('unit', Department, ['managerName']);
    const Team = entity('Team', {
      version: 1,
      table,
      props: { id: t.int32(), ...unit.props },
      partition: key('company'),
      row: p => key('team', p.id),
    });
    const chain = () =>
      copies('units', {
        holder: Team,
        embedded: unit,
        keyOf: ({ id }) => ({ id }),
        whenDeleted: 'null',
        where,
        holders: db => db.repo(Team).partition({}),
      });
    await rejects(async () => chain(), 'DefinitionInvalid');
  });

  test('a source in another partition is refused', async () => {
    const table = await peer.newTable();
    // @ts-expect-error no such policy
    const drop: WhenDeleted = 'drop';
    assert(drop);
    const Other = entity('Person', {
      version: 1,
      table,
      props: { at: t.string(), id: t.int32(), name: t.string() },
      partition: p => key(p.at),
      row: p => key('person', p.id),
    });
    const boss = embed('boss', Other, ['name']);
    const Desk = entity('Desk', {
      version: 1,
      table,
      props: { at: t.string(), id: t.int32(), bossAt: t.string(), ...boss.props },
      partition: p => key(p.at),
      row: p => key('desk', p.id),
    });
    copies('bosses', {
      holder: Desk,
      embedded: boss,
      keyOf: ({ bossAt, id }) => ({ at: bossAt, id }),
      whenDeleted: 'null',
      where,
      holders: (db, { at }) => db.repo(Desk).partition({ at }),
    });
    const db = peer.open();
    await rejects(db.repo(Desk).create({ at: 'a', id: 1, bossAt: 'b' }), 'ValueInvalid');
  });

  test('two copies of one source are one write of their row', async () => {
    const table = await peer.newTable();
    const Person = entity('Person', {
      version: 1,
      table,
      props: { id: t.int32(), name: t.string() },
      partition: key('all'),
      row: p => key('person', p.id),
    });
    const [owner, deputy] = [embed('owner', Person, ['name']), embed('deputy', Person, ['name'])];
    const Ship = entity('Ship', {
      version: 1,
      table,
      props: { id: t.int32(), ownerId: t.int32(), deputyId: t.int32(), ...owner.props, ...deputy.props },
      partition: key('all'),
      row: p => key('ship', p.id),
      indexes: { byOwner: { kind: 'same-partition', row: p => key('owner', p.ownerName) } },
    });
    const rules = {
      holder: Ship,
      whenDeleted: 'null',
      where,
      holders: (db: Db) => db.repo(Ship).partition({}),
    } as const;
    copies('owners', { ...rules, embedded: owner, keyOf: ({ ownerId }) => ({ id: ownerId }) });
    copies('deputies', { ...rules, embedded: deputy, keyOf: ({ deputyId }) => ({ id: deputyId }) });
    const db = peer.open();
    await db.repo(Person).create({ id: 1, name: 'Ann' });
    await db.repo(Ship).create({ id: 1, ownerId: 1, deputyId: 1 });
    await db.repo(Person).mutate({ id: 1 }, ann => ann && { ...ann, name: 'Anna' });
    const ship = await db.repo(Ship).index('byOwner').partition({}).rows({ ownerName: 'Anna' }).take(2);
    assert.equal(ship.length, 1);
    const { value } = (await db.repo(Ship).get({ id: 1 })) ?? assert.fail();
    assert.deepEqual([value.ownerName, value.deputyName], ['Anna', 'Anna']);
  });
});
