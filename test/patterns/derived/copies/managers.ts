// Employees, and departments with copies of their managers, as tests of copies need them.

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

/** Each write by the repository of its entity. */
export function writesOf(db: Db, { Employee, Department }: ReturnType<typeof definitions>) {
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
