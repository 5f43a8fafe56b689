// Copies of a source in rows of another entity: equal to their sources after each write in one partition, and when the flow is done for remote ones; in a random graph, through storms of renames, and wherever a
// program ends.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { type AnyEntity, type Db, entity, open, t } from '#patterns';
import type { Finding } from '#patterns/audit';
import { type Copies, embed } from '#patterns/copies';
import type { FlowEvent } from '#patterns/flows';
import type { Fault } from '#patterns/internals';
import { onlyIn } from '../../../support/slow.js';
import { type FaultPlan, FaultyClient } from '../../support/faulty-client.js';
import { definitions, type World, writesOf } from './managers.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { chanceOf, SEED } from '../../support/seeded.js';

const skip = onlyIn('patterns');

type Found = readonly [fault: Fault, id: number | undefined, isRepaired: boolean];

/** What an audit finds, by department. */
async function faultsOf(
  audit: AsyncIterable<{
    readonly findings: readonly (Pick<Finding, 'fault' | 'isRepaired'> & {
      readonly key: { readonly id: number } | undefined;
    })[];
  }>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for await (const { findings } of audit)
    for (const { fault, key: at, isRepaired } of findings) found.push([fault, at?.id, isRepaired]);
  return found;
}

describePeers('copies', peer => {
  const opened = (plan: FaultPlan = () => undefined): Db => {
    const httpClient = new FaultyClient(plan);
    return open(
      { tables: peer.client({ httpClient }), queues: peer.queues(httpClient) },
      // Most workers begin after the writes.
      { httpClient, announceAfter: 0 },
    );
  };
  let names = 0;
  /** Entities in tables of their own. */
  const world = async (of: World) => {
    const staff = await peer.newTable();
    const departments = of.where === 'same-partition' ? staff : await peer.newTable();
    const defined = definitions(staff, departments, `${peer.name}-${++names}`, of);
    const { Employee, Department, managers } = defined;
    const db = opened();
    await managers.flow.createQueues(db);
    /** Workers while something is done. None puts a message aside. */
    const workDuring = async (workers: number, grace: number, done: () => Promise<unknown>) => {
      const events: FlowEvent[] = [];
      const report = (event: FlowEvent) => events.push(event);
      const options = { grace, redeliverAfter: 1, concurrency: 8, rest: { base: 20, cap: 100 }, report };
      const running = Array.from({ length: workers }, () => managers.flow.worker(db, options));
      await done();
      for (const worker of running) await worker.stop();
      assert.deepEqual(
        events.filter(({ kind }) => kind === 'poisoned'),
        [],
      );
      return events;
    };
    const drain = (workers = 1): Promise<readonly FlowEvent[]> =>
      workDuring(workers, 3, () =>
        until('an empty queue', async () => (await managers.flow.figures(db)).pending === 0),
      );
    /** What copies are, by department. */
    const held = async () => {
      const rows = await db.repo(Department).partition({}).take(999);
      return new Map(rows.map(({ value }) => [value.id, [value.managerName, value.managerEmail]]));
    };
    const faults = (options?: Parameters<Copies<AnyEntity, AnyEntity>['audit']>[1]) =>
      faultsOf(managers.audit(db, options));
    /** Against the entities themselves. */
    const check = async (): Promise<void> => {
      const employees = new Map(
        (await db.repo(Employee).partition({}).take(999)).map(({ value }) => [value.id, value]),
      );
      for (const { value } of await db.repo(Department).partition({}).take(999)) {
        const source = value.managerId === undefined ? undefined : employees.get(value.managerId);
        const context = `department ${value.id}, seed ${SEED}`;
        assert.deepEqual([value.managerName, value.managerEmail], [source?.name, source?.email], context);
        assert.equal(value.managerVersion === undefined, source === undefined, context);
      }
      assert.deepEqual(await faults(), []);
    };
    return {
      db,
      opened,
      managers,
      Employee,
      Department,
      ...writesOf(db, defined),
      workDuring,
      drain,
      held,
      faults,
      check,
    };
  };

  test('have types, and follow the source and the one who has them', async () => {
    const { db, Employee, Department, hire, rename, found, appoint, drain, held } = await world({
      whenDeleted: 'null',
    });
    const ann = await hire(1, 'Ann');
    await hire(2, 'Bob');
    const sales = await found(10, 1);
    await found(11, undefined);
    await drain();
    assert.deepEqual(
      [...(await held()).values()],
      [
        ['Ann', 'Ann@contoso.com'],
        [undefined, undefined],
      ],
    );
    const row = await db.repo(Department).get({ id: 10 });
    const name: string | undefined = row?.value.managerName;
    assert.equal(name, 'Ann');
    assert.equal(row?.value.managerVersion, ann.etag);
    // @ts-expect-error it is not copied
    assert.equal(row?.value.managerSalary, undefined);
    await rename(ann, 'Anna');
    await drain();
    assert.equal((await held()).get(10)?.[0], 'Anna');
    await rejects(appoint(sales, 2), 'Conflict');
    const now = await db.repo(Department).get({ id: 10 });
    assert(now);
    await appoint(now, 2);
    await drain();
    assert.deepEqual((await held()).get(10), ['Bob', 'Bob@contoso.com']);
    await rejects(async () => embed('x', Employee, []), 'DefinitionInvalid');
    // @ts-expect-error no property of an employee
    await rejects(async () => embed('x', Employee, ['age']), 'DefinitionInvalid');
  });

  test('a change of what is not copied writes no copy', async () => {
    const { db, managers, Employee, Department, hire, found, drain } = await world({ whenDeleted: 'null' });
    const ann = await hire(1, 'Ann');
    await found(10, 1);
    await drain();
    const before = await db.repo(Department).get({ id: 10 });
    await db.repo(Employee).merge(ann, { salary: 2n });
    assert.equal((await managers.flow.figures(db)).pending, 0, 'and sends no message');
    assert.equal((await db.repo(Department).get({ id: 10 }))?.etag, before?.etag);
  });

  for (const [whenDeleted, expected] of [
    ['null', [undefined, undefined]],
    ['keep', ['Ann', 'Ann@contoso.com']],
  ] as const)
    test(`of a source that was deleted: ${whenDeleted}`, async () => {
      const { hire, found, fire, drain, held } = await world({ whenDeleted });
      const ann = await hire(1, 'Ann');
      await found(10, 1);
      await drain();
      await fire(ann);
      await drain();
      assert.deepEqual((await held()).get(10), expected);
    });

  test('of a source whose deletion is refused: a look before the deletion, and a finding for what came between', async () => {
    const { db, Employee, Department, managers, hire, found, fire, drain, faults, check } = await world({
      whenDeleted: 'refuse',
    });
    await rejects(found(10, 1), 'SourceMissing', { rowKey: 'employee!000001' });
    const ann = await hire(1, 'Ann');
    await found(10, 1);
    await rejects(fire(ann), 'SourceInUse', { rowKey: 'employee!000001' });
    await drain();
    await check();
    const plan = managers.explain(db, { id: 1 });
    assert.deepEqual([plan.where, plan.rows, plan.goesOn, plan.writer.length], ['remote', 99, true, 1]);
    // As a row that takes the source between the look and the deletion.
    const { version, table, props, partition, row } = Employee;
    await db.repo(entity('Employee', { version, table, props, partition, row })).delete(ann);
    assert.deepEqual(await faults({ repair: true }), [['dangling', 10, false]]);
    assert.equal((await db.repo(Department).get({ id: 10 }))?.value.managerName, undefined);
    assert.deepEqual(await faults(), [['dangling', 10, false]]);
  });

  test('more than a message changes are changed by the messages after it', { skip }, async () => {
    const { db, hire, rename, Department, drain, held, faults } = await world({ whenDeleted: 'null' });
    const ann = await hire(1, 'Ann');
    // By a program that knows nothing of copies.
    const { table, props, partition, row } = Department;
    const Unknowing = entity('Department', { version: 1, table, props, partition, row });
    for (const from of [0, 100, 200]) {
      const batch = db.batch(Unknowing, {});
      for (let id = from; id < from + (from === 200 ? 50 : 100); id++)
        batch.create(Unknowing, { id, managerId: 1 });
      await batch.commit();
    }
    assert.deepEqual(
      (await faults({ size: 60 })).map(([fault]) => fault),
      Array.from({ length: 250 }, () => 'missing'),
    );
    await rename(ann, 'Anna');
    const events = await drain(2);
    assert(events.filter(({ kind }) => kind === 'done').length >= 4, 'three pages of holders, and the hire');
    assert((await held()).size === 250 && [...(await held()).values()].every(([name]) => name === 'Anna'));
  });

  test('are repaired by an audit', async () => {
    const { db, managers, Employee, Department, hire, found, drain, faults, check } = await world({
      whenDeleted: 'null',
    });
    for (const id of [1, 2, 3]) await hire(id, `E${id}`);
    for (const id of [1, 2, 3]) await found(id, id);
    await drain();
    // By a program that knows nothing of copies.
    const { version, table, props, partition, row } = Employee;
    const around = db.repo(entity('Employee', { version, table, props, partition, row }));
    await around.upsertMerge({ id: 1, name: 'Around', salary: 1n });
    await around.delete({ key: { id: 2 }, etag: '*' });
    const bare = entity('Department', {
      version: 1,
      table: Department.table,
      props: { id: t.int32(), managerId: t.int32() },
      partition: Department.partition,
      row: Department.row,
    });
    await db.repo(bare).upsert({ id: 3, managerId: 3 });
    const wrong = [
      ['stale', 1],
      ['orphan', 2],
      ['missing', 3],
    ] as const;
    assert.deepEqual(
      await faults(),
      wrong.map(each => [...each, false]),
    );
    // Each page by a new audit, as after a crash.
    const found2: unknown[] = [];
    let resume: string | undefined;
    do {
      const { value } = await managers.audit(db, { repair: true, size: 1, resume }).next();
      assert(value);
      resume = value.next;
      for (const { fault, key: at } of value.findings) found2.push([fault, at?.id]);
    } while (resume !== undefined);
    assert.deepEqual(found2, wrong);
    await check();
  });

  test('are right after a storm, in a random graph, with two workers', { skip }, async () => {
    const made = await world({ whenDeleted: 'null' });
    const { db, Employee, Department, hire, rename, fire, found, appoint, workDuring, drain, check } = made;
    const chance = chanceOf(SEED);
    const below = (count: number): number => Math.floor(chance() * count);
    for (let id = 0; id < 5; id++) await hire(id, `E${id}`);
    for (let id = 0; id < 12; id++) await found(id, chance() < 0.2 ? undefined : below(5));
    const storm = async (): Promise<void> => {
      for (let at = 0; at < 15; at++) {
        const employee = await db.repo(Employee).get({ id: below(5) });
        const department = await db.repo(Department).get({ id: below(12) });
        const step = chance();
        const done =
          employee === undefined
            ? hire(below(5), `New${at}`)
            : step < 0.1
              ? fire(employee)
              : step < 0.6
                ? rename(employee, `E${below(1_000)}`)
                : department && appoint(department, chance() < 0.2 ? undefined : below(5));
        await done?.catch((thrown: { code?: string }) => {
          assert(['Conflict', 'NotFound', 'AlreadyExists'].includes(thrown.code ?? ''), String(thrown));
        });
      }
    };
    // A program may stand still between a message and its write.
    await workDuring(2, 600, () => Promise.all([storm(), storm()]));
    await drain(2);
    await check();
  });

  test('are right wherever a program ends', { skip }, async () => {
    const { opened, hire, rename, fire, found, appoint, drain, check } = await world({ whenDeleted: 'null' });
    const staff: Awaited<ReturnType<typeof hire>>[] = [];
    const departments: Awaited<ReturnType<typeof found>>[] = [];
    for (let id = 0; id < 24; id++) {
      staff.push(await hire(id, `E${id}`));
      departments.push(await found(id, id));
    }
    await drain();
    let at = 0;
    for (const fault of ['reset before', 'reset after'] as const)
      for (let request = 0; request < 3; request++) {
        const dying = (): Db =>
          opened(index => (index < request ? undefined : index === request ? fault : 'reset before'));
        const [a, b] = [staff[at], staff[at + 1]];
        const c = departments[at + 2];
        assert(a && b && c);
        await rename(a, 'Renamed', dying()).catch(() => undefined);
        await fire(b, dying()).catch(() => undefined);
        await appoint(c, 23, dying()).catch(() => undefined);
        await found(100 + at, 23, dying()).catch(() => undefined);
        at += 3;
      }
    await drain(2);
    await check();
  });
});
