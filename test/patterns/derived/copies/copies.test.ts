// Copies of a source in rows of another entity: equal to it after each write in its partition, and elsewhere when the flow is done. matrix/ ends programs at every request, beside other writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, entity, key, t } from '#patterns';
import { copies, embed } from '#patterns/copies';
import { near } from '#patterns/indexes';
import type { WhenDeleted } from '#patterns/internals';
import { listOf } from '#patterns/lists';
import { onlyIn } from '../../../support/slow.js';
import { drained } from '../../flows/flow-setting.js';
import { findingsOf, pageByPage } from '../../support/collect.js';
import { FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { assertCopies, definitions, unknowing, type World, writesOf } from './managers.js';

const skip = onlyIn('patterns');
const TOGETHER = 'same-partition';
const PLACES: readonly World['where'][] = [undefined, TOGETHER];
const ANN = ['Ann', 'Ann@contoso.com'] as const;
const GONE = [undefined, undefined] as const;

describePeers('copies', peer => {
  let names = 0;
  const world = async (whenDeleted: WhenDeleted, where: World['where']) => {
    const staff = await peer.newTable();
    const departments = where === TOGETHER ? staff : await peer.newTable();
    const of = { whenDeleted, ...(where && { where }) };
    const defined = definitions(staff, departments, `${peer.name}-${++names}`, of);
    const httpClient = new FaultyClient();
    // Most workers begin after the writes.
    const db = peer.open({ httpClient, sleep: async () => {}, announceAfter: 0 });
    const working = peer.open({ announceAfter: 0 });
    const { managers } = defined;
    if (where !== TOGETHER) await managers.flow.createQueues(db);
    const settle = async (workers = 1) =>
      where === TOGETHER ? [] : drained(working, managers.flow, workers);
    const employee = async (id: number) => (await db.repo(defined.Employee).get({ id })) ?? assert.fail();
    const department = async (id: number) => (await db.repo(defined.Department).get({ id })) ?? assert.fail();
    /** What the copies of a department are. */
    const held = async (id: number) => {
      const { managerName, managerEmail } = (await department(id)).value;
      return [managerName, managerEmail];
    };
    const faults = async (options?: Parameters<typeof managers.audit>[1]) =>
      (await findingsOf(managers.audit(db, options))).map(({ fault, key: at, isRepaired }) => [
        fault,
        at?.id,
        isRepaired,
      ]);
    /** Copies are what their sources say, and the audit finds nothing. */
    const check = async (): Promise<void> => {
      await settle();
      await assertCopies(db, defined, whenDeleted);
    };
    const all = { ...defined, db, httpClient, settle, check, employee, department, held, faults };
    return { ...all, ...writesOf(db, defined), around: unknowing(defined) };
  };

  for (const where of PLACES)
    test(`have types, and follow the source and the one who has them: ${where ?? 'remote'}`, async () => {
      const { Employee, hire, rename, found, appoint, settle, check, held, employee, department } =
        await world('null', where);
      await hire(1, 'Ann');
      await hire(2, 'Bob');
      const sales = await found(10, 1);
      await found(11, undefined);
      await settle();
      assert.deepEqual([await held(10), await held(11)], [ANN, GONE]);
      const { value } = await department(10);
      const name: string | undefined = value.managerName;
      assert.equal(name, 'Ann');
      if (where === undefined) assert.equal(value.managerVersion, (await employee(1)).etag);
      // @ts-expect-error it is not copied
      assert.equal(value.managerSalary, undefined);
      await rename(await employee(1), 'Anna');
      await check();
      assert.equal((await held(10))[0], 'Anna');
      await rejects(appoint(sales, 2), 'Conflict');
      await appoint(await department(10), 2);
      await check();
      assert.deepEqual(await held(10), ['Bob', 'Bob@contoso.com']);
      await appoint(await department(10), undefined);
      await check();
      await rejects(async () => embed('x', Employee, []), 'DefinitionInvalid');
      // @ts-expect-error no property of an employee
      await rejects(async () => embed('x', Employee, ['age']), 'DefinitionInvalid');
    });

  for (const where of PLACES)
    for (const [policy, expected] of [
      ['null', GONE],
      ['keep', ANN],
      ['refuse', undefined],
    ] as const)
      test(`when the source is deleted: ${policy}, ${where ?? 'remote'}`, async () => {
        const { db, Employee, Department, hire, found, fire, check, held, employee } = await world(
          policy,
          where,
        );
        const missing = { rowKey: 'employee!000001' };
        const early = found(10, 1);
        // A flow finds the source later, unless the policy is to refuse.
        if (policy === 'refuse' || where === TOGETHER) await rejects(early, 'SourceMissing', missing);
        else await early;
        await hire(1, 'Ann');
        if (policy === 'refuse' || where === TOGETHER) await found(10, 1);
        await check();
        if (policy === 'refuse') {
          await rejects(fire(await employee(1)), 'SourceInUse', missing);
          await rejects(db.repo(Employee).deleteIfExists({ key: { id: 1 }, etag: '*' }), 'SourceInUse');
          await db.repo(Department).delete({ key: { id: 10 }, etag: '*' });
        }
        await fire(await employee(1));
        await check();
        if (expected) assert.deepEqual(await held(10), expected);
        await hire(1, 'Ann');
        await check();
        if (expected) assert.deepEqual(await held(10), ANN);
      });

  test('a change of what is not copied writes no copy', async () => {
    const { db, managers, Employee, hire, found, settle, department } = await world('null', undefined);
    const ann = await hire(1, 'Ann');
    await found(10, 1);
    await settle();
    const before = await department(10);
    await db.repo(Employee).merge(ann, { salary: 2n });
    assert.equal((await managers.flow.figures(db)).pending, 0, 'and sends no message');
    assert.equal((await department(10)).etag, before.etag);
  });

  test('of a source whose deletion is refused: a finding for what came between the look and the deletion', async () => {
    const { db, managers, around, hire, found, check, held, faults } = await world('refuse', undefined);
    const ann = await hire(1, 'Ann');
    await found(10, 1);
    await check();
    const plan = managers.explain(db, { id: 1 });
    assert.deepEqual([plan.where, plan.rows, plan.goesOn, plan.writer.length], ['remote', 99, true, 1]);
    // As a row that takes the source between the look and the deletion.
    await db.repo(around.Employee).delete(ann);
    for (const repair of [true, false]) assert.deepEqual(await faults({ repair }), [['dangling', 10, false]]);
    assert.deepEqual(await held(10), GONE);
  });

  test('more than a message changes are changed by the messages after it', { skip }, async () => {
    const { db, hire, rename, around, settle, check, faults, employee } = await world('null', undefined);
    await hire(1, 'Ann');
    for (const [from, to] of [
      [0, 100],
      [100, 200],
      [200, 250],
    ] as const) {
      const batch = db.batch(around.Department, {});
      for (let id = from; id < to; id++) batch.create(around.Department, { id, managerId: 1 });
      await batch.commit();
    }
    const missing = await faults({ size: 60 });
    assert.deepEqual([missing.length, new Set(missing.map(([fault]) => fault))], [250, new Set(['missing'])]);
    await rename(await employee(1), 'Anna');
    const events = await settle(2);
    assert(events.filter(({ kind }) => kind === 'done').length >= 4, 'three pages of holders, and the hire');
    await check();
  });

  test('are repaired by an audit', async () => {
    const { db, managers, Department, around, hire, found, settle, faults, check } = await world(
      'null',
      undefined,
    );
    for (const id of [1, 2, 3]) await hire(id, `E${id}`);
    for (const id of [1, 2, 3]) await found(id, id);
    await settle();
    const employees = db.repo(around.Employee);
    await employees.upsertMerge({ id: 1, name: 'Around', salary: 1n });
    await employees.delete({ key: { id: 2 }, etag: '*' });
    const Bare = entity('Department', {
      version: 1,
      table: Department.table,
      props: { id: t.int32(), managerId: t.int32() },
      partition: Department.partition,
      row: Department.row,
    });
    await db.repo(Bare).upsert({ id: 3, managerId: 3 });
    const wrong = [
      ['stale', 1],
      ['orphan', 2],
      ['missing', 3],
    ];
    assert.deepEqual(
      await faults(),
      wrong.map(each => [...each, false]),
    );
    const pages = await pageByPage(resume => managers.audit(db, { repair: true, size: 1, resume }));
    assert.deepEqual(
      pages.flatMap(({ findings }) => findings).map(({ fault, key: at }) => [fault, at?.id]),
      wrong,
    );
    await check();
  });

  test('in the partition change in one transaction, and take a source with one more read', async () => {
    const { db, httpClient, Department, hire, rename, found, appoint, check, employee, department } =
      await world('null', TOGETHER);
    const counted = async <T>(requests: number, write: () => Promise<T>): Promise<T> => {
      httpClient.count = 0;
      const written = await write();
      assert.equal(httpClient.count, requests);
      return written;
    };
    const early = await counted(2, () => hire(1, 'Ann'));
    await hire(2, 'Bob');
    await counted(2, () => found(10, 1));
    await counted(1, () => found(12, undefined));
    // A row that takes it gives the source a new ETag.
    await rejects(rename(early, 'Anna'), 'Conflict');
    const ann = await employee(1);
    await counted(2, () => rename(ann, 'Anna'));
    const sales = await department(10);
    const bobs = await counted(2, () => appoint(sales, 2));
    assert.equal(bobs.value.managerName, 'Bob');
    const kept = await counted(1, () => db.repo(Department).merge(bobs, {}));
    await counted(1, () => appoint(kept, undefined));
    await check();
  });

  test('in the partition are what the source says, whatever a program writes into them', async () => {
    const { db, Department, hire, check } = await world('null', TOGETHER);
    const departments = db.repo(Department);
    await hire(1, 'Ann');
    for (const write of [
      () => departments.create({ id: 10, managerId: 1, managerName: 'Mine' }),
      () => departments.upsert({ id: 10, managerId: 1 }),
      () => departments.merge({ key: { id: 10 }, etag: '*' }, { managerName: 'Mine' }),
      () => departments.upsertMerge({ id: 11, managerId: 1 }),
      () => departments.create({ id: 12, managerName: 'Nobody' }),
      () => departments.mutate({ id: 12 }, now => now && { ...now, managerId: 1 }),
    ]) {
      await write();
      await check();
    }
    assert.equal((await departments.get({ id: 12 }))?.value.managerName, 'Ann');
  });

  test('in the partition are as many as fit into a transaction, which explain tells', async () => {
    const { db, managers, Department, around, hire, rename, found, httpClient, check, employee } =
      await world('null', TOGETHER);
    await hire(1, 'Ann');
    const batch = db.batch(around.Department, {});
    for (let id = 0; id < 98; id++) batch.create(around.Department, { id, managerId: 1 });
    await batch.commit();
    await found(98, 1);
    await rename(await employee(1), 'Anna');
    await check();
    await found(99, 1);
    const most = { operations: 101, limit: 100 };
    await rejects(rename(await employee(1), 'Anne'), 'TooManyOperations', most);
    await check();
    httpClient.count = 0;
    const plan = managers.explain(db, { id: 1 });
    assert.deepEqual(
      [plan.where, plan.table, plan.rows, plan.goesOn, plan.holders.class, plan.worker, plan.writer.length],
      [TOGETHER, Department.table, 99, false, 'partition-scan', [], 2],
    );
    assert.equal(httpClient.count, 0);
  });

  test('that could not be kept are refused', async () => {
    const { Department, Employee } = await world('null', TOGETHER);
    listOf(Employee, 'byName', { where: TOGETHER, row: p => key('name', p.name) });
    const unit = embed('unit', Department, ['managerName']);
    const Team = entity('Team', {
      version: 1,
      table: Department.table,
      props: { id: t.int32(), ...unit.props },
      partition: key('company'),
      row: p => key('team', p.id),
    });
    const holders = (db: Db) => db.repo(Team).partition({});
    const keyOf = ({ id }: { readonly id: number }) => ({ id });
    for (const refused of [
      () => listOf(Department, 'byManager', { where: TOGETHER, row: p => key('by', p.managerName) }),
      () => definitions('A', 'B', 'two-tables', { whenDeleted: 'null', where: TOGETHER }),
      // Copies of copies.
      () =>
        copies('units', {
          holder: Team,
          embedded: unit,
          keyOf,
          whenDeleted: 'null',
          where: TOGETHER,
          holders,
        }),
    ])
      await rejects(async () => refused(), 'DefinitionInvalid');
    // @ts-expect-error no such policy
    const drop: WhenDeleted = 'drop';
    assert(drop);
    const at = { version: 1, table: Department.table, props: { at: t.string(), id: t.int32() } } as const;
    const Person = entity('Person', {
      ...at,
      props: { ...at.props, name: t.string() },
      partition: p => key(p.at),
      row: p => key('person', p.id),
    });
    const boss = embed('boss', Person, ['name']);
    const Desk = entity('Desk', {
      ...at,
      props: { ...at.props, bossAt: t.string(), ...boss.props },
      partition: p => key(p.at),
      row: p => key('desk', p.id),
    });
    copies('bosses', {
      holder: Desk,
      embedded: boss,
      keyOf: ({ bossAt, id }) => ({ at: bossAt, id }),
      whenDeleted: 'null',
      where: TOGETHER,
      holders: (db, { at: where }) => db.repo(Desk).partition({ at: where }),
    });
    // A source in another partition.
    await rejects(peer.open().repo(Desk).create({ at: 'a', id: 1, bossAt: 'b' }), 'ValueInvalid');
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
      indexes: { byOwner: { kind: near, row: p => key('owner', p.ownerName) } },
    });
    const rules = {
      holder: Ship,
      whenDeleted: 'null',
      where: TOGETHER,
      holders: (db: Db) => db.repo(Ship).partition({}),
    } as const;
    copies('owners', { ...rules, embedded: owner, keyOf: ({ ownerId }) => ({ id: ownerId }) });
    copies('deputies', { ...rules, embedded: deputy, keyOf: ({ deputyId }) => ({ id: deputyId }) });
    const db = peer.open();
    await db.repo(Person).create({ id: 1, name: 'Ann' });
    await db.repo(Ship).create({ id: 1, ownerId: 1, deputyId: 1 });
    await db.repo(Person).mutate({ id: 1 }, ann => ann && { ...ann, name: 'Anna' });
    const found = await db.repo(Ship).index('byOwner').partition({}).rows({ ownerName: 'Anna' }).take(2);
    assert.equal(found.length, 1);
    const { value } = (await db.repo(Ship).get({ id: 1 })) ?? assert.fail();
    assert.deepEqual([value.ownerName, value.deputyName], ['Anna', 'Anna']);
  });
});
