// How many employees each department has, as the guide discusses it with one-to-many relationships: in the department's
// partition by one transaction with each employee; in another partition by a flow that counts, and that also moves
// employees who leave to the archive.
import assert from 'node:assert/strict';
import { QueueServiceClient } from '@azure/storage-queue';
import { codec, type Db, entity, key, type Of, open, PatternError, t } from '#patterns';
import { flow, follow, move, type Step, type StepResult } from '#patterns/flows';
import { mixed } from '#patterns/mixed';
import { drain } from './drain.js';
import type { Example } from './example.js';

const Employee = entity('Employee', {
  version: 1,
  table: 'Counted',
  props: { department: t.string(), id: t.int32(), name: t.string() },
  partition: p => key(p.department),
  row: p => key('employee', p.id.as(codec.int(6))),
});
type EmployeeValue = Of<typeof Employee>;

const departmentProps = { name: t.string(), employeeCount: t.int32() };
/** In the partition of its employees. */
const Department = entity('Department', {
  version: 1,
  table: 'Counted',
  props: departmentProps,
  partition: p => key(p.name),
  row: key('department'),
});
/** In a table of its own. */
const RemoteDepartment = entity('RemoteDepartment', {
  version: 1,
  table: 'Departments',
  props: departmentProps,
  partition: key('departments'),
  row: p => key(p.name),
});

/** The employee and the count, together or not at all; retried if a concurrent writer hired in between. */
async function hire(db: Db, employee: EmployeeValue): Promise<void> {
  for (;;) {
    const department = await db.repo(Department).get({ name: employee.department });
    assert(department);
    const batch = db
      .batch(Employee, { department: employee.department })
      .create(Employee, employee)
      .merge(Department, department, { employeeCount: department.value.employeeCount + 1 });
    try {
      await batch.commit();
      return;
    } catch (thrown) {
      const isLost = PatternError.is(thrown, 'BatchFailed') && thrown.detail.reason === 'Conflict';
      if (!isLost) throw thrown;
    }
  }
}

/**
 * Counts the rows and writes their number. It adds nothing to the old number, so it may run twice, late and in two
 * workers at a time.
 */
async function count(db: Db, name: string): Promise<void> {
  const departments = db.repo(RemoteDepartment);
  for (;;) {
    const department = await departments.get({ name });
    if (department === undefined) return;
    let employeeCount = 0;
    for await (const _ of db.repo(Employee, { table: 'Employees' }).partition({ department: name }))
      employeeCount++;
    try {
      // Written under the ETag from before the count, even if the number is the same: a worker that counted earlier and
      // writes later is refused.
      await departments.merge(department, { employeeCount });
      return;
    } catch (thrown) {
      if (!PatternError.is(thrown, 'Conflict')) throw thrown;
    }
  }
}

interface EmployeeKey {
  readonly [part: string]: string | number;
  readonly department: string;
  readonly id: number;
}

const isKey = (value: unknown): value is EmployeeKey =>
  typeof value === 'object' && value !== null && 'department' in value && 'id' in value;

/** Any validator of Standard Schema does; this one is written by hand. */
const SCHEMA = {
  '~standard': {
    version: 1,
    vendor: 'example',
    validate: (value: unknown) => (isKey(value) ? { value } : { issues: [{ message: 'names no employee' }] }),
  },
} as const;

/** Every second worker crashes after its write: the message comes back, and the department is counted again. */
function failingFirst(step: Step<EmployeeKey>, say: (line: string) => void): Step<EmployeeKey> {
  return {
    name: step.name,
    run: async (input, context): Promise<StepResult> => {
      const result = (await step.run(input, context)) as StepResult;
      if (context.attempt === 1 && input.id % 2 === 0) throw new Error('The worker is gone.');
      if (context.attempt > 1 && input.id % 10 === 0) say(`  employee ${input.id} was counted again`);
      return result;
    },
  };
}

/** Four programs hire at once, and a fifth reads: in one answer of the service the number is that of the rows. */
async function countTogether(db: Db, say: (line: string) => void): Promise<void> {
  await db.repo(Department).create({ name: 'Sales', employeeCount: 0 });
  let reads = 0;
  const hired = Promise.all(
    [1, 2, 3, 4].map(async program => {
      for (let at = 1; at <= 5; at++)
        await hire(db, { department: 'Sales', id: program * 100 + at, name: `Employee ${at}` });
    }),
  );
  for (let counted = 0; counted < 20; reads++) {
    const [department, ...employees] = await mixed(db, Department, Employee).partition('Sales').take(100);
    assert(department?.entity === 'Department');
    counted = department.value.employeeCount;
    assert.equal(employees.length, counted);
  }
  await hired;
  say(`Four programs hired 20 employees, and each of ${reads} reads found as many as the department says.`);
}

/** The same over partitions: a message before each write, and a worker that counts. */
async function countByFlow(db: Db, say: (line: string) => void): Promise<void> {
  const employees = db.repo(Employee, { table: 'Employees' });
  const counting = follow<typeof Employee, EmployeeKey>({
    name: 'count',
    entity: Employee,
    table: 'Employees',
    key: input => input,
    make: (_, { department }) => count(db, department),
  });
  const hiring = flow('hiring', SCHEMA, [failingFirst(counting, say)]);
  const archiving = move('archive', {
    from: Employee,
    to: Employee,
    fromTable: 'Employees',
    toTable: 'Archive',
  });
  // First the move, then the count: steps of one flow, whose message is there until both are done.
  const steps: readonly Step<EmployeeKey>[] = [
    ...archiving.flow.definition.steps,
    { name: 'count', run: async ({ department }, context) => count(context.db, department) },
  ];
  const leaving = flow('leaving', SCHEMA, steps);
  for (const each of [hiring, leaving]) await each.createQueues(db);
  for (const name of ['Sales', 'IT']) await db.repo(RemoteDepartment).create({ name, employeeCount: 0 });

  for (let id = 1; id <= 20; id++) {
    const department = id % 3 === 0 ? 'IT' : 'Sales';
    await hiring.write(db, { department, id }, own =>
      own.repo(Employee, { table: 'Employees' }).create({ department, id, name: `Employee ${id}` }),
    );
  }
  say(
    '20 employees are hired, each announced by a message. Half of the workers end behind their first write:',
  );
  await drain(db, hiring, { backoff: { base: 20, cap: 100 }, redeliverAfter: 1 });
  for (const id of [3, 6, 7]) await leaving.start(db, { department: id % 3 === 0 ? 'IT' : 'Sales', id });
  await drain(db, leaving);

  for (const { value } of await db.repo(RemoteDepartment).partition({}).take(10)) {
    const rows = await employees.partition({ department: value.name }).take(100);
    say(`  ${value.name}: ${value.employeeCount}`);
    assert.equal(value.employeeCount, rows.length);
  }
  const archived = db.repo(Employee, { table: 'Archive' });
  assert.equal((await archived.partition({ department: 'IT' }).take(10)).length, 2);
  say('Three of them left: they are in the archive, and no department counts them.');
}

export const employeeCounts: Example = {
  title: 'Employee counts: how many employees each department has',
  async run(client, say, connectionString) {
    for (const table of ['Counted', 'Departments', 'Employees', 'Archive']) await client.createTable(table);
    const db = open({ tables: client, queues: QueueServiceClient.fromConnectionString(connectionString) });
    await countTogether(db, say);
    await countByFlow(db, say);
  },
};
