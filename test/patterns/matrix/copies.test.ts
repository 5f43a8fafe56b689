// Embedded copies: rows have their sources' properties after each request in their partition, and elsewhere when the flow is done, whichever of the two was written.
import assert from 'node:assert/strict';
import { type Db, PatternError } from '#patterns';
import type { WhenDeleted } from '#patterns/internals';
import { definitions, unknowing } from '../derived/copies/managers.js';
import { followedCase, type Ground, type MatrixCase, type RawRow, rawRows, tagOf } from './case.js';
import { crashMatrix } from './matrix.js';

const TOGETHER = 'same-partition';
type Where = typeof TOGETHER | undefined;

interface World extends ReturnType<typeof definitions> {
  readonly where: Where;
  readonly whenDeleted: WhenDeleted;
}

const setUpOf =
  (where: Where, whenDeleted: WhenDeleted) =>
  async ({ peer, db, newName }: Ground): Promise<World> => {
    const staff = await peer.newTable();
    const departments = where === TOGETHER ? staff : await peer.newTable();
    const defined = definitions(staff, departments, newName('copies'), {
      whenDeleted,
      ...(where && { where }),
    });
    if (where === undefined) await defined.managers.flow.createQueues(db);
    // Entities that know nothing of copies send no messages.
    const { Employee, Department } = where === TOGETHER ? defined : unknowing(defined);
    for (const id of [1, 2]) {
      const name = `name${id}`;
      await db.repo(Employee).create({ id, name, email: `${name}@x`, salary: 1n });
      await db.repo(Department).create({ id, managerId: id });
      if (where === undefined) await defined.managers.refresh(db, { id });
    }
    return { ...defined, where, whenDeleted };
  };

/** Each department against the employee that it names, row by row. */
async function assertEqual(world: World, { peer }: Ground): Promise<void> {
  const { Employee, Department, where, whenDeleted } = world;
  const staff = await rawRows(peer, Employee.table);
  const departments = where === TOGETHER ? staff : await rawRows(peer, Department.table);
  const idOf = ({ rowKey = '' }: RawRow): number => Number(rowKey.split('!')[1]);
  for (const row of departments.filter(each => tagOf(each) === 'Department')) {
    const source = staff.find(each => tagOf(each) === 'Employee' && idOf(each) === row.managerId);
    const isGone = source === undefined && row.managerId !== undefined;
    if (isGone && whenDeleted === 'keep') continue;
    assert(!isGone || whenDeleted !== 'refuse', `The manager of department ${idOf(row)} was deleted.`);
    const found = [row.managerName, row.managerEmail, row.managerVersion !== undefined];
    const wanted = [source?.name, source?.email, source !== undefined];
    assert.deepEqual(found, wanted, `The copies of department ${idOf(row)} are not its manager's.`);
  }
}

/** By names, for programs that may each be refused because of the other. */
const writesOf = (db: Db, { Employee, Department }: World) => ({
  rename: (id: number, name: string) => db.repo(Employee).mutate({ id }, row => row && { ...row, name }),
  appoint: (id: number, managerId: number) =>
    db.repo(Department).mutate({ id }, row => row && { ...row, managerId }),
  found: (id: number, managerId: number) => db.repo(Department).create({ id, managerId }),
  dismiss: (id: number) => db.repo(Department).deleteIfExists({ key: { id }, etag: '*' }),
  fire: (id: number) => db.repo(Employee).deleteIfExists({ key: { id }, etag: '*' }),
  hire: (id: number, name: string) => db.repo(Employee).upsert({ id, name, salary: 1n }),
});
type Writes = ReturnType<typeof writesOf>;

async function tried(...acts: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const act of acts)
    await act().catch((thrown: unknown) => {
      if (!PatternError.is(thrown)) throw thrown;
    });
}

const followed = {
  exact: assertEqual,
  audit: ({ managers }: World, db: Db) => managers.audit(db),
};
const byFlow = { ...followed, flow: ({ managers }: World) => managers.flow };

function copied(
  where: Where,
  name: string,
  operation: (writes: Writes) => Promise<unknown>,
  whenDeleted: WhenDeleted = 'null',
): MatrixCase {
  return followedCase<World>(where === TOGETHER ? followed : byFlow, {
    name: `embedded copies ${where === TOGETHER ? 'together ' : ''}of ${name}`,
    setUp: setUpOf(where, whenDeleted),
    operation: (world, db) => operation(writesOf(db, world)),
    rival: (world, db) => {
      const { rename, appoint, found } = writesOf(db, world);
      return tried(
        () => rename(2, 'rival'),
        () => appoint(1, 2),
        () => found(4, 1),
        () => rename(1, 'rival'),
      );
    },
    ...(where === TOGETHER && { always: assertEqual }),
  });
}

const casesOf = (where: Where): readonly MatrixCase[] => [
  copied(where, 'a source that changes', ({ rename }) => rename(1, 'changed')),
  copied(where, 'another source', ({ appoint }) => appoint(2, 1)),
  copied(where, 'a source that goes', ({ fire }) => fire(1)),
  copied(where, 'a source that goes, which are kept', ({ fire }) => fire(1), 'keep'),
  copied(where, 'a row that comes', ({ found }) => found(3, 1)),
];

crashMatrix('copies', casesOf(undefined));
crashMatrix('copies', [
  copied(
    TOGETHER,
    'a source that goes where no row has it',
    ({ dismiss, fire, hire }) =>
      tried(
        () => fire(1),
        () => dismiss(1),
        () => fire(1),
        () => hire(1, 'again'),
      ),
    'refuse',
  ),
  ...casesOf(TOGETHER),
]);
