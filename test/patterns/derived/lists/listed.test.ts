// Entities and their lists: equal after each write in the entity's partition, and in remote rows and blobs when the flow is done. matrix/ ends programs at every request, beside other writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, Instant, key, open, t } from '#patterns';
import { auditLists, listed, listFlow, listOf } from '#patterns/lists';
import { type EntityList, storedLists } from '../../../../packages/patterns/derived/lists/entity-list.js';
import { Db as Opened } from '../../../../packages/patterns/repo/open.js';
import { onlyIn } from '../../../support/slow.js';
import { drained } from '../../flows/flow-setting.js';
import { collect, findingsOf, pageByPage } from '../../support/collect.js';
import { column } from '../../support/column.js';
import { describePeers, fresh } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';

/** Lists are kept from their definition on, so that each test has an entity of its own. */
const employees = () =>
  entity('Employee', {
    version: 1,
    table: 'Staff',
    props: {
      department: t.string(),
      id: t.int32(),
      lastName: t.string().stored('LastName'),
      team: t.string().optional(),
      hired: t.instant().optional(),
    },
    partition: p => key(p.department),
    row: p => key('employee', p.id.as(codec.int(6))),
  });
type Employees = ReturnType<typeof employees>;

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
/** Their keys do not give the names back as they were. */
const inBlobs = (of: Employees, container: string) =>
  listOf(of, 'lastNames', { where: 'blob', container, blob: p => key('last', p.lastName.as(codec.lower)) });

const jones = { department: 'Sales', lastName: 'Jones' };
const at = (id: number) => ({ key: { department: 'Sales', id }, etag: '*' });

interface Found {
  readonly rows: readonly { readonly value: { readonly id: number } }[];
  readonly stale: readonly unknown[];
}
/** The ids of what a list has, none of which is stale. */
const members = ({ rows, stale }: Found): readonly number[] => {
  assert.deepEqual(stale, []);
  return column(rows, 'id');
};

describePeers('entities with lists', peer => {
  let names = 0;
  const newName = (what: string): string => `${what}-${peer.name}-${++names}`;
  const skip = onlyIn('patterns');

  test('a list in the partition follows each write, in one transaction with it', async () => {
    const Employee = employees();
    const [byLastName, byTeam] = [lastNames(Employee), teams(Employee)];
    const { db, table, repo, httpClient } = await fresh(peer, Employee);
    const staff = listed(db, Employee, [byLastName, byTeam], { table });
    const named = async (lastName: string) => members(await staff.find(byLastName, { ...jones, lastName }));
    const inTeam = async (team: string) => members(await staff.find(byTeam, { ...jones, team }));
    const counted = async <T>(requests: number, write: () => Promise<T>): Promise<T> => {
      httpClient.count = 0;
      const written = await write();
      assert.equal(httpClient.count, requests);
      return written;
    };
    // The list is read, and the transaction sent.
    const ann = await counted(2, () => staff.create({ ...jones, id: 1 }));
    await staff.create({ ...jones, lastName: 'JONES', id: 2, team: 'a' });
    assert.deepEqual([await named('Jones'), await inTeam('a')], [[1, 2], [2]]);
    // Three lists are read.
    const smith = await counted(4, () => staff.merge(ann, { lastName: 'Smith', team: 'a' }));
    assert.deepEqual([await named('Jones'), await named('smith'), await inTeam('a')], [[2], [1], [1, 2]]);
    // No list changes.
    const same = await counted(1, () => staff.replace(smith, { ...smith.value, lastName: 'SMITH' }));
    await rejects(staff.merge(ann, { lastName: 'Old' }), 'Conflict');
    await rejects(staff.create({ ...jones, id: 1 }), 'AlreadyExists');
    assert.deepEqual(await staff.ids(byLastName, { ...jones, lastName: 'Old' }), []);
    await staff.mutate({ department: 'Sales', id: 2 }, value => value && { ...value, lastName: 'Smith' });
    const ids = await staff.ids(byLastName, { ...jones, lastName: 'Smith' });
    assert.deepEqual(ids, ['employee!000001', 'employee!000002']);
    await staff.delete(same);
    assert.deepEqual(await named('Smith'), [2]);
    // Rows of lists are none of the entity.
    assert.equal((await repo.partition(jones).take(9)).length, 1);
  });

  test('a list in the partition is in no batch', async () => {
    const Employee = employees();
    lastNames(Employee);
    const { db, table, httpClient } = await fresh(peer, Employee);
    const row = { ...jones, id: 10 };
    const batch = () => db.batch(Employee, { department: 'Sales' }, { table });
    for (const act of [
      () => batch().create(Employee, row),
      () => batch().upsert(Employee, row),
      () => batch().delete(Employee, at(1)),
    ])
      refuses(act, 'NotInBatch', { entity: 'Employee', derivation: 'byLastName' });
    assert.equal(httpClient.count, 0);
  });

  test('writers of lists of one key in two tables are counted apart', async () => {
    const Employee = employees();
    const byLastName = lastNames(Employee);
    for (const { db, table } of [await fresh(peer, Employee), await fresh(peer, Employee)]) {
      const staff = listed(db, Employee, [byLastName], { table });
      await staff.create({ ...jones, id: 1 });
      assert(staff.contention().every(({ attempts }) => attempts === 1));
    }
  });

  test('an entity that went around its list is left out, and named', async () => {
    const Employee = employees();
    const byLastName = lastNames(Employee);
    const { db, table } = await fresh(peer, Employee);
    const staff = listed(db, Employee, [byLastName], { table });
    for (const id of [1, 2, 3, 4]) await staff.create({ ...jones, id });
    // By a program that knows nothing of the list.
    const around = db.repo(employees(), { table });
    await around.delete(at(2));
    await around.merge(at(3), { lastName: 'Smith' });
    const { rows, stale } = await staff.find(byLastName, jones);
    assert.deepEqual(column(rows, 'id'), [1, 4]);
    assert.deepEqual(stale, [
      { id: 'employee!000002', fault: 'gone' },
      { id: 'employee!000003', fault: 'moved' },
    ]);
    const audited = async (repair: boolean) => {
      const pages = await pageByPage(resume =>
        auditLists(db, byLastName, { table, repair, size: 1, resume }),
      );
      return pages.flatMap(({ findings }) =>
        findings.map(({ fault, id, key: of, isRepaired }) => [fault, id, of?.lastName, isRepaired]),
      );
    };
    for (const repair of [false, true])
      assert.deepEqual(await audited(repair), [
        ['missing', 'employee!000003', 'Smith', repair],
        ['orphan', 'employee!000002', 'Jones', repair],
        ['orphan', 'employee!000003', 'Jones', repair],
      ]);
    assert.deepEqual(await audited(false), []);
    assert.deepEqual(await staff.ids(byLastName, { ...jones, lastName: 'Smith' }), ['employee!000003']);
    await rejects(auditLists(db, byLastName, { resume: 'x' }).next(), 'TokenMismatch');
  });

  test('remote lists are equal when the flow is done', async () => {
    const Employee = employees();
    const [everywhere, byDay] = [allNames(Employee), days(Employee)];
    const { db, table } = await fresh(peer, Employee, { announceAfter: 0 });
    const follower = listFlow(newName('lists'), [everywhere, byDay]);
    await follower.createQueues(db);
    const staff = listed(db, Employee, [everywhere, byDay], { table });
    const day = Instant.parse('2026-11-23T00:00:00.1234567Z');
    const ann = await staff.create({ ...jones, id: 1, hired: day });
    await staff.create({ department: 'IT', id: 7, lastName: 'Jones' });
    await drained(db, follower);
    assert.deepEqual(members(await staff.find(byDay, { hired: day })), [1]);
    await staff.merge(ann, { lastName: 'Smith' });
    const gone = await staff.create({ department: 'IT', id: 8, lastName: 'Jones' });
    await staff.delete(gone);
    await rejects(staff.create({ department: 'IT', id: 7, lastName: 'Jones' }), 'AlreadyExists');
    await drained(db, follower);
    for (const each of [everywhere, byDay])
      assert.deepEqual(await findingsOf(auditLists(db, each, { table })), []);
    assert.deepEqual(members(await staff.find(everywhere, { lastName: 'Jones' })), [7]);
    assert.deepEqual(members(await staff.find(everywhere, { lastName: 'Smith' })), [1]);
    assert.deepEqual(members(await staff.find(byDay, { hired: day })), [1]);
  });

  /** Lists in the blobs of a container, which is not there yet. */
  const blobWorld = async () => {
    const Employee = employees();
    const container = newName('lists');
    const list = inBlobs(Employee, container);
    const { db, table, raw } = await fresh(peer, Employee, { announceAfter: 0 });
    const flow = listFlow(newName('names'), [list]);
    await flow.createQueues(db);
    const staff = listed(db, Employee, [list], { table });
    const blobs = peer.blobs().getContainerClient(container);
    return { db, table, raw, staff, list, blobs, follow: () => drained(db, flow) };
  };

  test('lists in blobs have the ids of entities when the flow is done', { skip }, async () => {
    const { staff, list, blobs, follow } = await blobWorld();
    await rejects(staff.ids(list, jones), 'ServiceRefused', {
      code: 'ContainerNotFound',
      text: `There is no container ${blobs.containerName}.`,
    });
    await blobs.create();
    assert.deepEqual(await staff.ids(list, jones), []);
    const made = [];
    for (const department of ['IT', 'Sales'])
      for (const id of [1, 2, 3, 4]) made.push(await staff.create({ department, id, lastName: 'Jones' }));
    await follow();
    const [first, second, ...others] = made;
    assert(first && second);
    assert.equal((await staff.find(list, jones)).rows.length, 8);
    await staff.merge(first, { lastName: 'Smith/?#' });
    await staff.delete(second);
    // Until the flow is done.
    const early = await staff.find(list, jones);
    assert.deepEqual(
      early.stale.map(({ fault }) => fault),
      ['moved', 'gone'],
    );
    await follow();
    assert.equal(members(await staff.find(list, jones)).length, 6);
    assert.deepEqual(members(await staff.find(list, { lastName: 'Smith/?#' })), [1]);
    for (const each of others) await staff.delete(each);
    await follow();
    // A list without ids has no blob.
    assert.equal((await collect(blobs.listBlobsFlat())).length, 1);
  });

  test('lists in blobs are audited: what is missing, is too much, and is no list', { skip }, async () => {
    const { db, table, raw, staff, list, blobs, follow } = await blobWorld();
    await blobs.create();
    for (const [id, lastName] of [
      [1, 'Jones'],
      [2, 'JONES'],
      [3, 'Smith'],
    ] as const)
      await staff.create({ department: 'IT', id, lastName });
    const audited = async (repair: boolean) => {
      const pages = await pageByPage(resume => auditLists(db, list, { table, repair, size: 1, resume }));
      return {
        found: pages.flatMap(({ findings }) =>
          findings.map(({ fault, rowKey, id }) => [fault, rowKey, id?.slice(-1)]),
        ),
        repaired: pages.reduce((sum, each) => sum + each.repaired, 0),
        age: typeof pages.at(-1)?.oldest,
      };
    };
    // No worker has run yet.
    const early = [
      ['missing', 'last!jones', '1'],
      ['missing', 'last!jones', '2'],
      ['missing', 'last!smith', '3'],
    ];
    assert.deepEqual(await audited(false), { found: early, repaired: 0, age: 'number' });
    await follow();
    assert.deepEqual(await audited(false), { found: [], repaired: 0, age: 'undefined' });
    for (const name of ['last!zz', 'beside the lists'])
      await blobs.getBlockBlobClient(name).upload('none', 4);
    // By a program that knows nothing of the lists.
    const inIt = (id: number) => ({ partitionKey: 'IT', rowKey: `employee!00000${id}` });
    await raw.deleteEntity('IT', inIt(1).rowKey);
    await raw.updateEntity({ ...inIt(3), LastName: 'Jones' }, 'Merge');
    await raw.updateEntity({ ...inIt(2), LastName: 7 }, 'Merge');
    const [row, blob] = [inIt(2).rowKey, 'last!zz'].map(name => ['unreadable', name, undefined]);
    const wrong = [
      row,
      ['missing', 'last!jones', '3'],
      ['orphan', 'last!jones', '1'],
      ['orphan', 'last!smith', '3'],
      blob,
    ];
    assert.deepEqual(await audited(false), { found: wrong, repaired: 0, age: 'undefined' });
    assert.deepEqual(await audited(true), { found: wrong, repaired: 3, age: 'undefined' });
    assert.deepEqual(await audited(false), { found: [row, blob], repaired: 0, age: 'undefined' });
    const { value } = await auditLists(db, list, { table, size: 1 }).next();
    const other = allNames(employees());
    await rejects(auditLists(db, other, { table, resume: value?.next }).next(), 'TokenMismatch');
  });

  test('lists in blobs are as long as blobs may be', { skip }, async () => {
    const { db, staff, list, blobs } = await blobWorld();
    await blobs.create();
    const listOf = storedLists(Opened.serviceOf(db), list as unknown as EntityList, 'Staff');
    const [long, hot] = [listOf({ lastName: 'long' }), listOf({ lastName: 'hot' })];
    const ids = Array.from(
      { length: 100_000 },
      (_, n) => `Sales\u0000employee!${String(n).padStart(6, '0')}`,
    );
    await long.change(new Map(ids.map(id => [id, true])));
    assert.deepEqual(await long.ids(), ids);
    await long.change(new Map([['Sales\u0000employee!0500005', true]]));
    assert.equal((await long.ids()).length, 100_001);
    const few = ['a', 'b', 'c', 'd'];
    await Promise.all(few.map(id => hot.change(new Map([[id, true]]))));
    assert.deepEqual(await hot.ids(), few);
    const [first] = staff.contention();
    assert(first?.list === 'last!hot' && first.conflicts > 0, JSON.stringify(first));
    await blobs.getBlockBlobClient(long.address.rowKey).upload('zz', 2);
    const address = { table: blobs.containerName, rowKey: 'last!long' };
    await rejects(long.ids(), 'RowUnreadable', address);
  });

  test('what could not work is refused', async () => {
    const Employee = employees();
    const [byLastName, everywhere] = [lastNames(Employee), allNames(Employee)];
    const db = peer.open();
    await rejects(db.repo(Employee).create({ ...jones, id: 1 }), 'DefinitionInvalid');
    listFlow('followed', [everywhere]);
    const blobs = inBlobs(Employee, 'names');
    for (const refused of [
      () => listFlow('again', [everywhere]),
      () => listFlow('near', [byLastName]),
      () => listOf(Employee, 'same', { where: 'same-partition', row: p => key('employee', p.lastName) }),
      () => listOf(Employee, 'blobs', { where: 'blob', container: 'A', blob: p => key(p.lastName) }),
      () => listed(open({ tables: peer.client() }), Employee, [blobs]),
      // @ts-expect-error a list needs a key in the partition of its entities
      () => listOf(Employee, 'wrong', { where: 'same-partition' }),
    ])
      refuses(refused, 'DefinitionInvalid');
    await rejects(async () => listed(db, Employee, []).ids(byLastName, jones), 'DefinitionInvalid');
  });
});
