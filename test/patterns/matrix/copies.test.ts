// Embedded copies: the audit finds nothing after each request in the partition, and elsewhere when the flow is done, whichever of the two was written. copies.test.ts compares copies with their sources.
import type { Db } from '#patterns';
import type { WhenDeleted } from '#patterns/internals';
import { definitions, unknowing } from '../derived/copies/managers.js';
import { assertClean, assertIdle, type MatrixCase, tried } from './case.js';
import { crashMatrix } from './matrix.js';

const TOGETHER = 'same-partition';
type Where = typeof TOGETHER | undefined;

/** By names, for programs that may each be refused because of the other. */
const writesOf = (db: Db, { Employee, Department }: ReturnType<typeof definitions>) => ({
  rename: (id: number, name: string) => db.repo(Employee).mutate({ id }, row => row && { ...row, name }),
  appoint: (id: number, managerId: number) =>
    db.repo(Department).mutate({ id }, row => row && { ...row, managerId }),
  found: (id: number, managerId: number) => db.repo(Department).create({ id, managerId }),
  dismiss: (id: number) => db.repo(Department).deleteIfExists({ key: { id }, etag: '*' }),
  fire: (id: number) => db.repo(Employee).deleteIfExists({ key: { id }, etag: '*' }),
  hire: (id: number, name: string) => db.repo(Employee).upsert({ id, name, salary: 1n }),
});

const copied = (
  where: Where,
  name: string,
  operation: (writes: ReturnType<typeof writesOf>) => Promise<unknown>,
  whenDeleted: WhenDeleted = 'null',
): MatrixCase => ({
  name: `embedded copies ${where === TOGETHER ? 'together ' : ''}of ${name}`,
  setUp: async ({ peer, db, newName }) => {
    const staff = await peer.newTable();
    const departments = where === TOGETHER ? staff : await peer.newTable();
    const rules = { whenDeleted, ...(where && { where }) };
    const defined = definitions(staff, departments, newName('copies'), rules);
    const { managers } = defined;
    if (where === undefined) await managers.flow.createQueues(db);
    // Entities that know nothing of copies send no messages.
    const { Employee, Department } = where === TOGETHER ? defined : unknowing(defined);
    for (const id of [1, 2]) {
      await db.repo(Employee).create({ id, name: `name${id}`, email: `name${id}@x`, salary: 1n });
      await db.repo(Department).create({ id, managerId: id });
      if (where === undefined) await managers.refresh(db, { id });
    }
    const audited = () => assertClean(managers.audit(db));
    return {
      operation: own => operation(writesOf(own, defined)),
      rival: own => {
        const { rename, appoint, found } = writesOf(own, defined);
        return tried(
          () => rename(2, 'rival'),
          () => appoint(1, 2),
          () => found(4, 1),
          () => rename(1, 'rival'),
        );
      },
      ...(where === TOGETHER
        ? { always: audited }
        : {
            work: process => managers.flow.worker(process.db, process.worker),
            finally: async () => {
              await audited();
              await assertIdle(managers.flow, db);
            },
          }),
    };
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
