// Embedded copies: the audit finds nothing after each request in the partition, and elsewhere when the flow is done, whichever of the two was written. copies.test.ts compares copies with their sources.
import type { Db } from '#patterns';
import type { WhenDeleted } from '#patterns/internals';
import { definitions, unknowing } from '../derived/copies/managers.js';
import { assertClean, assertIdle, type Ground, type MatrixCase, matrixCase, tried } from './case.js';
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

const audited = ({ managers }: World, { db }: Ground) => assertClean(managers.audit(db));

const copied = (
  where: Where,
  name: string,
  operation: (writes: Writes) => Promise<unknown>,
  whenDeleted: WhenDeleted = 'null',
): MatrixCase =>
  matrixCase<World>({
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
    ...(where === TOGETHER
      ? { always: audited }
      : { work: ({ managers }, { db, worker }) => managers.flow.worker(db, worker) }),
    finally: async (world, ground) => {
      await audited(world, ground);
      if (where !== TOGETHER) await assertIdle(world.managers.flow, ground.db);
    },
  });

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
