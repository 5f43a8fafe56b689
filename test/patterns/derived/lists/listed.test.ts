// Entities and their lists: equal after each write in the entity's partition, and in remote rows when the flow is done. matrix/ ends programs at every request, beside other writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, Instant, key, open, type StoredOf, t } from '#patterns';
import { change, deleteRows, writeAll } from '#patterns/bulk';
import { auditLists, type EntityList, listed, listFlow, listOf } from '#patterns/lists';
import { drained } from '../../flows/flow-setting.js';
import { column } from '../../support/column.js';
import { FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

/** Lists are kept from their definition on, so that each test has an entity of its own. */
const employees = () =>
  entity('Employee', {
    version: 1,
    table: 'Staff',
    props: {
      department: t.string(),
      id: t.int32(),
      lastName: t.string(),
      team: t.string().optional(),
      hired: t.instant().optional(),
    },
    partition: p => key(p.department),
    row: p => key('employee', p.id.as(codec.int(6))),
  });
type Employees = ReturnType<typeof employees>;
type Stored = StoredOf<Employees>;

const lastNames = (of: Employees) =>
  listOf(of, 'byLastName', { where: 'same-partition', row: p => key('last', p.lastName.as(codec.lower)) });
const teams = (of: Employees) =>
  listOf(of, 'byTeam', { where: 'same-partition', row: p => key('team', p.team) });
const allNames = (of: Employees) =>
  listOf(of, 'everywhere', {
    where: 'remote',
    partition: p => key('lastNames', p.lastName),
    row: key('list'),
  });
const days = (of: Employees) =>
  listOf(of, 'byDay', { where: 'remote', partition: key('days'), row: p => key('day', p.hired) });
const jones = { department: 'Sales', lastName: 'Jones' };

describePeers('entities with lists', peer => {
  const opened = () => {
    const httpClient = new FaultyClient();
    return { db: peer.open({ httpClient }), httpClient };
  };
  let flows = 0;
  /** The ids of what a list has, and what is stale in it. */
  const members = async <K>(
    {
      find,
    }: {
      find: (
        list: EntityList<Employees, K>,
        key: K,
      ) => Promise<{ rows: readonly Stored[]; stale: readonly unknown[] }>;
    },
    list: EntityList<Employees, K>,
    at: K,
  ): Promise<readonly number[]> => {
    const { rows, stale } = await find(list, at);
    assert.deepEqual(stale, []);
    return rows.map(({ value }) => value.id);
  };

  test('a list in the partition follows each write, in one transaction with it', async () => {
    const Employee = employees();
    const [byLastName, byTeam] = [lastNames(Employee), teams(Employee)];
    const table = await peer.newTable();
    const { db, httpClient } = opened();
    const staff = listed(db, Employee, [byLastName, byTeam], { table });
    const has = <K>(list: EntityList<Employees, K>, at: K) =>
      members({ find: (each, its) => staff.find(each, its) }, list, at);
    httpClient.count = 0;
    const ann = await staff.create({ ...jones, id: 1 });
    assert.equal(httpClient.count, 2, 'the list is read, and the transaction sent');
    await staff.create({ ...jones, lastName: 'JONES', id: 2, team: 'a' });
    assert.deepEqual(await has(byLastName, jones), [1, 2]);
    assert.deepEqual(await has(byTeam, { department: 'Sales', team: 'a' }), [2]);
    httpClient.count = 0;
    const smith = await staff.merge(ann, { lastName: 'Smith', team: 'a' });
    assert.equal(httpClient.count, 4, 'three lists are read');
    assert.deepEqual(await has(byLastName, jones), [2]);
    assert.deepEqual(await has(byLastName, { ...jones, lastName: 'smith' }), [1]);
    assert.deepEqual(await has(byTeam, { department: 'Sales', team: 'a' }), [1, 2]);
    httpClient.count = 0;
    const same = await staff.replace(smith, { ...smith.value, lastName: 'SMITH' });
    assert.equal(httpClient.count, 1, 'no list changes');
    await rejects(staff.merge(ann, { lastName: 'Old' }), 'Conflict');
    await rejects(staff.create({ ...jones, id: 1 }), 'AlreadyExists');
    assert.deepEqual(await staff.ids(byLastName, { ...jones, lastName: 'Old' }), []);
    await staff.mutate({ department: 'Sales', id: 2 }, value => value && { ...value, lastName: 'Smith' });
    assert.deepEqual(await staff.ids(byLastName, { ...jones, lastName: 'Smith' }), [
      'employee!000001',
      'employee!000002',
    ]);
    await staff.delete(same);
    assert.deepEqual(await has(byLastName, { ...jones, lastName: 'Smith' }), [2]);
    const partition = await db.repo(Employee, { table }).partition({ department: 'Sales' }).take(9);
    assert.equal(partition.length, 1, 'rows of lists are none of the entity');
  });

  test('a list in the partition is kept by whatever writes the row, or the write is refused', async () => {
    const table = await peer.newTable();
    const { db, httpClient } = opened();
    const Employee = employees();
    const byLastName = lastNames(Employee);
    const repo = db.repo(Employee, { table });
    const row = (id: number, lastName = 'Jones') => ({ department: 'Sales', id, lastName });
    const at = (id: number) => ({ key: { department: 'Sales', id }, etag: '*' });
    const check = async (expected: readonly number[], lastName = 'Jones'): Promise<void> => {
      const { rows, stale } = await listed(db, Employee, [byLastName], { table }).find(byLastName, {
        ...jones,
        lastName,
      });
      assert.deepEqual([rows.map(({ value }) => value.id), stale], [expected, []]);
      for await (const { findings } of auditLists(db, byLastName, { table })) assert.deepEqual(findings, []);
    };
    for (const id of [1, 2, 3, 4, 5, 6, 7]) await repo.create(row(id));
    await repo.replace(at(1), row(1, 'Smith'));
    await repo.merge(at(2), { lastName: 'Smith' });
    await repo.upsert(row(3, 'Smith'));
    await repo.upsertMerge(row(4, 'Smith'));
    await repo.upsertMerge(row(8));
    await repo.delete(at(5));
    await repo.deleteIfExists(at(6));
    await repo.deleteIfExists(at(66));
    await repo.mutate({ department: 'Sales', id: 7 }, now => now && { ...now, lastName: 'Brown' });
    await check([8]);
    await check([1, 2, 3, 4], 'Smith');
    const seven = await repo.get({ department: 'Sales', id: 7 });
    assert(seven);
    const changes = [
      change.merge(Employee, seven, { lastName: 'Jones' }, { table }),
      change.create(Employee, row(9), { table }),
      change.upsert(Employee, row(1), { table }),
    ];
    for await (const report of writeAll(db, changes)) assert.equal(report.kind, 'done');
    await check([1, 7, 8, 9]);
    const smiths = repo.partition({ department: 'Sales' }).where(p => p.lastName.eq('Smith'));
    for await (const _ of deleteRows(db, smiths, { conditional: true }));
    await check([], 'Smith');
    httpClient.count = 0;
    const batch = () => db.batch(Employee, { department: 'Sales' }, { table });
    for (const act of [
      () => batch().create(Employee, row(10)),
      () => batch().upsert(Employee, row(10)),
      () => batch().delete(Employee, at(1)),
    ])
      await rejects(async () => act(), 'NotInBatch', { entity: 'Employee', derivation: 'byLastName' });
    assert.equal(httpClient.count, 0);
  });

  test('an entity that went around its list is left out, and named', async () => {
    const Employee = employees();
    const byLastName = lastNames(Employee);
    const table = await peer.newTable();
    const { db } = opened();
    const staff = listed(db, Employee, [byLastName], { table });
    const [, bob, cid] = [1, 2, 3].map(id => staff.create({ ...jones, id }).catch(() => undefined));
    // By a program that knows nothing of the list.
    const around = db.repo(employees(), { table });
    await staff.create({ ...jones, id: 4 });
    const [two, three] = [await bob, await cid];
    assert(two && three);
    await around.delete(two);
    await around.merge(three, { lastName: 'Smith' });
    const { rows, stale } = await staff.find(byLastName, jones);
    assert.deepEqual(column(rows, 'id'), [1, 4]);
    assert.deepEqual(stale, [
      { id: 'employee!000002', fault: 'gone' },
      { id: 'employee!000003', fault: 'moved' },
    ]);
    const wrong = [
      ['missing', 'employee!000003', 'Smith'],
      ['orphan', 'employee!000002', 'Jones'],
      ['orphan', 'employee!000003', 'Jones'],
    ];
    const audited = async (repair: boolean) => {
      const found: unknown[] = [];
      let resume: string | undefined;
      // Each page by a new audit, as after a crash.
      do {
        const { value } = await auditLists(db, byLastName, { table, repair, size: 1, resume }).next();
        assert(value);
        resume = value.next;
        for (const { fault, id, key: at, isRepaired } of value.findings) {
          assert.equal(isRepaired, repair);
          found.push([fault, id, at?.lastName]);
        }
      } while (resume !== undefined);
      return found;
    };
    assert.deepEqual(await audited(false), wrong);
    assert.deepEqual(await audited(true), wrong);
    assert.deepEqual(await audited(false), []);
    assert.deepEqual(await staff.ids(byLastName, { ...jones, lastName: 'Smith' }), ['employee!000003']);
    await rejects(auditLists(db, byLastName, { resume: 'x' }).next(), 'TokenMismatch');
  });

  test('remote lists are equal when the flow is done', async () => {
    const Employee = employees();
    const [everywhere, byDay] = [allNames(Employee), days(Employee)];
    const table = await peer.newTable();
    const { db } = opened();
    const follower = listFlow(`lists-${++flows}-${peer.name}`, [everywhere, byDay]);
    await follower.createQueues(db);
    const staff = listed(db, Employee, [everywhere, byDay], { table });
    const day = Instant.parse('2026-11-23T00:00:00.1234567Z');
    const ann = await staff.create({ ...jones, id: 1, hired: day });
    await staff.create({ department: 'IT', id: 7, lastName: 'Jones' });
    await drained(db, follower);
    const [early] = (await staff.find(byDay, { hired: day })).rows;
    assert.equal(early?.value.id, 1);
    await staff.merge(ann, { lastName: 'Smith' });
    const gone = await staff.create({ department: 'IT', id: 8, lastName: 'Jones' });
    await staff.delete(gone);
    await rejects(staff.create({ department: 'IT', id: 7, lastName: 'Jones' }), 'AlreadyExists');
    await drained(db, follower);
    for (const each of [everywhere, byDay])
      for await (const { findings } of auditLists(db, each, { table })) assert.deepEqual(findings, []);
    const found = await staff.find(everywhere, { lastName: 'Jones' });
    assert.deepEqual(
      found.rows.map(({ value }) => [value.department, value.id]),
      [['IT', 7]],
    );
    assert.deepEqual(found.stale, []);
    assert.deepEqual(column((await staff.find(everywhere, { lastName: 'Smith' })).rows, 'id'), [1]);
    assert.deepEqual(column((await staff.find(byDay, { hired: day })).rows, 'id'), [1]);
  });

  test('what could not work is refused', async () => {
    const Employee = employees();
    const [byLastName, everywhere] = [lastNames(Employee), allNames(Employee)];
    const { db } = opened();
    await rejects(db.repo(Employee).create({ ...jones, id: 1 }), 'DefinitionInvalid');
    listFlow('followed', [everywhere]);
    await rejects(async () => listFlow('again', [everywhere]), 'DefinitionInvalid');
    await rejects(async () => listFlow('near', [byLastName]), 'DefinitionInvalid');
    await rejects(
      async () =>
        listOf(Employee, 'same', { where: 'same-partition', row: p => key('employee', p.lastName) }),
      'DefinitionInvalid',
    );
    await rejects(
      async () => listOf(Employee, 'blobs', { where: 'blob', container: 'A', blob: p => key(p.lastName) }),
      'DefinitionInvalid',
    );
    const inBlobs = listOf(Employee, 'blobs', {
      where: 'blob',
      container: 'names',
      blob: p => key(p.lastName),
    });
    const withoutBlobs = open({ tables: peer.client() });
    await rejects(async () => listed(withoutBlobs, Employee, [inBlobs]), 'DefinitionInvalid');
    // @ts-expect-error a list needs a key in the partition of its entities
    await rejects(async () => listOf(Employee, 'wrong', { where: 'same-partition' }), 'DefinitionInvalid');
    await rejects(async () => listed(db, Employee, []).ids(byLastName, jones), 'DefinitionInvalid');
  });
});
