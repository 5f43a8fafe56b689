// Index entities: employees by last name, in the guide's three options. The second keeps a list of ids in the
// department's partition, in one transaction with the employee; the first and the third keep lists of all departments,
// in blobs and in other partitions, by a flow.
import assert from 'node:assert/strict';
import { BlobServiceClient } from '@azure/storage-blob';
import { QueueServiceClient } from '@azure/storage-queue';
import { codec, type Db, entity, key, open, t } from '#patterns';
import { auditLists, listed, listFlow, listOf } from '#patterns/lists';
import { drain } from './drain.js';
import type { Example } from './example.js';

const define = () =>
  entity('Employee', {
    version: 1,
    table: 'EmployeesByLastName',
    props: { department: t.string(), id: t.int32(), firstName: t.string(), lastName: t.string() },
    partition: p => key(p.department),
    row: p => key('employee', p.id.as(codec.int(6))),
  });
const Employee = define();
/** The definition of a program without lists. */
const WithoutLists = define();
const byLastName = listOf(Employee, 'byLastName', {
  where: 'same-partition',
  row: p => key('last', p.lastName),
});

const CONTAINER = 'employees-by-last-name';
const inBlobs = listOf(Employee, 'inBlobs', {
  where: 'blob',
  container: CONTAINER,
  blob: p => key(p.lastName),
});
const remote = listOf(Employee, 'remote', {
  where: 'remote',
  partition: p => key('last', p.lastName),
  row: key('list'),
});

/** A flow keeps the lists in other partitions and in blobs. */
const keeping = listFlow('employees-by-last-name', [inBlobs, remote]);

const EMPLOYEES = [
  [152, 'Ann', 'Jones'],
  [32, 'Bob', 'Jones'],
  [7, 'Cid', 'Smith'],
] as const;

/** The first names of the department's employees with this last name. */
async function namesOf(db: Db, say: (line: string) => void, lastName: string): Promise<readonly string[]> {
  const { rows, stale } = await listed(db, Employee, [byLastName]).find(byLastName, {
    department: 'Sales',
    lastName,
  });
  assert.deepEqual(stale, []);
  const names = rows.map(({ value }) => value.firstName);
  say(`  ${lastName}: ${names.join(', ')}`);
  return names;
}

/** The second option. */
async function inOnePartition(db: Db, say: (line: string) => void): Promise<void> {
  const staff = db.repo(Employee);
  for (const [id, firstName, lastName] of EMPLOYEES)
    await staff.create({ department: 'Sales', id, firstName, lastName });
  say('Each list is one point read, and each employee another:');
  assert.deepEqual(await namesOf(db, say, 'Jones'), ['Bob', 'Ann']);
  assert.deepEqual(await namesOf(db, say, 'Smith'), ['Cid']);

  say('Ann marries: one transaction of the employee and two lists.');
  await staff.mutate({ department: 'Sales', id: 152 }, ann => ann && { ...ann, lastName: 'Smith' });
  assert.deepEqual(await namesOf(db, say, 'Jones'), ['Bob']);
  assert.deepEqual(await namesOf(db, say, 'Smith'), ['Cid', 'Ann']);
}

/** The first and the third option: both name employees of all departments, when the queue is empty. */
async function overPartitions(db: Db, say: (line: string) => void): Promise<void> {
  const staff = listed(db, Employee, [inBlobs, remote]);
  const [dan] = [
    await staff.create({ department: 'IT', id: 9, firstName: 'Dan', lastName: 'Brown' }),
    await staff.create({ department: 'Marketing', id: 4, firstName: 'Eve', lastName: 'Brown' }),
  ];
  const assertNames = async (lastName: string, expected: readonly string[]): Promise<void> => {
    for (const list of [inBlobs, remote]) {
      const { rows, stale } = await staff.find(list, { lastName });
      assert.deepEqual([rows.map(({ value }) => value.firstName), stale], [expected, []]);
      say(`  ${lastName}, ${list.name}: ${expected.join(', ')}`);
    }
  };
  say('Lists of all departments, in blobs and in other partitions, once their flow is done:');
  await drain(db, keeping);
  await assertNames('Brown', ['Dan', 'Eve']);
  await staff.merge(dan, { lastName: 'White' });
  const { stale } = await staff.find(remote, { lastName: 'Brown' });
  assert.deepEqual(
    stale.map(({ fault }) => fault),
    ['moved'],
  );
  say('Dan marries: until the flow is done, his id stands in the old list, and readers leave it out.');
  await drain(db, keeping);
  await assertNames('Brown', ['Eve']);
  await assertNames('White', ['Dan']);
}

async function audited(db: Db, say: (line: string) => void): Promise<void> {
  say('A program that knows nothing of lists deletes Cid: readers leave him out, and an audit finds the id.');
  const cid = await db.repo(WithoutLists).get({ department: 'Sales', id: 7 });
  assert(cid);
  await db.repo(WithoutLists).delete(cid);
  const smiths = { department: 'Sales', lastName: 'Smith' };
  const { rows, stale } = await listed(db, Employee, [byLastName]).find(byLastName, smiths);
  assert.deepEqual([rows.length, stale.length], [1, 1]);
  for await (const { findings } of auditLists(db, byLastName, { repair: true }))
    for (const { fault, id } of findings) say(`  ${fault}: ${id}`);
  assert.deepEqual(await namesOf(db, say, 'Smith'), ['Ann']);
  say(byLastName.warnings.join(' '));
}

export const employeesByLastName: Example = {
  title: 'Index entities: employees by last name, in three ways',
  async run(client, say, connectionString) {
    await client.createTable(Employee.table);
    const queues = QueueServiceClient.fromConnectionString(connectionString);
    const blobs = BlobServiceClient.fromConnectionString(connectionString);
    await blobs.getContainerClient(CONTAINER).create();
    const db = open({ tables: client, queues, blobs });
    await keeping.createQueues(db);
    await inOnePartition(db, say);
    await overPartitions(db, say);
    await audited(db, say);
  },
};
