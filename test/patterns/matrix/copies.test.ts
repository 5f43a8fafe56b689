// Embedded copies: rows have their sources' properties when the flow is done, whichever of the two was written.

import assert from 'node:assert/strict';
import { codec, type Db, entity, key, t } from '#patterns';
import { copies, embed } from '#patterns/copies';
import type { WhenDeleted } from '#patterns/internals';
import { followedCase, type Ground, type MatrixCase, type RawRow, rawRows } from './case.js';
import { crashMatrix } from './matrix.js';

function entities(staff: string, departments: string) {
  const Employee = entity('Employee', {
    version: 1,
    table: staff,
    props: { id: t.int32(), name: t.string(), email: t.string().optional() },
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
  return { Employee, Department, manager };
}

function definitions(staff: string, departments: string, name: string, whenDeleted: WhenDeleted) {
  const { Employee, Department, manager } = entities(staff, departments);
  const managers = copies(name, {
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
  return { Employee, Department, managers, staff, departments, whenDeleted };
}

type World = ReturnType<typeof definitions>;

const setUpOf =
  (whenDeleted: WhenDeleted) =>
  async ({ peer, db, newName }: Ground): Promise<World> => {
    const world = definitions(await peer.newTable(), await peer.newTable(), newName('copies'), whenDeleted);
    const { managers } = world;
    await managers.flow.createQueues(db);
    // Entities that know nothing of copies send no messages.
    const { Employee, Department } = entities(world.staff, world.departments);
    for (const id of [1, 2]) {
      const name = `name${id}`;
      await db.repo(Employee).create({ id, name, email: `${name}@x` });
      await db.repo(Department).create({ id, managerId: id });
      await managers.refresh(db, { id });
    }
    return world;
  };

/** Each department against the employee that it names, row by row. */
async function assertEqual({ staff, departments, whenDeleted }: World, ground: Ground): Promise<void> {
  const employees = await rawRows(ground.peer, staff);
  const idOf = ({ rowKey = '' }: RawRow): number => Number(rowKey);
  for (const row of await rawRows(ground.peer, departments)) {
    const source = employees.find(each => idOf(each) === row.managerId);
    if (source === undefined && row.managerId !== undefined && whenDeleted === 'keep') continue;
    const found = [row.managerName, row.managerEmail, row.managerVersion !== undefined];
    const wanted = [source?.name, source?.email, source !== undefined];
    assert.deepEqual(found, wanted, `The copies of department ${idOf(row)} are not its manager's.`);
  }
}

const writesOf = (db: Db, { Employee, Department }: World) => ({
  rename: (id: number, name: string) => db.repo(Employee).mutate({ id }, row => row && { ...row, name }),
  appoint: (id: number, managerId: number) =>
    db.repo(Department).mutate({ id }, row => row && { ...row, managerId }),
});

const followed = {
  exact: assertEqual,
  audit: ({ managers }: World, db: Db) => managers.audit(db),
  flow: ({ managers }: World) => managers.flow,
};

const embedded = (
  name: string,
  operation: MatrixCase<World>['operation'],
  whenDeleted: WhenDeleted = 'null',
): MatrixCase =>
  followedCase<World>(followed, {
    name: `embedded copies of ${name}`,
    setUp: setUpOf(whenDeleted),
    operation,
    rival: async (world, db) => {
      const { rename, appoint } = writesOf(db, world);
      await rename(2, 'rival');
      await appoint(1, 2);
    },
  });

const fire: MatrixCase<World>['operation'] = async ({ Employee }, db) => {
  const row = await db.repo(Employee).get({ id: 1 });
  if (row !== undefined) await db.repo(Employee).delete(row);
};

const COPY_CASES: readonly MatrixCase[] = [
  embedded('a source that changes', async (world, db) => writesOf(db, world).rename(1, 'changed')),
  embedded('another source', async (world, db) => writesOf(db, world).appoint(2, 1)),
  embedded('a source that goes', fire),
  embedded('a source that goes, which are kept', fire, 'keep'),
];

crashMatrix('copies', COPY_CASES);
