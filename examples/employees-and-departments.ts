// The first example of the design guide: employees and departments in one table, the rows of a department in one partition, and the guide's four kinds of query
// from the cheapest to the most expensive.
import assert from 'node:assert/strict';
import { codec, entity, key, type Of, open, PatternError, t } from '#patterns';
import type { Example } from './example.js';

/** The guide's row of an employee: PartitionKey `Marketing`, RowKey `00001`. */
const Employee = entity('Employee', {
  version: 1,
  table: 'Staff',
  props: {
    department: t.string(),
    id: t.int32(),
    firstName: t.string().stored('FirstName'),
    lastName: t.string().stored('LastName'),
    age: t.int32().stored('Age'),
    email: t.string().stored('Email'),
  },
  partition: p => key(p.department),
  row: p => key(p.id.as(codec.int(5))),
});

/** The guide's row of a department, in the partition of its employees: RowKey `Department`. */
const Department = entity('Department', {
  version: 1,
  table: 'Staff',
  props: { name: t.string(), employeeCount: t.int32().stored('EmployeeCount') },
  partition: p => key(p.name),
  row: key('Department'),
});

const STAFF: readonly Of<typeof Employee>[] = [
  { department: 'Marketing', id: 1, firstName: 'Don', lastName: 'Hall', age: 34, email: 'donh@contoso.com' },
  { department: 'Marketing', id: 2, firstName: 'Jun', lastName: 'Cao', age: 47, email: 'junc@contoso.com' },
  { department: 'Sales', id: 10, firstName: 'Ken', lastName: 'Kwok', age: 23, email: 'kenk@contoso.com' },
];

export const employeesAndDepartments: Example = {
  title: 'Employees and departments: the first example of the design guide',
  async run(client, say) {
    await client.createTable(Employee.table);
    const db = open({ tables: client });
    const [employees, departments] = [db.repo(Employee), db.repo(Department)];
    for (const name of ['Marketing', 'Sales']) await departments.create({ name, employeeCount: 0 });

    /** The employee and the count of the department, together or not at all. */
    const hire = async (employee: Of<typeof Employee>): Promise<void> => {
      const department = await departments.get({ name: employee.department });
      assert(department);
      await db
        .batch(Employee, { department: employee.department })
        .create(Employee, employee)
        .merge(Department, department, { employeeCount: department.value.employeeCount + 1 })
        .commit();
    };
    for (const employee of STAFF) await hire(employee);

    const marketing = employees.partition({ department: 'Marketing' });
    const point = marketing.row({ id: 2 });
    const range = marketing.rows({}, { id: { ge: 1, le: 99 } });
    const scan = marketing.where(({ lastName }) => lastName.eq('Hall'));
    const everywhere = employees.scan().where(({ lastName }) => lastName.eq('Kwok'));
    const found = {
      'a point query': [point.explain().requests, await point.take(10)],
      'a range query': [range.explain().requests, await range.take(10)],
      'a partition scan': [scan.explain().requests, await scan.take(10)],
      'a table scan': [everywhere.explain().requests, await everywhere.allowScan('an example').take(10)],
    } as const;
    for (const [name, [[request], rows]] of Object.entries(found)) {
      say(`${name}: ${request}`);
      for (const { rowKey, value } of rows) say(`  ${rowKey} ${value.firstName} ${value.lastName}`);
    }
    assert.deepEqual(
      Object.values(found).map(([, rows]) => rows.map(({ value }) => value.id)),
      [[2], [1, 2], [1], [10]],
    );

    const [stale] = await departments.partition({ name: 'Marketing' }).take(1);
    assert.equal(stale?.value.employeeCount, 2);
    await departments.merge(stale, { employeeCount: 3 });
    const refused = await departments.merge(stale, { employeeCount: 4 }).catch((error: unknown) => error);
    assert(PatternError.is(refused, 'Conflict'));
    say(`A write of what another one changed: ${refused.message}`);
  },
};
