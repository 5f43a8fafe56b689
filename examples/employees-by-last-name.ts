// Index entities: the employees of a department by last name, of which the guide's second option keeps a list of ids in the department's partition.
import assert from 'node:assert/strict';
import { codec, entity, key, open, t } from '#patterns';
import { auditLists, listed, listOf } from '#patterns/lists';
import type { Example } from './example.js';

const Employee = entity('Employee', {
  version: 1,
  table: 'EmployeesByLastName',
  props: { department: t.string(), id: t.int32(), firstName: t.string(), lastName: t.string() },
  partition: p => key(p.department),
  row: p => key('employee', p.id.as(codec.int(6))),
});
const byLastName = listOf(Employee, 'byLastName', {
  where: 'same-partition',
  row: p => key('last', p.lastName),
});

const EMPLOYEES = [
  [152, 'Ann', 'Jones'],
  [32, 'Bob', 'Jones'],
  [7, 'Cid', 'Smith'],
] as const;

export const employeesByLastName: Example = {
  title: 'Index entities: the employees of a department by last name',
  async run(client, say) {
    await client.createTable(Employee.table);
    const db = open({ tables: client });
    const staff = listed(db, Employee, [byLastName]);
    for (const [id, firstName, lastName] of EMPLOYEES)
      await staff.create({ department: 'Sales', id, firstName, lastName });
    const namesOf = async (lastName: string): Promise<readonly string[]> => {
      const { rows, stale } = await staff.find(byLastName, { department: 'Sales', lastName });
      assert.deepEqual(stale, []);
      const names = rows.map(({ value }) => value.firstName);
      say(`  ${lastName}: ${names.join(', ')}`);
      return names;
    };

    say('Each list is one point read, and each employee another:');
    assert.deepEqual(await namesOf('Jones'), ['Bob', 'Ann']);
    assert.deepEqual(await namesOf('Smith'), ['Cid']);

    say('Ann marries: one transaction of the employee and two lists.');
    await staff.mutate({ department: 'Sales', id: 152 }, ann => ann && { ...ann, lastName: 'Smith' });
    assert.deepEqual(await namesOf('Jones'), ['Bob']);
    assert.deepEqual(await namesOf('Smith'), ['Cid', 'Ann']);

    say(
      'A program that knows nothing of lists deletes Cid: readers leave him out, and an audit finds the id.',
    );
    const cid = await db.repo(Employee).get({ department: 'Sales', id: 7 });
    assert(cid);
    await db.repo(Employee).delete(cid);
    const { rows, stale } = await staff.find(byLastName, { department: 'Sales', lastName: 'Smith' });
    assert.deepEqual([rows.length, stale.length], [1, 1]);
    for await (const { findings } of auditLists(db, byLastName, { repair: true }))
      for (const { fault, id } of findings) say(`  ${fault}: ${id}`);
    assert.deepEqual(await namesOf('Smith'), ['Ann']);
    say(byLastName.warnings.join(' '));
  },
};
