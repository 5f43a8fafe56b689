// Indexes in other partitions and tables over the wire: what each write sends, what the worker makes of it, and how they are read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, key, open, PatternError, t } from '#patterns';
import { change, deleteRows, writeAll } from '#patterns/bulk';
import { indexFlow, remote } from '#patterns/indexes';
import { bags } from '#patterns/mixed';
import { column } from '../../support/column.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { ann, ben, remoteWorld } from './remote-world.js';

const EMAIL_OF_ANN = 'ann@x.0org e!Sales!person!000001';
const NAME_OF_ANN = 'name!Jones n!Sales!person!000001';

describePeers('remote indexes', peer => {
  test('are kept by their flow, and read fresh or as they are', async () => {
    const { people, drain, rows, assertExact } = await remoteWorld(peer);
    const row = await people.create(ann);
    assert.deepEqual(await rows(), []);
    await drain();
    assert.deepEqual(await rows(), [EMAIL_OF_ANN, NAME_OF_ANN]);
    await assertExact();
    const hit = await people.index('byEmail', 'index-only').partition({ email: 'ANN@x.org' }).first();
    assert.deepEqual(hit?.value, { department: 'Sales', id: 1, email: 'Ann@X.org', last: 'Jones' });
    const fresh = people.index('byEmail', 'verified');
    const [found] = await fresh.partition({ email: 'ann@x.org' }).take(9);
    assert.deepEqual([found?.value, found?.etag, found?.whole], [ann, row.etag, true]);
    assert(found && (await people.merge(found, { note: 'as any row that was read' })));
    assert.equal((await fresh.get({ ...ann }))?.value.note, 'as any row that was read');
  });

  test('say which way they are read', async () => {
    const { people } = await remoteWorld(peer);
    // @ts-expect-error it may be behind, and which of the two is wanted has to be said
    await rejects(async () => people.index('byEmail'), 'ValueInvalid');
    // @ts-expect-error no such reading
    await rejects(async () => people.index('byEmail', 'now'), 'ValueInvalid');
    const byEmail = people.index('byEmail', 'verified').partition({ email: 'a' });
    // @ts-expect-error no such property in its rows
    void (() => byEmail.where(p => p.note.eq('x')));
    const asOf = people.index('byName', 'index-only').partition({ last: 'Jones' });
    const fresh = people.index('byName', 'verified').partition({ last: 'Jones' });
    assert.equal(asOf.explain().class, 'range');
    assert.equal(asOf.rows({ department: 'Sales' }).explain().class, 'range');
    const plan = fresh.rows({ department: 'Sales' }).explain();
    assert.equal(plan.class, 'range');
    assert.match(plan.requests[1] ?? '', /^GET \w+\(PartitionKey='…',RowKey='…'\)$/);
    assert.equal(people.index('byName', 'verified').scan().explain().class, 'table-scan');
  });

  test('fresh reads leave out what a row no longer says, and tell of it', async () => {
    const { people, drain } = await remoteWorld(peer);
    const [first, second] = [await people.create(ann), await people.create(ben)];
    await drain();
    const stale: unknown[] = [];
    const onStale = ({ hit, row }: { hit: { value: { id: number } }; row: unknown }): void => {
      stale.push([hit.value.id, row !== undefined]);
    };
    const joneses = () => people.index('byName', 'verified', { onStale }).partition({ last: 'Jones' });
    await people.merge(first, { last: 'Smith', note: 'moved' });
    await people.delete(second);
    assert.deepEqual(await joneses().take(9), []);
    assert.deepEqual(stale, [
      [1, true],
      [2, false],
    ]);
    assert.equal((await people.index('byName', 'index-only').partition({ last: 'Jones' }).take(9)).length, 2);
    // What is not there yet is not found.
    assert.deepEqual(await people.index('byName', 'verified').partition({ last: 'Smith' }).take(9), []);
    await drain();
    const [smith] = await people
      .index('byName', 'verified', { onStale })
      .partition({ last: 'Smith' })
      .where(p => p.note.eq('moved'))
      .take(9);
    assert.equal(smith?.value.id, 1);
    // A condition holds of the row as it is, and not of the index row.
    await people.merge(smith, { note: 'again' });
    const moved = people.index('byName', 'verified', { onStale }).partition({ last: 'Smith' });
    assert.deepEqual(await moved.where(p => p.note.eq('moved')).take(9), []);
    assert.deepEqual(column(await moved.take(9), 'note'), ['again']);
    assert.equal(stale.length, 3);
  });

  test('pages of fresh rows go on by tokens', async () => {
    const { people, drain } = await remoteWorld(peer);
    for (let id = 1; id <= 7; id++) await people.create({ ...ann, id });
    await drain();
    for (const id of [1, 2, 3]) await people.delete({ key: { department: 'Sales', id }, etag: '*' });
    const query = people.index('byName', 'verified').partition({ last: 'Jones' });
    const first = await query.page({ size: 2 });
    assert.deepEqual(column(first.items, 'id'), [4]);
    const rest = await query.page({ size: 2, resume: first.next });
    assert.deepEqual(column(rest.items, 'id'), [5, 6]);
    assert.deepEqual(column(await query.take(2), 'id'), [4, 5]);
  });

  test('follow each write by its name', async () => {
    const { db, people, Person, drain, assertExact } = await remoteWorld(peer);
    const settled = async (message: string): Promise<void> => {
      const events = await drain();
      assert(
        events.some(({ kind }) => kind === 'done'),
        message,
      );
      await assertExact(message);
    };
    let row = await people.create(ann);
    await settled('create');
    row = await people.replace(row, { ...ann, email: 'ann@y.org' });
    await settled('replace');
    row = await people.merge(row, { last: 'Smith', email: null });
    await settled('merge, sparse');
    await people.merge({ key: ann, etag: '*' }, { email: 'ann@z.org' });
    await settled('merge by key');
    await people.upsert({ ...ann, last: 'Brown' });
    await settled('upsert');
    await people.upsertMerge({ ...ann, last: 'Green' });
    await settled('upsertMerge');
    await people.upsert(ben);
    await settled('upsert of a new row');
    await people.mutate(ann, current => current && { ...current, last: 'White' });
    await settled('mutate');
    await people.delete({ key: ann, etag: '*' });
    await settled('delete by key');
    await people.deleteIfExists({ key: ben, etag: '*' });
    await settled('deleteIfExists');
    const batch = db.batch(Person, { department: 'Sales' });
    for (let id = 1; id <= 30; id++) batch.create(Person, { ...ann, id });
    await batch.commit();
    assert.equal((await indexFlow(Person).figures(db)).pending, 1, 'one message for a batch');
    await settled('a batch');
    const [one, two] = await people.partition({ department: 'Sales' }).take(99);
    assert(one && two);
    await db
      .batch(Person, { department: 'Sales' })
      .merge(Person, one, { last: 'Black' })
      .delete(Person, two)
      .commit();
    await settled('a batch of changes');
    const changes = [
      change.create(Person, { ...ann, id: 99 }),
      change.upsert(Person, { ...ann, id: 3, last: 'Grey' }),
    ];
    for await (const report of writeAll(db, changes)) assert.equal(report.kind, 'done');
    await settled('bulk');
    const query = people.partition({ department: 'Sales' }).where(p => p.id.gt(10));
    for await (const { deleted } of deleteRows(db, query, { conditional: false })) assert(deleted > 0);
    await settled('deleteRows');
    assert.equal((await people.partition({ department: 'Sales' }).take(99)).length, 9);
  });

  test('a write that changes nothing there sends no message, and a refused one takes its message back', async () => {
    const { db, people, Person, drain } = await remoteWorld(peer);
    const pending = async (): Promise<number> => (await indexFlow(Person).figures(db)).pending;
    const row = await people.create({ department: 'Sales', id: 3, last: 'Jones', email: 'c@x.org' });
    await drain();
    const Bare = entity('Bare', {
      ...{
        version: 1,
        table: Person.table,
        props: { id: t.int32(), name: t.string().optional(), note: t.string().optional() },
      },
      partition: key('bare'),
      row: p => key('bare', p.id),
      indexes: { byName: { kind: remote, partition: p => key('bare-name', p.name), row: key('n') } },
    });
    await indexFlow(Bare).createQueues(db);
    const bare = await db.repo(Bare).create({ id: 1, note: 'sparse' });
    await db.repo(Bare).merge(bare, { note: 'new' });
    assert.equal((await indexFlow(Bare).figures(db)).pending, 0);
    await rejects(people.create({ ...row.value, last: 'Other' }), 'AlreadyExists');
    const now = await people.merge(row, { note: 'in whole copies' });
    await drain();
    await rejects(people.merge(row, { last: 'Late' }), 'Conflict');
    await rejects(people.delete(row), 'Conflict');
    await rejects(db.batch(Person, ann).merge(Person, row, { last: 'Late' }).commit(), 'BatchFailed');
    assert.equal(await pending(), 0);
    assert.equal(now.value.note, 'in whole copies');
  });

  test('are refused where nothing would keep them, by name', async () => {
    const { people, Person, db } = await remoteWorld(peer);
    const row = await people.create(ann);
    for (const [without, reason] of [
      [open({ tables: peer.client() }), /byEmail.*QueueServiceClient/],
      [peer.open({ operationIds: false }), /byEmail.*operation ids/],
    ] as const) {
      const refuses = async (run: () => Promise<unknown>): Promise<void> => {
        await assert.rejects(
          run,
          (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid') && reason.test(thrown.message),
        );
      };
      const repo = without.repo(Person);
      await refuses(() => repo.create(ben));
      await refuses(() => repo.replace(row, ann));
      await refuses(() => repo.upsert(ben));
      await refuses(() => repo.delete(row));
      await refuses(() => repo.mutate(ann, value => value && { ...value, last: 'New' }));
      await refuses(() => without.batch(Person, ann).create(Person, ben).commit());
      const { value: report } = await writeAll(without, [change.create(Person, ben)]).next();
      assert(report?.kind === 'failed' && reason.test(report.error.message));
      assert.equal((await repo.get(ann))?.etag, row.etag);
    }
    // An index with a table of its own is of the rows of one table.
    const other = await peer.newTable();
    await rejects(async () => db.repo(Person, { table: other }).create(ann), 'DefinitionInvalid');
    await rejects(
      async () => db.repo(Person, { table: other }).index('byEmail', 'index-only'),
      'DefinitionInvalid',
    );
    await rejects(async () => db.batch(Person, ann).upsert(Person, ben).commit(), 'RowNotRead');
  });

  test('without a queue the write is not done', async () => {
    const { Person, db } = await remoteWorld(peer);
    const Other = entity(`${Person.name}b`, {
      version: 1,
      table: Person.table,
      props: { id: t.int32(), name: t.string() },
      partition: key('other'),
      row: p => key('other', p.id.as(codec.int(3))),
      indexes: { byName: { kind: remote, partition: p => key('other-name', p.name), row: key('n') } },
    });
    await rejects(db.repo(Other).create({ id: 1, name: 'a' }), 'QueueNotFound');
    assert.equal(await db.repo(Other).get({ id: 1 }), undefined);
  });

  test('rows of an index are none of its entity, nor of mixed reads', async () => {
    const { db, people, Person, drain } = await remoteWorld(peer);
    await people.create(ann);
    await drain();
    assert.equal((await people.scan().allowScan('a test').take(9)).length, 1);
    assert.equal((await bags(db, Person.table).scan().allowScan('a test').take(9)).length, 2);
    const hits = people.index('byName', 'index-only').partition({ last: 'Jones' });
    await rejects(deleteRows(db, hits, { conditional: true }).next(), 'ValueInvalid');
  });
});
