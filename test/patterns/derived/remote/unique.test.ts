// Unique keys of indexes in other partitions: of writers that want one key, one gets it; and what they leave behind is settled. matrix/ ends programs at every request, beside other writers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { codec, type Db, entity, key, open, part, t } from '#patterns';
import { audit, rebuild } from '#patterns/audit';
import { indexFlow, remote } from '#patterns/indexes';
import { connect, Reservations } from '#patterns/internals';
import { bags } from '#patterns/mixed';
import { findingsOf } from '../../support/collect.js';
import { type FaultPlan, FaultyClient, faultAt, heldAt } from '../../support/faulty-client.js';
import { describePeers, fresh, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

/** Members whose e-mail is unique over all teams, each team in its own partition. */
const common = {
  version: 1,
  table: 'Members',
  props: { team: t.string(), id: t.int32(), email: t.string().optional(), note: t.string().optional() },
  partition: key('team', part('team')),
  row: key('member', part('id')),
} as const;

/** As programs know it that know no index. */
const Unindexed = entity('Member', common);
const Member = entity('Member', {
  ...common,
  indexes: {
    byEmail: {
      kind: remote,
      partition: p => key('email', p.email.as(codec.lower)),
      row: key('email'),
      unique: true,
      project: ['note'],
    },
  },
});
const ann = { team: 'a', id: 1, email: 'x@x.org' } as const;
const ben = { team: 'b', id: 1, email: 'X@x.org' } as const;
const [byEmail] = Member.plan.remoteIndexes;
assert(byEmail);

/** All rows by what they are: members, index rows and records of transactions. */
async function rowsIn(db: Db, table: string) {
  const rows = await bags(db, table).scan().allowScan('a check').take(1_000);
  const of = (tag: string) => rows.filter(row => row.properties.get('EntityType')?.value === tag);
  return { members: of('Member.1'), keys: of('Member.byEmail.1'), records: of('Transaction.1') };
}

/** Reservations are never, or always, too old. */
type Patience = 'patient' | 'impatient';
const reserveFor = { patient: 3_600, impatient: -10 } as const;

const OPTIONS = { sleep: () => pause(1), reserveFor: reserveFor.patient, announceAfter: 0 };

const memberDb = (peer: Peer, patience: Patience = 'patient', plan?: FaultPlan): Db =>
  peer.open({ ...OPTIONS, httpClient: new FaultyClient(plan), reserveFor: reserveFor[patience] });

async function team(peer: Peer) {
  const { table, db, repo: members, httpClient } = await fresh(peer, Member, OPTIONS);
  await indexFlow(Member).createQueues(db);
  const other = (patience?: Patience, plan?: FaultPlan) =>
    memberDb(peer, patience, plan).repo(Member, { table });
  return { table, db, members, httpClient, other, settled: () => assertSettled(peer, db, table) };
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
async function assertSettled(peer: Peer, db: Db, table: string): Promise<void> {
  await settleAll(peer, db, table);
  const { members, keys } = await rowsIn(db, table);
  const emails = members.flatMap(({ properties }) => properties.get('email')?.value ?? []);
  const held = emails.map(email => `email!${codec.lower.encode(String(email))}`);
  assert.deepEqual(keys.map(({ partitionKey }) => partitionKey).toSorted(), held.toSorted());
  assert(keys.every(({ properties }) => !properties.has('_reserved')));
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
    const audited = async (keepAborted: number | undefined, repair: boolean, of?: string) => {
      const own = open(clients, keepAborted === undefined ? {} : { keepAborted });
      const partition = of === undefined ? undefined : { team: of };
      const found = await findingsOf(audit(own, Member, { table, repair, partition, size: 1 }));
      return found.map(
        each => `${each.fault} ${each.of} ${each.rowKey}${each.isRepaired ? ' repaired' : ''}`,
      );
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
    const { table, db, members, settled } = await team(peer);
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
    await settled();
    await members.delete(moved);
    await members.create({ team: 'c', id: 1, email: 'z@x.org' });
    await settled();
  });

  test('are none of rows without their property, and stay with writes that do not change them', async () => {
    const { table, db, members, httpClient, settled } = await team(peer);
    const row = await members.create({ team: 'a', id: 1 });
    await members.create({ team: 'a', id: 2 });
    const taken = await members.merge(row, { email: 'x@x.org' });
    const patch = { note: 'n', email: 'X@X.ORG' };
    assert.equal(await httpClient.counted(() => members.merge(taken, patch)), 2, 'a message and the write');
    await settled();
    await members.mutate(taken.value, noted => noted && { team: 'a', id: 1, note: noted.note });
    await settled();
    assert.equal((await rowsIn(db, table)).keys.length, 0);
    const requests = await httpClient.counted(() => members.create({ ...ann, id: 3 }));
    assert.equal(requests, 3, 'a message, the key, the transaction');
  });

  test('are given back by a write that is refused', async () => {
    const { table, db, members, other, settled } = await team(peer);
    const row = await members.create({ team: 'a', id: 1 });
    await members.merge(row, { note: 'changed' });
    await rejects(members.merge(row, { email: 'x@x.org' }), 'Conflict');
    await rejects(members.create(ann), 'AlreadyExists');
    const { keys, records } = await rowsIn(db, table);
    assert.deepEqual([keys.length, records.length], [0, 0]);
    // The caller gets the refusal, not the failure to give the key back.
    const plan: FaultPlan = (_, { method }) => (method === 'DELETE' ? 'reset before' : undefined);
    await rejects(other('patient', plan).create(ann), 'AlreadyExists');
    await settled();
    await members.create(ben);
  });

  test('go in batches, all or none', async () => {
    const { table, db, settled } = await team(peer);
    const batch = () => db.batch(Member, { team: 'a' }, { table });
    const one = batch()
      .create(Member, ann)
      .create(Member, { ...ann, id: 2, email: 'y@x.org' });
    assert.deepEqual(one.size.operations, 3);
    await one.commit();
    const two = batch()
      .create(Member, { ...ann, id: 3, email: 'z@x.org' })
      .create(Member, { ...ann, id: 4 });
    await rejects(two.commit(), 'BatchFailed', { index: 1, reason: 'UniqueViolation' });
    assert.equal((await rowsIn(db, table)).keys.length, 2);
    const twice = batch()
      .create(Member, { ...ann, id: 5, email: 'q' })
      .create(Member, { ...ann, id: 6, email: 'Q' });
    await assert.rejects(twice.commit(), /UniqueViolation/);
    await settled();
    assert.equal((await rowsIn(db, table)).keys.length, 2);
  });

  test("of a write that may yet be done are nobody else's until it is too old", async () => {
    const { members, other, settled } = await team(peer);
    const { plan, reached, release } = heldAt(2);
    const stalled = other('patient', plan).create(ann);
    await reached;
    await rejects(members.create(ben), 'UniqueViolation');
    await other('impatient').create(ben);
    release();
    await rejects(stalled, 'UniqueViolation');
    assert.equal(await members.get(ann), undefined);
    await settled();
  });

  test('of a row that its own writers want at a time go with the one that writes it', async () => {
    const { members, other, settled } = await team(peer);
    const { plan, reached, release } = heldAt(2);
    const stalled = other('patient', plan).create(ann);
    await reached;
    await members.create(ann);
    release();
    await rejects(stalled, 'AlreadyExists');
    await settled();
  });

  test('are settled by their rows after a lost answer', async () => {
    for (const fault of ['reset after', 'busy after', 'failed after', 'reset before'] as const)
      for (const at of [1, 2]) {
        const table = await peer.newTable();
        const db = memberDb(peer, 'patient', faultAt(fault, at));
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

  test('of two rows that had one before it was unique go to one of them, and the other is told', async () => {
    const { table, db } = await team(peer);
    const older = db.repo(Unindexed, { table });
    await older.create(ann);
    await older.create(ben);
    const found = await findingsOf(rebuild(db, Member, 'byEmail', { table }));
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
    const { table, db, other } = await team(peer);
    await assert.rejects(other('patient', faultAt('dies after', 1)).create(ann));
    const faults = async (patience: Patience) => {
      const found = await findingsOf(rebuild(memberDb(peer, patience), Member, 'byEmail', { table }));
      return found.map(({ fault, isRepaired }) => [fault, isRepaired]);
    };
    assert.deepEqual(await faults('patient'), []);
    assert.deepEqual(await faults('impatient'), [['orphan', true]]);
    assert.deepEqual((await rowsIn(db, table)).keys, []);
  });
});
