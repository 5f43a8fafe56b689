// Employees, and departments with copies of their managers, as tests of copies need them.
import assert from 'node:assert/strict';
import { codec, type Db, entity, key, type StoredOf, t } from '#patterns';
import { copies, embed } from '#patterns/copies';
import type { CopiesPlace, WhenDeleted } from '#patterns/internals';

export interface World {
  readonly whenDeleted: WhenDeleted;
  readonly where?: CopiesPlace;
}

/** Employees, and departments with copies of their managers: in tables of their own, or in one partition. */
export function definitions(staff: string, departments: string, name: string, { whenDeleted, where }: World) {
  const Employee = entity('Employee', {
    version: 1,
    table: staff,
    props: { id: t.int32(), name: t.string(), email: t.string().optional(), salary: t.int64() },
    partition: key('company'),
    row: p => key('employee', p.id.as(codec.int(6))),
  });
  const manager = embed('manager', Employee, ['name', 'email']);
  const Department = entity('Department', {
    version: 1,
    table: departments,
    props: { id: t.int32(), managerId: t.int32().optional(), ...manager.props },
    partition: key('company'),
    row: p => key('department', p.id.as(codec.int(6))),
  });
  const managers = copies(`managers-${name}`, {
    holder: Department,
    embedded: manager,
    keyOf: ({ managerId }) => (managerId === undefined ? undefined : { id: managerId }),
    whenDeleted,
    ...(where && { where }),
    holders: (db, { id }) =>
      db
        .repo(Department)
        .partition({})
        .where(p => p.managerId.eq(id)),
  });
  return { Employee, Department, managers };
}

type Definitions = ReturnType<typeof definitions>;

/** The entities as programs know them that know nothing of copies. */
export const unknowing = ({ Employee, Department }: Pick<Definitions, 'Employee' | 'Department'>) => ({
  Employee: entity('Employee', {
    version: 1,
    table: Employee.table,
    props: Employee.props,
    partition: Employee.partition,
    row: Employee.row,
  }),
  Department: entity('Department', {
    version: 1,
    table: Department.table,
    props: Department.props,
    partition: Department.partition,
    row: Department.row,
  }),
});

/** Each row with copies against its source: `keep` leaves those of a source that is gone. And the audit finds nothing. */
export async function assertCopies(
  db: Db,
  { Employee, Department, managers }: Definitions,
  whenDeleted: WhenDeleted,
): Promise<void> {
  const staff = await db.repo(Employee).partition({}).take(999);
  const employees = new Map(staff.map(({ value }) => [value.id, value]));
  for (const { value } of await db.repo(Department).partition({}).take(999)) {
    const source = value.managerId === undefined ? undefined : employees.get(value.managerId);
    if (value.managerId !== undefined && source === undefined && whenDeleted === 'keep') continue;
    const found = [value.managerName, value.managerEmail, value.managerVersion === undefined];
    assert.deepEqual(found, [source?.name, source?.email, source === undefined], `department ${value.id}`);
  }
  for await (const { findings } of managers.audit(db)) assert.deepEqual(findings, []);
}

/** Each write by the repository of its entity. */
export function writesOf(db: Db, { Employee, Department }: Definitions) {
  type Employees = StoredOf<typeof Employee>;
  type Departments = StoredOf<typeof Department>;
  return {
    hire: (id: number, name: string, by = db): Promise<Employees> =>
      by.repo(Employee).create({ id, name, email: `${name}@contoso.com`, salary: 1n }),
    rename: (row: Employees, name: string, by = db): Promise<Employees> =>
      by.repo(Employee).merge(row, { name }),
    fire: (row: Employees, by = db): Promise<void> => by.repo(Employee).delete(row),
    found: (id: number, managerId: number | undefined, by = db): Promise<Departments> =>
      by.repo(Department).create({ id, ...(managerId !== undefined && { managerId }) }),
    appoint: (row: Departments, managerId: number | undefined, by = db): Promise<Departments> =>
      by.repo(Department).merge(row, { managerId: managerId ?? null }),
  };
}
