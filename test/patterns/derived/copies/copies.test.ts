// Copies of a source in rows of another entity: equal to their sources when the flow is done. matrix/ ends programs at every request, beside other writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnyEntity, entity, t } from '#patterns';
import type { Finding } from '#patterns/audit';
import { type Copies, embed } from '#patterns/copies';
import type { Fault } from '#patterns/internals';
import { onlyIn } from '../../../support/slow.js';
import { drained } from '../../flows/flow-setting.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { assertCopies, definitions, unknowing, type World, writesOf } from './managers.js';

const skip = onlyIn('patterns');

type Found = readonly [fault: Fault, id: number | undefined, isRepaired: boolean];

/** What an audit finds, by department. */
async function faultsOf(
  audit: AsyncIterable<{
    readonly findings: readonly (Pick<Finding, 'fault' | 'isRepaired'> & {
      readonly key: { readonly id: number } | undefined;
    })[];
  }>,
): Promise<readonly Found[]> {
  const found: Found[] = [];
  for await (const { findings } of audit)
    for (const { fault, key: at, isRepaired } of findings) found.push([fault, at?.id, isRepaired]);
  return found;
}

describePeers('copies', peer => {
  let names = 0;
  /** Entities in tables of their own. */
  const world = async (of: World) => {
    const staff = await peer.newTable();
    const departments = of.where === 'same-partition' ? staff : await peer.newTable();
    const defined = definitions(staff, departments, `${peer.name}-${++names}`, of);
    const { Employee, Department, managers } = defined;
    // Most workers begin after the writes.
    const db = peer.open({ announceAfter: 0 });
    await managers.flow.createQueues(db);
    const drain = (workers = 1) => drained(db, managers.flow, workers);
    /** What copies are, by department. */
    const held = async () => {
      const rows = await db.repo(Department).partition({}).take(999);
      return new Map(rows.map(({ value }) => [value.id, [value.managerName, value.managerEmail]]));
    };
    const faults = (options?: Parameters<Copies<AnyEntity, AnyEntity>['audit']>[1]) =>
      faultsOf(managers.audit(db, options));
    const check = (): Promise<void> => assertCopies(db, defined, of.whenDeleted);
    return {
      db,
      managers,
      Employee,
      Department,
      ...writesOf(db, defined),
      drain,
      held,
      faults,
      check,
    };
  };

  test('have types, and follow the source and the one who has them', async () => {
    const { db, Employee, Department, hire, rename, found, appoint, drain, held } = await world({
      whenDeleted: 'null',
    });
    const ann = await hire(1, 'Ann');
    await hire(2, 'Bob');
    const sales = await found(10, 1);
    await found(11, undefined);
    await drain();
    assert.deepEqual(
      [...(await held()).values()],
      [
        ['Ann', 'Ann@contoso.com'],
        [undefined, undefined],
      ],
    );
    const row = await db.repo(Department).get({ id: 10 });
    const name: string | undefined = row?.value.managerName;
    assert.equal(name, 'Ann');
    assert.equal(row?.value.managerVersion, ann.etag);
    // @ts-expect-error it is not copied
    assert.equal(row?.value.managerSalary, undefined);
    await rename(ann, 'Anna');
    await drain();
    assert.equal((await held()).get(10)?.[0], 'Anna');
    await rejects(appoint(sales, 2), 'Conflict');
    const now = await db.repo(Department).get({ id: 10 });
    assert(now);
    await appoint(now, 2);
    await drain();
    assert.deepEqual((await held()).get(10), ['Bob', 'Bob@contoso.com']);
    await rejects(async () => embed('x', Employee, []), 'DefinitionInvalid');
    // @ts-expect-error no property of an employee
    await rejects(async () => embed('x', Employee, ['age']), 'DefinitionInvalid');
  });

  test('a change of what is not copied writes no copy', async () => {
    const { db, managers, Employee, Department, hire, found, drain } = await world({ whenDeleted: 'null' });
    const ann = await hire(1, 'Ann');
    await found(10, 1);
    await drain();
    const before = await db.repo(Department).get({ id: 10 });
    await db.repo(Employee).merge(ann, { salary: 2n });
    assert.equal((await managers.flow.figures(db)).pending, 0, 'and sends no message');
    assert.equal((await db.repo(Department).get({ id: 10 }))?.etag, before?.etag);
  });

  for (const [whenDeleted, expected] of [
    ['null', [undefined, undefined]],
    ['keep', ['Ann', 'Ann@contoso.com']],
  ] as const)
    test(`of a source that was deleted: ${whenDeleted}`, async () => {
      const { hire, found, fire, drain, held } = await world({ whenDeleted });
      const ann = await hire(1, 'Ann');
      await found(10, 1);
      await drain();
      await fire(ann);
      await drain();
      assert.deepEqual((await held()).get(10), expected);
    });

  test('of a source whose deletion is refused: a look before the deletion, and a finding for what came between', async () => {
    const { db, Employee, Department, managers, hire, found, fire, drain, faults, check } = await world({
      whenDeleted: 'refuse',
    });
    await rejects(found(10, 1), 'SourceMissing', { rowKey: 'employee!000001' });
    const ann = await hire(1, 'Ann');
    await found(10, 1);
    await rejects(fire(ann), 'SourceInUse', { rowKey: 'employee!000001' });
    await drain();
    await check();
    const plan = managers.explain(db, { id: 1 });
    assert.deepEqual([plan.where, plan.rows, plan.goesOn, plan.writer.length], ['remote', 99, true, 1]);
    // As a row that takes the source between the look and the deletion.
    await db.repo(unknowing({ Employee, Department }).Employee).delete(ann);
    assert.deepEqual(await faults({ repair: true }), [['dangling', 10, false]]);
    assert.equal((await db.repo(Department).get({ id: 10 }))?.value.managerName, undefined);
    assert.deepEqual(await faults(), [['dangling', 10, false]]);
  });

  test('more than a message changes are changed by the messages after it', { skip }, async () => {
    const { db, hire, rename, Employee, Department, drain, held, faults } = await world({
      whenDeleted: 'null',
    });
    const ann = await hire(1, 'Ann');
    // By a program that knows nothing of copies.
    const { Department: Unknowing } = unknowing({ Employee, Department });
    for (const from of [0, 100, 200]) {
      const batch = db.batch(Unknowing, {});
      for (let id = from; id < from + (from === 200 ? 50 : 100); id++)
        batch.create(Unknowing, { id, managerId: 1 });
      await batch.commit();
    }
    assert.deepEqual(
      (await faults({ size: 60 })).map(([fault]) => fault),
      Array.from({ length: 250 }, () => 'missing'),
    );
    await rename(ann, 'Anna');
    const events = await drain(2);
    assert(events.filter(({ kind }) => kind === 'done').length >= 4, 'three pages of holders, and the hire');
    assert((await held()).size === 250 && [...(await held()).values()].every(([name]) => name === 'Anna'));
  });

  test('are repaired by an audit', async () => {
    const { db, managers, Employee, Department, hire, found, drain, faults, check } = await world({
      whenDeleted: 'null',
    });
    for (const id of [1, 2, 3]) await hire(id, `E${id}`);
    for (const id of [1, 2, 3]) await found(id, id);
    await drain();
    // By a program that knows nothing of copies.
    const around = db.repo(unknowing({ Employee, Department }).Employee);
    await around.upsertMerge({ id: 1, name: 'Around', salary: 1n });
    await around.delete({ key: { id: 2 }, etag: '*' });
    const bare = entity('Department', {
      version: 1,
      table: Department.table,
      props: { id: t.int32(), managerId: t.int32() },
      partition: Department.partition,
      row: Department.row,
    });
    await db.repo(bare).upsert({ id: 3, managerId: 3 });
    const wrong = [
      ['stale', 1],
      ['orphan', 2],
      ['missing', 3],
    ] as const;
    assert.deepEqual(
      await faults(),
      wrong.map(each => [...each, false]),
    );
    // Each page by a new audit, as after a crash.
    const found2: unknown[] = [];
    let resume: string | undefined;
    do {
      const { value } = await managers.audit(db, { repair: true, size: 1, resume }).next();
      assert(value);
      resume = value.next;
      for (const { fault, key: at } of value.findings) found2.push([fault, at?.id]);
    } while (resume !== undefined);
    assert.deepEqual(found2, wrong);
    await check();
  });
});
