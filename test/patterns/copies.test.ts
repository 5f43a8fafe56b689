// Copies of a source in rows of another entity: equal to their sources when the flow is done, in a random graph, through storms of renames, and wherever a program ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { codec, type Db, entity, key, open, type StoredOf, t } from '#patterns';
import { copies, embed, type WhenDeleted } from '#patterns/copies';
import type { FlowEvent } from '#patterns/flows';
import { onlyIn } from '../support/at-length.js';
import { type FaultPlan, FaultyClient } from './faulty-client.js';
import { describePeers } from './peers.js';
import { rejects } from './rejects.js';
import { chanceOf, SEED } from './seeded.js';

/** Most workers begin after the writes. */
const AT_ONCE = { after: 0 } as const;
const skip = onlyIn('test:patterns');

/** Employees, and departments with copies of their managers, in tables of their own. */
function definitions(staff: string, departments: string, name: string, whenDeleted: WhenDeleted) {
  const Employee = entity('Employee', {
    version: 1,
    table: staff,
    props: { id: t.int32(), name: t.string(), email: t.string().optional(), salary: t.int64() },
    partition: key('employees'),
    row: p => key(p.id.as(codec.int(6))),
  });
  const manager = embed('manager', Employee, ['name', 'email']);
  const Department = entity('Department', {
    version: 1,
    table: departments,
    props: { id: t.int32(), managerId: t.int32().optional(), ...manager.props },
    partition: key('departments'),
    row: p => key(p.id.as(codec.int(6))),
  });
  const managers = copies(`managers-${name}`, {
    holder: Department,
    embedded: manager,
    keyOf: ({ managerId }) => (managerId === undefined ? undefined : { id: managerId }),
    whenDeleted,
    holders: (db, { id }) =>
      db
        .repo(Department)
        .partition({})
        .where(p => p.managerId.eq(id)),
  });
  return { Employee, Department, managers };
}

/** Each write with its message. */
function writesOf(db: Db, { Employee, Department, managers }: ReturnType<typeof definitions>) {
  type Employees = StoredOf<typeof Employee>;
  type Departments = StoredOf<typeof Department>;
  const hire = (id: number, name: string, by = db): Promise<Employees> =>
    managers.flow.write(
      by,
      managers.ofSource({ id }),
      own => own.repo(Employee).create({ id, name, email: `${name}@contoso.com`, salary: 1n }),
      AT_ONCE,
    );
  const rename = (row: Employees, name: string, by = db): Promise<Employees> =>
    managers.flow.write(
      by,
      managers.ofSource(row.value),
      own => own.repo(Employee).merge(row, { name }),
      AT_ONCE,
    );
  const fire = (row: Employees, by = db): Promise<void> =>
    managers.flow.write(by, managers.ofSource(row.value), own => own.repo(Employee).delete(row), {
      ...AT_ONCE,
      deletes: true,
    });
  const found = (id: number, managerId: number | undefined, by = db): Promise<Departments> =>
    managers.flow.write(
      by,
      managers.ofHolder({ id }),
      own => own.repo(Department).create({ id, ...(managerId !== undefined && { managerId }) }),
      AT_ONCE,
    );
  const appoint = (row: Departments, managerId: number | undefined, by = db): Promise<Departments> =>
    managers.flow.write(
      by,
      managers.ofHolder(row.value),
      own => own.repo(Department).merge(row, { managerId: managerId ?? null }),
      AT_ONCE,
    );
  return { hire, rename, fire, found, appoint };
}

describePeers('copies', peer => {
  let names = 0;
  /** Entities in tables of their own. */
  const world = async (whenDeleted: WhenDeleted) => {
    const [staff, departments] = [await peer.newTable(), await peer.newTable()];
    const defined = definitions(staff, departments, `${peer.name}-${++names}`, whenDeleted);
    const { Employee, Department, managers } = defined;
    const opened = (plan: FaultPlan = () => undefined): Db => {
      const httpClient = new FaultyClient(plan);
      return open({ tables: peer.client({ httpClient }), queues: peer.queues(httpClient) }, { httpClient });
    };
    const db = opened();
    await managers.flow.createQueues(db);
    const drain = async (workers = 1): Promise<readonly FlowEvent[]> => {
      const events: FlowEvent[] = [];
      const report = (event: FlowEvent) => events.push(event);
      const options = { grace: 3, secondLook: 1, concurrency: 8, rest: { base: 20, cap: 100 }, report };
      const running = Array.from({ length: workers }, () => managers.flow.worker(db, options));
      for (let at = 0; (await managers.flow.figures(db)).pending > 0; at++) {
        assert(at < 3_000, JSON.stringify(events.slice(0, 9)));
        await pause(50);
      }
      for (const worker of running) await worker.stop();
      assert.deepEqual(
        events.filter(({ kind }) => kind === 'poisoned'),
        [],
      );
      return events;
    };
    /** What copies are, by department. */
    const held = async () => {
      const rows = await db.repo(Department).partition({}).take(999);
      return new Map(rows.map(({ value }) => [value.id, [value.managerName, value.managerEmail]]));
    };
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
      for await (const finding of managers.audit(db)) assert.fail(JSON.stringify(finding));
    };
    return {
      db,
      opened,
      managers,
      Employee,
      Department,
      ...writesOf(db, defined),
      drain,
      held,
      check,
    };
  };

  test('have types, and follow the source and the one who has them', async () => {
    const { db, Employee, Department, hire, rename, found, appoint, drain, held } = await world('null');
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
    const { db, managers, Employee, Department, hire, found, drain } = await world('null');
    const ann = await hire(1, 'Ann');
    await found(10, 1);
    await drain();
    const before = await db.repo(Department).get({ id: 10 });
    await managers.flow.write(
      db,
      managers.ofSource({ id: 1 }),
      own => own.repo(Employee).merge(ann, { salary: 2n }),
      AT_ONCE,
    );
    await drain();
    assert.equal((await db.repo(Department).get({ id: 10 }))?.etag, before?.etag);
  });

  for (const [whenDeleted, expected] of [
    ['null', [undefined, undefined]],
    ['keep', ['Ann', 'Ann@contoso.com']],
  ] as const)
    test(`of a source that was deleted: ${whenDeleted}`, async () => {
      const { hire, found, fire, drain, held } = await world(whenDeleted);
      const ann = await hire(1, 'Ann');
      await found(10, 1);
      await drain();
      await fire(ann);
      await drain();
      assert.deepEqual((await held()).get(10), expected);
    });

  test('more than a message changes are changed by the messages after it', { skip }, async () => {
    const { db, hire, rename, Department, drain, held, managers } = await world('null');
    const ann = await hire(1, 'Ann');
    for (const from of [0, 100, 200]) {
      const batch = db.batch(Department, {});
      for (let id = from; id < from + (from === 200 ? 50 : 100); id++)
        batch.create(Department, { id, managerId: 1 });
      await batch.commit();
    }
    const faults = [];
    for await (const { key: at } of managers.audit(db)) faults.push(at.id);
    assert.equal(faults.length, 250);
    await rename(ann, 'Anna');
    const events = await drain(2);
    assert(events.filter(({ kind }) => kind === 'done').length >= 4, 'three pages of holders, and the hire');
    assert((await held()).size === 250 && [...(await held()).values()].every(([name]) => name === 'Anna'));
  });

  test('are repaired by an audit', async () => {
    const { db, managers, Employee, hire, found, drain, check } = await world('null');
    const ann = await hire(1, 'Ann');
    await found(10, 1);
    await drain();
    await db.repo(Employee).merge(ann, { name: 'Around' });
    const findings = [];
    for await (const { key: at, isRepaired } of managers.audit(db, { repair: true }))
      findings.push([at.id, isRepaired]);
    assert.deepEqual(findings, [[10, true]]);
    await check();
  });

  test('are right after a storm, in a random graph, with two workers', { skip }, async () => {
    const { db, Employee, Department, hire, rename, fire, found, appoint, drain, check } =
      await world('null');
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
    await Promise.all([storm(), storm(), drain(2)]);
    await drain(2);
    await check();
  });

  test('are right wherever a program ends', { skip }, async () => {
    const { opened, hire, rename, fire, found, appoint, drain, check } = await world('null');
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
