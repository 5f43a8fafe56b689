// Copies in the partition of their source: equal to it after each write, with concurrent writers, wherever a program ends; deleting a source is refused while it has copies.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDefaultHttpClient, type HttpClient } from '@azure/core-rest-pipeline';
import fc from 'fast-check';
import { type Db, entity, key, open, PatternError, t } from '#patterns';
import { copies, embed } from '#patterns/copies';
import type { WhenDeleted } from '#patterns/internals';
import { listOf } from '#patterns/lists';
import { onlyIn } from '../../../support/slow.js';
import { type FaultPlan, FaultyClient } from '../../support/faulty-client.js';
import { definitions, writesOf } from './managers.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { chanceOf, SEED } from '../../support/seeded.js';

const where = 'same-partition';
const POLICIES: readonly WhenDeleted[] = ['null', 'keep', 'refuse'];

/** Requests one at a time, in the order that a scheduler says. */
class Turns implements HttpClient {
  readonly #scheduler: fc.Scheduler;
  readonly #client = createDefaultHttpClient();
  #underWay = 0;

  constructor(scheduler: fc.Scheduler) {
    this.#scheduler = scheduler;
  }

  async sendRequest(request: Parameters<HttpClient['sendRequest']>[0]) {
    await this.#scheduler.schedule(Promise.resolve());
    this.#underWay++;
    return this.#client.sendRequest(request).finally(() => this.#underWay--);
  }

  /** All of these; each sends one request at a time. */
  async run<T>(actors: readonly Promise<T>[]): Promise<readonly PromiseSettledResult<T>[]> {
    let living = actors.length;
    const all = Promise.allSettled(actors.map(each => each.finally(() => living--)));
    while (living > 0) {
      if (this.#underWay === 0 && this.#scheduler.count() >= living) await this.#scheduler.waitOne();
      else await new Promise(resolve => setImmediate(resolve));
    }
    return all;
  }
}

const skip = onlyIn('patterns');
const IS_LONG = process.env.SHELFMARK_LONG !== undefined;
const IS_FULL = process.env.PATTERN_FULL !== undefined;

/** What a write may end with that another one came before, or whose answer was lost. */
const LOST = new Set([
  'OutcomeUnknown',
  // A read that lost four answers.
  'Unreachable',
  'Conflict',
  'Contention',
  'NotFound',
  'AlreadyExists',
  'SourceMissing',
  'SourceInUse',
]);

function assertLost(thrown: unknown): void {
  assert(PatternError.is(thrown) && LOST.has(thrown.code), String(thrown));
}

describePeers('copies in the partition of their source', peer => {
  let names = 0;
  const world = async (whenDeleted: WhenDeleted) => {
    const table = await peer.newTable();
    const defined = definitions(table, table, `near-${peer.name}-${++names}`, { whenDeleted, where });
    const { Employee, Department, managers } = defined;
    const by = (httpClient: HttpClient): Db =>
      open({ tables: peer.client({ httpClient }) }, { httpClient, sleep: async () => {} });
    const opened = (plan: FaultPlan = () => undefined) => {
      const httpClient = new FaultyClient(plan);
      return { db: by(httpClient), httpClient };
    };
    const { db, httpClient } = opened();
    /** Each row with copies against its source; `keep` leaves those of a source that is gone. */
    const check = async (context = ''): Promise<void> => {
      const staff = await db.repo(Employee).partition({}).take(999);
      const employees = new Map(staff.map(({ value }) => [value.id, value]));
      for (const { value } of await db.repo(Department).partition({}).take(999)) {
        const source = value.managerId === undefined ? undefined : employees.get(value.managerId);
        const isGone = value.managerId !== undefined && source === undefined;
        assert(!(isGone && whenDeleted === 'refuse'), `department ${value.id} has no manager. ${context}`);
        if (isGone && whenDeleted === 'keep') continue;
        const text = `department ${value.id}, seed ${SEED}. ${context}`;
        assert.deepEqual([value.managerName, value.managerEmail], [source?.name, source?.email], text);
        assert.equal(value.managerVersion === undefined, source === undefined, text);
      }
      for await (const { findings } of managers.audit(db)) assert.deepEqual(findings, [], context);
    };
    return { ...defined, table, db, httpClient, by, opened, check, ...writesOf(db, defined) };
  };

  test('change with it, in one transaction, and take a source with one more read', async () => {
    const { db, httpClient, Employee, Department, hire, rename, found, appoint, check } = await world('null');
    const counted = async <T>(requests: number, write: () => Promise<T>): Promise<T> => {
      httpClient.count = 0;
      const written = await write();
      assert.equal(httpClient.count, requests);
      return written;
    };
    const early = await counted(2, () => hire(1, 'Ann'));
    await hire(2, 'Bob');
    const sales = await counted(2, () => found(10, 1));
    assert.deepEqual([sales.value.managerName, sales.value.managerEmail], ['Ann', 'Ann@contoso.com']);
    await found(11, 1);
    await counted(1, () => found(12, undefined));
    await rejects(rename(early, 'Anna'), 'Conflict');
    // A row that takes it gives the source a new ETag.
    const ann = await db.repo(Employee).get({ id: 1 });
    assert(ann);
    await counted(2, () => rename(ann, 'Anna'));
    await check();
    const now = await db.repo(Department).get({ id: 10 });
    assert(now);
    assert.equal(now.value.managerName, 'Anna');
    const bobs = await counted(2, () => appoint(now, 2));
    assert.equal(bobs.value.managerName, 'Bob');
    const kept = await counted(1, () => db.repo(Department).merge(bobs, {}));
    const none = await counted(1, () => appoint(kept, undefined));
    assert.equal(none.value.managerName, undefined);
    await check();
  });

  test('are what the source says, whatever a program writes into them', async () => {
    const { db, Department, hire, check } = await world('null');
    const departments = db.repo(Department);
    await hire(1, 'Ann');
    await departments.create({ id: 10, managerId: 1, managerName: 'Mine' });
    await check();
    await departments.upsert({ id: 10, managerId: 1 });
    await check();
    await departments.merge({ key: { id: 10 }, etag: '*' }, { managerName: 'Mine' });
    await check();
    await departments.upsertMerge({ id: 11, managerId: 1 });
    await departments.create({ id: 12, managerName: 'Nobody' });
    await check();
    await departments.mutate({ id: 12 }, now => now && { ...now, managerId: 1 });
    assert.equal((await departments.get({ id: 12 }))?.value.managerName, 'Ann');
    await check();
  });

  for (const policy of POLICIES)
    test(`when the source is deleted: ${policy}`, async () => {
      const { db, Employee, Department, hire, found, fire, check } = await world(policy);
      await rejects(found(10, 1), 'SourceMissing', { rowKey: 'employee!000001' });
      await hire(1, 'Ann');
      await found(10, 1);
      const ann = await db.repo(Employee).get({ id: 1 });
      assert(ann);
      if (policy === 'refuse') {
        await rejects(fire(ann), 'SourceInUse', { rowKey: 'employee!000001' });
        await rejects(db.repo(Employee).deleteIfExists({ key: { id: 1 }, etag: '*' }), 'SourceInUse');
        await db.repo(Department).delete({ key: { id: 10 }, etag: '*' });
      }
      await fire(ann);
      await check();
      const left = await db.repo(Department).get({ id: 10 });
      assert.equal(left?.value.managerName, policy === 'keep' ? 'Ann' : undefined);
      await hire(1, 'Another');
      await check();
      const again = await db.repo(Department).get({ id: 10 });
      assert.equal(again?.value.managerName, policy === 'refuse' ? undefined : 'Another');
    });

  test('are as many as fit into a transaction, which explain tells', async () => {
    const { db, table, managers, Employee, Department, hire, rename, found, httpClient, check } =
      await world('null');
    await hire(1, 'Ann');
    const { version, partition, row } = Department;
    const unknowing = entity('Department', { version, table, props: Department.props, partition, row });
    const batch = db.batch(unknowing, {});
    for (let id = 0; id < 98; id++) batch.create(unknowing, { id, managerId: 1 });
    await batch.commit();
    await found(98, 1);
    const get = async () => (await db.repo(Employee).get({ id: 1 })) ?? assert.fail();
    await rename(await get(), 'Anna');
    await check();
    await found(99, 1);
    await rejects(rename(await get(), 'Anne'), 'TooManyOperations', { operations: 101, limit: 100 });
    await check();
    httpClient.count = 0;
    const plan = managers.explain(db, { id: 1 });
    assert.equal(httpClient.count, 0);
    assert.deepEqual(
      [plan.where, plan.table, plan.rows, plan.goesOn, plan.holders.class, plan.worker],
      [where, table, 99, false, 'partition-scan', []],
    );
    assert.equal(plan.writer.length, 2);
  });

  test('what could not be kept is refused', async () => {
    const table = await peer.newTable();
    const { Employee, Department } = definitions(table, table, `refused-${peer.name}`, {
      whenDeleted: 'null',
      where,
    });
    const byManager = () =>
      listOf(Department, 'byManager', { where: 'same-partition', row: p => key('by', p.managerName) });
    await rejects(async () => byManager(), 'DefinitionInvalid');
    listOf(Employee, 'byName', { where: 'same-partition', row: p => key('name', p.name) });
    await rejects(
      async () => definitions('A', 'B', 'two-tables', { whenDeleted: 'null', where }),
      'DefinitionInvalid',
    );
    const unit = embed('unit', Department, ['managerName']);
    const Team = entity('Team', {
      version: 1,
      table,
      props: { id: t.int32(), ...unit.props },
      partition: key('company'),
      row: p => key('team', p.id),
    });
    const chain = () =>
      copies('units', {
        holder: Team,
        embedded: unit,
        keyOf: ({ id }) => ({ id }),
        whenDeleted: 'null',
        where,
        holders: db => db.repo(Team).partition({}),
      });
    await rejects(async () => chain(), 'DefinitionInvalid');
  });

  test('a source in another partition is refused', async () => {
    const table = await peer.newTable();
    // @ts-expect-error no such policy
    const drop: WhenDeleted = 'drop';
    assert(drop);
    const Other = entity('Person', {
      version: 1,
      table,
      props: { at: t.string(), id: t.int32(), name: t.string() },
      partition: p => key(p.at),
      row: p => key('person', p.id),
    });
    const boss = embed('boss', Other, ['name']);
    const Desk = entity('Desk', {
      version: 1,
      table,
      props: { at: t.string(), id: t.int32(), bossAt: t.string(), ...boss.props },
      partition: p => key(p.at),
      row: p => key('desk', p.id),
    });
    copies('bosses', {
      holder: Desk,
      embedded: boss,
      keyOf: ({ bossAt, id }) => ({ at: bossAt, id }),
      whenDeleted: 'null',
      where,
      holders: (db, { at }) => db.repo(Desk).partition({ at }),
    });
    const db = open({ tables: peer.client() });
    await rejects(db.repo(Desk).create({ at: 'a', id: 1, bossAt: 'b' }), 'ValueInvalid');
  });

  test('two copies of one source are one write of their row', async () => {
    const table = await peer.newTable();
    const Person = entity('Person', {
      version: 1,
      table,
      props: { id: t.int32(), name: t.string() },
      partition: key('all'),
      row: p => key('person', p.id),
    });
    const [owner, deputy] = [embed('owner', Person, ['name']), embed('deputy', Person, ['name'])];
    const Ship = entity('Ship', {
      version: 1,
      table,
      props: { id: t.int32(), ownerId: t.int32(), deputyId: t.int32(), ...owner.props, ...deputy.props },
      partition: key('all'),
      row: p => key('ship', p.id),
      indexes: { byOwner: { kind: 'same-partition', row: p => key('owner', p.ownerName) } },
    });
    const rules = {
      holder: Ship,
      whenDeleted: 'null',
      where,
      holders: (db: Db) => db.repo(Ship).partition({}),
    } as const;
    copies('owners', { ...rules, embedded: owner, keyOf: ({ ownerId }) => ({ id: ownerId }) });
    copies('deputies', { ...rules, embedded: deputy, keyOf: ({ deputyId }) => ({ id: deputyId }) });
    const db = open({ tables: peer.client() });
    await db.repo(Person).create({ id: 1, name: 'Ann' });
    await db.repo(Ship).create({ id: 1, ownerId: 1, deputyId: 1 });
    await db.repo(Person).mutate({ id: 1 }, ann => ann && { ...ann, name: 'Anna' });
    const ship = await db.repo(Ship).index('byOwner').partition({}).rows({ ownerName: 'Anna' }).take(2);
    assert.equal(ship.length, 1);
    const { value } = (await db.repo(Ship).get({ id: 1 })) ?? assert.fail();
    assert.deepEqual([value.ownerName, value.deputyName], ['Anna', 'Anna']);
  });

  test('are right in any order of the requests of those who delete, take and rename', async () => {
    const act = fc.constantFrom('fire', 'rename', 'found', 'appoint', 'dismiss', 'rehire');
    const property = fc.asyncProperty(
      fc.scheduler(),
      fc.constantFrom(...POLICIES),
      fc.array(act, { minLength: 2, maxLength: 3 }),
      async (scheduler, policy, acts) => {
        const { by, Employee, Department, hire, found, check } = await world(policy);
        await hire(1, 'Ann');
        await hire(2, 'Bob');
        await found(10, 2);
        const turns = new Turns(scheduler);
        const db = by(turns);
        const write = async (what: (typeof acts)[number], at: number): Promise<void> => {
          const [staff, departments] = [db.repo(Employee), db.repo(Department)];
          const any = { key: { id: 1 }, etag: '*' };
          if (what === 'fire') await staff.delete(any);
          if (what === 'rename') await staff.merge(any, { name: `A${at}` });
          if (what === 'found') await departments.create({ id: 20 + at, managerId: 1 });
          if (what === 'appoint') await departments.merge({ key: { id: 10 }, etag: '*' }, { managerId: 1 });
          if (what === 'dismiss') await departments.delete({ key: { id: 10 }, etag: '*' });
          if (what === 'rehire') await staff.upsert({ id: 1, name: `New${at}`, salary: 1n });
        };
        for (const ended of await turns.run(acts.map(write)))
          if (ended.status === 'rejected') assertLost(ended.reason);
        await check(`${policy}: ${acts.join(', ')}`);
      },
    );
    await fc.assert(property, { seed: SEED, numRuns: IS_FULL ? 300 : IS_LONG ? 80 : 3 });
  });

  test('are right after a storm, in a random graph, with lost answers', { skip }, async () => {
    const { db, opened, Employee, Department, hire, found, check } = await world('null');
    const chance = chanceOf(SEED);
    const below = (count: number): number => Math.floor(chance() * count);
    for (let id = 0; id < 5; id++) await hire(id, `E${id}`);
    for (let id = 0; id < 9; id++) await found(id, below(5));
    const lossy = opened(() => (chance() < 0.1 ? 'reset after' : undefined)).db;
    const storm = async (): Promise<void> => {
      for (let at = 0; at < 60; at++) {
        const [staff, departments] = [lossy.repo(Employee), lossy.repo(Department)];
        const step = chance();
        const any = { key: { id: below(5) }, etag: '*' };
        const done =
          step < 0.15
            ? staff.deleteIfExists(any)
            : step < 0.5
              ? staff.upsert({ id: below(5), name: `N${below(999)}`, salary: 1n })
              : departments.upsert({ id: below(9), ...(step < 0.9 && { managerId: below(5) }) });
        await (done as Promise<unknown>).catch(assertLost);
      }
    };
    await Promise.all([storm(), storm(), storm()]);
    await check();
    assert((await db.repo(Department).partition({}).take(99)).length === 9);
  });

  test('are right wherever a program ends', { skip }, async () => {
    const { db, opened, Employee, Department, hire, found, rename, fire, appoint, check } =
      await world('null');
    for (let id = 0; id < 24; id++) {
      await hire(id, `E${id}`);
      await found(id, id);
    }
    let at = 0;
    for (const fault of ['reset before', 'reset after'] as const)
      for (let request = 0; request < 3; request++) {
        const dying = (): Db =>
          opened(index => (index < request ? undefined : index === request ? fault : 'reset before')).db;
        const [a, b] = [await db.repo(Employee).get({ id: at }), await db.repo(Employee).get({ id: at + 1 })];
        const c = await db.repo(Department).get({ id: at + 2 });
        assert(a && b && c);
        await rename(a, 'Renamed', dying()).catch(() => undefined);
        await fire(b, dying()).catch(() => undefined);
        await appoint(c, 23, dying()).catch(() => undefined);
        await found(100 + at, 23, dying()).catch(() => undefined);
        await check(`after ${fault} of ${request}`);
        at += 3;
      }
  });
});
