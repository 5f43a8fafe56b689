// A row that was read, whose value the caller assigned to in place, as programs without types can: index rows, keys, list entries, copies, blobs, further rows and moves follow from what the row held.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { entity, key, t } from '#patterns';
import { change, deleteRows, writeAll } from '#patterns/bulk';
import { move } from '#patterns/flows';
import { indexFlow } from '#patterns/indexes';
import { larges, largeText } from '#patterns/large';
import { auditLists, listed, listOf } from '#patterns/lists';
import { wide, wideRepo } from '#patterns/wide';
import { ann, assertExact, Person } from '../../support/indexed-entity.js';
import { describePeers, fresh } from '../../support/peers.js';
import { definitions, writesOf } from '../copies/managers.js';
import * as remote from '../remote/remote-world.js';
import * as unique from '../remote/unique-world.js';

/** The row, with these in its value, which is the same object. */
function assigned<S extends { readonly value: object }>(row: S | undefined, to: object): S {
  assert(row);
  Object.assign(row.value, to);
  return row;
}

const email = { email: 'new@x.org' };

describePeers('what follows from a row whose value was assigned to', peer => {
  let names = 0;
  const people = async () => {
    const { db, table, repo } = await fresh(peer, Person);
    const row = assigned(await repo.create(ann), email);
    return { db, table, repo, row, exact: () => assertExact(db, table) };
  };

  type Near = Awaited<ReturnType<typeof people>>;
  /** Each write of the row, and the address that it leaves. */
  const WRITES: Readonly<Record<string, [(near: Near) => Promise<unknown>, string | undefined]>> = {
    'a replace': [({ repo, row }) => repo.replace(row, row.value), email.email],
    'a replace by a copy of the row': [
      async ({ repo }) => {
        const row = (await repo.get(ann)) ?? assert.fail();
        const next = { ...row, value: { ...row.value, ...email } };
        await repo.replace(next, next.value);
      },
      email.email,
    ],
    'a merge': [({ repo, row }) => repo.merge(row, email), email.email],
    'a merge of something else': [({ repo, row }) => repo.merge(row, { note: 'new' }), ann.email],
    'a delete': [({ repo, row }) => repo.delete(row), undefined],
    'a mutate': [({ repo }) => repo.mutate(ann, value => value && Object.assign(value, email)), email.email],
  };
  for (const [name, [write, left]] of Object.entries(WRITES))
    test(`is right for a near index after ${name}`, async () => {
      const near = await people();
      await write(near);
      await near.exact();
      assert.equal((await near.repo.get(ann))?.value.email, left);
    });

  test('is right for a near index after a batch, and after bulk writes', async () => {
    const { db, table, row, repo, exact } = await people();
    const batch = db.batch(Person, ann, { table });
    const [written] = await batch.replace(Person, row, row.value).commit();
    await exact();
    assigned(written, { email: 'newer@x.org' });
    for await (const report of writeAll(db, [change.replace(Person, written, written.value)]))
      assert.equal(report.kind, 'done');
    await exact();
    const page = await repo.partition(ann).page();
    for (const found of page.items) assigned(found, email);
    const rows = {
      pages: async function* () {
        yield page;
      },
    };
    for await (const { deleted } of deleteRows(db, rows, { conditional: true })) assert.equal(deleted, 1);
    await exact();
  });

  test('is right for remote indexes', async () => {
    const world = await remote.remoteWorld(peer);
    const row = assigned(await world.people.create(remote.ann), { ...email, last: 'Smith' });
    const replaced = await world.people.replace(row, row.value);
    await world.drain();
    await world.assertExact();
    assert.equal((await world.rows()).length, 2);
    await world.people.delete(assigned(replaced, { email: 'newer@x.org' }));
    await world.drain();
    assert.deepEqual(await world.rows(), []);
  });

  test('is right for remote unique keys', async () => {
    const table = await peer.newTable();
    const Member = unique.defineMember(`Assigned${++names}`);
    const db = peer.open({ announceAfter: 0 });
    await indexFlow(Member).createQueues(db);
    const members = db.repo(Member, { table });
    const row = assigned(await members.create(unique.ann), email);
    const kept = async () => {
      await remote.drain(db, Member as never);
      await unique.assertKept(db, table, undefined, Member);
    };
    const replaced = await members.replace(row, row.value);
    await kept();
    await members.create({ ...unique.ben, email: unique.ann.email });
    await members.delete(assigned(replaced, { email: 'newer@x.org' }));
    await kept();
  });

  test('is right for copies in the partition of their source', async () => {
    const table = await peer.newTable();
    const db = peer.open();
    const defined = definitions(table, table, `assigned-${peer.name}`, {
      whenDeleted: 'null',
      where: 'same-partition',
    });
    const { hire, found } = writesOf(db, defined);
    const one = await hire(1, 'one');
    await hire(2, 'two');
    const department = await found(1, 1);
    const sources = db.repo(defined.Employee);
    const source = assigned(await sources.get(one.value), { name: 'first' });
    await sources.replace(source, source.value);
    const holders = db.repo(defined.Department);
    const names = async () => {
      const { value } = (await holders.get(department.value)) ?? assert.fail();
      return [value.managerId, (value as Record<string, unknown>).managerName];
    };
    assert.deepEqual(await names(), [1, 'first']);
    const holder = assigned(await holders.get(department.value), { managerId: 2 });
    await holders.replace(holder, holder.value);
    assert.deepEqual(await names(), [2, 'two']);
    await sources.delete(assigned(await sources.get({ id: 2 }), { id: 1 }));
    assert.equal((await names())[1], undefined);
  });

  test('is right for lists', async () => {
    const table = await peer.newTable();
    const db = peer.open();
    const Employee = entity('Employee', {
      version: 1,
      table,
      props: { department: t.string(), id: t.int32(), team: t.string().optional() },
      partition: p => key(p.department),
      row: p => key('employee', p.id),
    });
    const byTeam = listOf(Employee, 'byTeam', { where: 'same-partition', row: p => key('team', p.team) });
    const employees = listed(db, Employee, [byTeam]);
    const exact = async () => {
      for await (const { findings } of auditLists(db, byTeam)) assert.deepEqual(findings, []);
    };
    const row = assigned(await employees.create({ department: 'a', id: 1, team: 'one' }), { team: 'two' });
    const replaced = await employees.replace(row, row.value);
    await exact();
    await employees.delete(assigned(replaced, { team: 'three' }));
    await exact();
  });

  test('is right for wide entities', async () => {
    const Wide = wide('Wide', {
      version: 1,
      table: await peer.newTable(),
      props: { id: t.string(), note: t.string(), photo: t.bytes() },
      partition: key('wide'),
      row: p => key(p.id),
    });
    const rows = wideRepo(peer.open(), Wide);
    const photo = Uint8Array.of(1);
    const row = assigned(await rows.create({ id: 'a', note: 'old', photo }), { note: 'new' });
    photo.fill(9);
    await rows.merge(row, { note: 'new', photo });
    const read = (await rows.get({ id: 'a' })) ?? assert.fail();
    assert.deepEqual(read.value, { id: 'a', note: 'new', photo: Uint8Array.of(9) });
    const again = assigned(read, { note: 'newer' });
    again.value.photo.fill(3);
    await rows.replace(again, again.value);
    assert.deepEqual((await rows.get({ id: 'a' }))?.value, again.value);
    await rows.mutate({ id: 'a' }, value => value && Object.assign(value, { note: 'newest' }));
    assert.equal((await rows.get({ id: 'a' }))?.value.note, 'newest');
  });

  test('is right for blobs of large values', async () => {
    const container = 'assigned';
    const Text = entity('Assigned', {
      version: 1,
      table: await peer.newTable(),
      props: { id: t.string(), text: largeText({ over: 10 }) },
      partition: key('texts'),
      row: p => key(p.id),
    });
    const client = peer.blobs().getContainerClient(container);
    await client.createIfNotExists();
    const texts = larges(peer.open(), Text, { container });
    const a = await texts.create({ id: 'a', text: 'a'.repeat(20) });
    const b = await texts.create({ id: 'b', text: 'b'.repeat(20) });
    assigned(a, { text: b.value.text });
    await texts.replace(a, a.value);
    await texts.delete(b);
    const read = (await texts.get({ id: 'a' })) ?? assert.fail();
    assert.equal(await texts.content(read, 'text'), 'b'.repeat(20));
    const blobs: string[] = [];
    for await (const { name } of client.listBlobsFlat()) blobs.push(name);
    assert.equal(blobs.length, 1);
  });

  test('is right for a row that is moved', async () => {
    const [table, toTable] = [await peer.newTable(), await peer.newTable()];
    const db = peer.open();
    const moving = move(`assigned-${peer.name}`, {
      from: Person,
      to: Person,
      fromTable: table,
      toTable,
      become: value => Object.assign(value, email),
    });
    await moving.flow.createQueues(db);
    const rows = db.repo(Person, { table });
    await rows.create(ann);
    await moving.start(db, ann);
    await using _ = moving.flow.worker(db, { grace: 3, redeliverAfter: 1, rest: { base: 20, cap: 100 } });
    await until('the move', async () => (await rows.get(ann)) === undefined);
    await assertExact(db, table);
    await assertExact(db, toTable);
  });
});
