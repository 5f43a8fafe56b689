// The guide's inter-partition secondary index: employees of all departments by e-mail and by last name. The index rows
// are in other partitions, and a flow keeps them.
import assert from 'node:assert/strict';
import { QueueServiceClient } from '@azure/storage-queue';
import { codec, entity, key, open, t } from '#patterns';
import { indexFlow, remote } from '#patterns/indexes';
import { drain } from './drain.js';
import type { Example } from './example.js';

/**
 * PartitionKey `Sales`, RowKey `empid!000223`; in the indexes PartitionKey `jonesj@contoso.0com`, in a table of its
 * own, and `last!Jones`.
 */
const Employee = entity('Employee', {
  version: 1,
  table: 'Everybody',
  props: { department: t.string(), id: t.int32(), lastName: t.string(), email: t.string() },
  partition: p => key(p.department),
  row: p => key('empid', p.id.as(codec.int(6))),
  indexes: {
    byEmail: {
      kind: remote,
      table: 'EverybodyByEmail',
      partition: p => key(p.email.as(codec.lower)),
      row: key('employee'),
    },
    byLastName: {
      kind: remote,
      partition: p => key('last', p.lastName),
      row: key('employee'),
      project: 'all',
    },
  },
});

const STAFF = [
  { department: 'Sales', id: 223, lastName: 'Jones', email: 'JonesJ@contoso.com' },
  { department: 'IT', id: 12, lastName: 'Jones', email: 'jonesa@contoso.com' },
  { department: 'Marketing', id: 7, lastName: 'Kwok', email: 'kwok@contoso.com' },
] as const;

export const employeesOfAllDepartments: Example = {
  title: 'Indexes in other partitions: employees of all departments by e-mail and by last name',
  async run(client, say, connectionString) {
    for (const table of ['Everybody', 'EverybodyByEmail']) await client.createTable(table);
    const db = open({ tables: client, queues: QueueServiceClient.fromConnectionString(connectionString) });
    const keeping = indexFlow(Employee);
    await keeping.createQueues(db);
    const staff = db.repo(Employee);
    for (const employee of STAFF) await staff.create(employee);
    say(`${(await keeping.figures(db)).pending} messages are in the queue, and the indexes have no rows yet`);
    const joneses = staff.index('byLastName', 'verified').partition({ lastName: 'Jones' });
    const idsOfJoneses = async (): Promise<readonly number[]> =>
      (await joneses.take(10)).map(({ value }) => value.id);
    assert.deepEqual(await idsOfJoneses(), []);
    await drain(db, keeping);

    const byEmail = staff.index('byEmail', 'index-only').partition({ email: 'jonesj@CONTOSO.com' });
    say(`By e-mail: ${byEmail.explain().class}, ${byEmail.explain().requests.join()}`);
    const hit = await byEmail.first();
    assert(hit);
    const jones = await staff.get(hit.value);
    assert.equal(jones?.value.department, 'Sales');
    say(`  ${jones.value.lastName} in ${jones.value.department}`);
    say(`By last name: ${joneses.explain().class}, ${joneses.explain().filter}`);
    assert.deepEqual(await idsOfJoneses(), [12, 223]);

    await staff.merge(jones, { lastName: 'Smith', email: 'smithj@contoso.com' });
    assert.deepEqual(await idsOfJoneses(), [12]);
    assert(await byEmail.first());
    say(
      'Jones is called Smith now. A fresh read leaves him out at once, and one as of the last message still has him.',
    );
    await drain(db, keeping);
    assert.equal(await byEmail.first(), undefined);
    const [smith] = await staff.index('byLastName', 'index-only').partition({ lastName: 'Smith' }).take(10);
    assert.equal(smith?.value.id, 223);
    say('When the queue is empty, both indexes are what the rows say.');
  },
};
