// Unique keys of indexes in other partitions: of writers that want one key, one gets it; and what they leave behind is settled. matrix/ ends programs at every request, beside other writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { type Db, open, PatternError, type Repo } from '#patterns';
import { audit, backfill, type Finding, rebuild } from '#patterns/audit';
import { indexFlow } from '#patterns/indexes';
import { connect, Reservations } from '#patterns/internals';
import { lawOfTurns } from '../../../../packages/patterns/testing/law.js';
import { FaultyClient, faultAt, heldAt } from '../../support/faulty-client.js';
import { describePeers, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { ann, assertKept, ben, Member, rowsIn, Unindexed } from './unique-world.js';

const [byEmail] = Member.plan.remoteIndexes;
assert(byEmail);

/** Reservations are never, or always, too old. */
type Patience = 'patient' | 'impatient';
const reserveFor = { patient: 3_600, impatient: -10 } as const;

const memberDb = (peer: Peer, httpClient: FaultyClient, patience: Patience): Db =>
  peer.open({ httpClient, sleep: () => pause(1), reserveFor: reserveFor[patience], announceAfter: 0 });

async function team(peer: Peer, patience: Patience = 'patient') {
  const table = await peer.newTable();
  const httpClient = new FaultyClient();
  const db = memberDb(peer, httpClient, patience);
  await indexFlow(Member).createQueues(db);
  httpClient.count = 0;
  return { table, db, members: db.repo(Member, { table }), httpClient };
}

/** What the flow does behind each write: settles each key, and keeps that of each member. */
async function settleAll(peer: Peer, db: Db, table: string): Promise<void> {
  const service = connect({ tables: peer.client() }, { reserveFor: reserveFor.impatient });
  const reservations = new Reservations(service);
  const unique = { entity: Member, table, index: byEmail as NonNullable<typeof byEmail> };
  const { keys, members } = await rowsIn(db, table);
  for (const row of keys) assert.notEqual(await reservations.settle(unique, row), 'pending');
  for (const row of members) assert.notEqual(await reservations.keep(unique, row), 'pending');
}

/** When all is settled, keys are those of members, confirmed. */
async function assertSettled(peer: Peer, db: Db, table: string, message?: string): Promise<void> {
  await settleAll(peer, db, table);
  await assertKept(db, table, message);
}

const step = fc.record({
  name: fc.constantFrom('create', 'change', 'delete', 'upsert', 'clear'),
  team: fc.constantFrom('a', 'b', 'c'),
  email: fc.constantFrom('x', 'X', 'y'),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function run(members: Repo<typeof Member>, { name, team: of, email }: Step): Promise<unknown> {
  const value = { team: of, id: 1, email };
  const acts = {
    create: () => members.create(value),
    change: () => members.mutate(value, row => row && { ...row, email }),
    clear: () => members.mutate(value, row => row && { team: of, id: 1 }),
    delete: () => members.deleteIfExists({ key: value, etag: '*' }),
    upsert: () => members.upsert(value),
  };
  return acts[name]();
}

type End = Parameters<typeof faultAt>;

/** The index over existing rows, by programs that end at these requests. Each resumes from the token that the one before stored. */
async function made(peer: Peer, table: string, ends: readonly End[]): Promise<void> {
  const left = [...ends];
  let resume: string | undefined;
  for (;;) {
    const end = left.shift();
    const client = new FaultyClient(end && faultAt(...end));
    const db = memberDb(peer, client, 'patient');
    try {
      for await (const { next } of backfill(db, Member, 'byEmail', { table, resume, size: 3 })) resume = next;
      return;
    } catch (thrown) {
      if (!client.isDead) throw thrown;
    }
  }
}

describePeers('remote unique keys', peer => {
  test('leave records of aborted transactions, which audits delete when they are old', async () => {
    const { table, db } = await team(peer);
    const record = (id: string, State: string) =>
      peer.table(table).createEntity({
        partitionKey: 'team!a',
        rowKey: `!transaction!${id}`,
        EntityType: 'Transaction.1',
        State,
      });
    for (const id of ['1', '2']) await record(id, 'aborted');
    // Its reservations may be unsettled.
    await record('3', 'committed');
    const clients = { tables: peer.client(), queues: peer.queues() };
    const audited = async (keepAborted: number | undefined, repair: boolean, team?: string) => {
      const own = open(clients, keepAborted === undefined ? {} : { keepAborted });
      const partition = team === undefined ? undefined : { team };
      const found: string[] = [];
      for await (const { findings } of audit(own, Member, { table, repair, partition, size: 1 }))
        for (const { fault, of, rowKey, isRepaired } of findings)
          found.push(`${fault} ${of} ${rowKey}${isRepaired ? ' repaired' : ''}`);
      return found;
    };
    const old = ['orphan transaction records !transaction!1', 'orphan transaction records !transaction!2'];
    assert.deepEqual(await audited(undefined, true), [], 'they are young');
    assert.deepEqual(await audited(-10, false), old);
    assert.deepEqual(await audited(-10, false, 'b'), []);
    assert.deepEqual(await audited(-10, false, 'a'), old);
    assert.deepEqual(
      await audited(-10, true),
      old.map(text => `${text} repaired`),
    );
    assert.deepEqual(await audited(-10, true), []);
    assert.equal((await rowsIn(db, table)).records.length, 1);
  });

  test('belong to one row, whatever its partition', async () => {
    const { table, db, members } = await team(peer);
    const row = await members.create(ann);
    await rejects(members.create(ben), 'UniqueViolation');
    await settleAll(peer, db, table);
    await rejects(members.create(ben), 'UniqueViolation');
    await rejects(members.create(ann), 'AlreadyExists');
    const other = await members.create({ ...ben, email: 'y@x.org' });
    await rejects(members.merge(other, { email: 'x@X.org' }), 'UniqueViolation');
    await rejects(members.upsert({ ...ben }), 'UniqueViolation');
    const moved = await members.merge(row, { email: 'z@x.org' });
    // The earlier owner of the key has another: the key is free before the flow has run.
    await members.merge(other, { email: 'x@x.org' });
    await rejects(members.merge(moved, { email: 'x@x.org' }), 'UniqueViolation');
    await assertSettled(peer, db, table);
    await members.delete(moved);
    await members.create({ team: 'c', id: 1, email: 'z@x.org' });
    await assertSettled(peer, db, table);
  });

  test('are none of rows without their property, and stay with writes that do not change them', async () => {
    const { table, db, members, httpClient } = await team(peer);
    const row = await members.create({ team: 'a', id: 1 });
    await members.create({ team: 'a', id: 2 });
    const taken = await members.merge(row, { email: 'x@x.org' });
    httpClient.count = 0;
    const noted = await members.merge(taken, { note: 'n', email: 'X@X.ORG' });
    assert.equal(httpClient.count, 2, 'a message and the write');
    await assertSettled(peer, db, table);
    await members.merge(noted, { email: null });
    await assertSettled(peer, db, table);
    assert.equal((await rowsIn(db, table)).keys.length, 0);
  });

  test('cost a create two requests more', async () => {
    const { members, httpClient } = await team(peer);
    httpClient.count = 0;
    await members.create(ann);
    assert.equal(httpClient.count, 3, 'a message, the key, the transaction');
  });

  test('are given back by a write that is refused', async () => {
    const { table, db, members } = await team(peer);
    const row = await members.create({ team: 'a', id: 1 });
    await members.merge(row, { note: 'changed' });
    await rejects(members.merge(row, { email: 'x@x.org' }), 'Conflict');
    await rejects(members.create(ann), 'AlreadyExists');
    const { keys, records } = await rowsIn(db, table);
    assert.deepEqual([keys.length, records.length], [0, 0]);
    await members.create(ben);
  });

  test('go in batches, all or none', async () => {
    const { table, db } = await team(peer);
    const batch = () => db.batch(Member, { team: 'a' }, { table });
    const one = batch()
      .create(Member, ann)
      .create(Member, { ...ann, id: 2, email: 'y@x.org' });
    assert.deepEqual(one.size.operations, 3);
    await one.commit();
    const two = batch()
      .create(Member, { ...ann, id: 3, email: 'z@x.org' })
      .create(Member, { ...ann, id: 4 });
    const error = await two.commit().catch((thrown: unknown) => thrown);
    assert(PatternError.is(error, 'BatchFailed'));
    assert.deepEqual([error.detail.index, error.detail.reason], [1, 'UniqueViolation']);
    assert.equal((await rowsIn(db, table)).keys.length, 2);
    const twice = batch()
      .create(Member, { ...ann, id: 5, email: 'q' })
      .create(Member, { ...ann, id: 6, email: 'Q' });
    await assert.rejects(twice.commit(), /UniqueViolation/);
    await assertSettled(peer, db, table);
    assert.equal((await rowsIn(db, table)).keys.length, 2);
  });

  test("of a write that may yet be done are nobody else's until it is too old", async () => {
    const { table, db, members } = await team(peer);
    const { plan, reached, release } = heldAt(2);
    const stalled = memberDb(peer, new FaultyClient(plan), 'patient').repo(Member, { table }).create(ann);
    await reached;
    await rejects(members.create(ben), 'UniqueViolation');
    const impatient = memberDb(peer, new FaultyClient(), 'impatient').repo(Member, {
      table,
    });
    await impatient.create(ben);
    release();
    await rejects(stalled, 'UniqueViolation');
    assert.equal(await members.get(ann), undefined);
    await assertSettled(peer, db, table);
  });

  test('of a row that its own writers want at a time go with the one that writes it', async () => {
    const { table, db, members } = await team(peer);
    const { plan, reached, release } = heldAt(2);
    const stalled = memberDb(peer, new FaultyClient(plan), 'patient').repo(Member, { table }).create(ann);
    await reached;
    await members.create(ann);
    release();
    await rejects(stalled, 'AlreadyExists');
    await assertSettled(peer, db, table);
  });

  test('are settled by their rows after a lost answer', async () => {
    for (const fault of ['reset after', 'busy after', 'failed after', 'reset before'] as const)
      for (const at of [1, 2]) {
        const table = await peer.newTable();
        const client = new FaultyClient(n => (n === at ? fault : undefined));
        const db = memberDb(peer, client, 'patient');
        await db.repo(Member, { table }).create(ann);
        // An aborted transaction would keep its record for good.
        const { records } = await rowsIn(db, table);
        assert.deepEqual(
          records.map(({ properties }) => properties.get('State')?.value),
          ['committed'],
          `${fault} at ${at}`,
        );
        await rejects(db.repo(Member, { table }).create(ben), 'UniqueViolation');
        await assertSettled(peer, db, table);
      }
  });

  test('are made for rows that are there, by backfills that end anywhere while others write', async () => {
    const end = fc.tuple(
      fc.constantFrom('dies before', 'dies after', 'reset after'),
      fc.integer({ min: 0, max: 40 }),
    );
    const writers = fc.array(fc.array(step, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 2 });
    const property = fc.asyncProperty(fc.array(end, { maxLength: 4 }), writers, async (ends, all) => {
      const { table, db, members } = await team(peer);
      const older = db.repo(Unindexed, { table });
      for (let id = 10; id < 17; id++) await older.create({ team: `t${id % 3}`, id, email: `${id}@x.org` });
      const write = async (steps: (typeof all)[number]): Promise<void> => {
        for (const each of steps)
          await run(members, each).catch((thrown: unknown) => assert(PatternError.is(thrown), `${thrown}`));
      };
      await Promise.all([made(peer, table, ends), ...all.map(write)]);
      for await (const { findings } of audit(db, Member, { table }))
        assert.deepEqual(
          findings.filter(({ key: of }) => (of?.id ?? 0) >= 10),
          [],
        );
      await assertSettled(peer, db, table);
    });
    await lawOfTurns(property, { cost: 1_500, least: 5, most: 200, filter: 'remote/unique' });
  });

  test('of two rows that had one before it was unique go to one of them, and the other is told', async () => {
    const { table, db } = await team(peer);
    const older = db.repo(Unindexed, { table });
    await older.create(ann);
    await older.create(ben);
    const found: Finding[] = [];
    for await (const { findings } of rebuild(db, Member, 'byEmail', { table })) found.push(...findings);
    assert.deepEqual(
      found.map(({ fault, key: of }) => [fault, of?.team]),
      [
        ['missing', 'a'],
        ['missing', 'b'],
      ],
    );
    // Rows of a page are looked at at once, so either may have come first.
    const given = found.map(({ isRepaired, reason }) => [isRepaired, reason?.code] as const);
    assert.deepEqual(given.toSorted(), [
      [false, 'UniqueViolation'],
      [true, undefined],
    ]);
  });

  test('that nothing came of are orphans when they are too old', async () => {
    const { table, db } = await team(peer);
    const client = new FaultyClient(faultAt('dies after', 1));
    await memberDb(peer, client, 'patient')
      .repo(Member, { table })
      .create(ann)
      .catch(() => undefined);
    const faults = async (patience: Patience): Promise<readonly string[]> => {
      const all: string[] = [];
      const own = memberDb(peer, new FaultyClient(), patience);
      for await (const { findings } of rebuild(own, Member, 'byEmail', { table }))
        all.push(...findings.map(({ fault, isRepaired }) => `${fault} ${isRepaired}`));
      return all;
    };
    assert.deepEqual(await faults('patient'), []);
    assert.deepEqual(await faults('impatient'), ['orphan true']);
    assert.deepEqual((await rowsIn(db, table)).keys, []);
  });
});
