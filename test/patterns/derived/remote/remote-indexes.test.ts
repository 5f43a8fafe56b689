// Indexes in other partitions and tables over the wire: what each write sends, what the worker makes of it, also behind others, and how they are read. matrix/ ends programs and workers at every request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, entity, Instant, key, open, PatternError, t } from '#patterns';
import { change, deleteRows, writeAll } from '#patterns/bulk';
import { indexFlow, remote } from '#patterns/indexes';
import type { ChangedRow } from '#patterns/internals';
import { bags } from '#patterns/mixed';
import { pageByPage } from '../../support/collect.js';
import { column } from '../../support/column.js';
import { before, FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { ann, ben, remoteWorld } from './remote-world.js';

const EMAIL_OF_ANN = 'ann@x.0org e!Sales!person!000001';
const NAME_OF_ANN = 'name!Jones n!Sales!person!000001';
/** The index row keys of a person with this e-mail, or this name. */
const emailOf = (address: string) =>
  ['byEmail', address.replace('.', '.0'), 'e!Sales!person!000001'] as const;
const nameOf = (last: string) => ['byName', `name!${last}`, 'n!Sales!person!000001'] as const;
const FIRST = [emailOf('ann@x.org'), nameOf('Jones')];
const SECOND = [...FIRST, emailOf('ann@y.org'), nameOf('Smith')];

type World = Awaited<ReturnType<typeof remoteWorld>>;

/** Does what a worker does with a message. */
async function work({ Person }: World, db: Db, row: Omit<ChangedRow, 'partitionKey' | 'rowKey'>) {
  const [step] = indexFlow(Person).definition.steps;
  const changes = [{ partitionKey: 'Sales', rowKey: 'person!000001', ...row }];
  const { signal } = new AbortController();
  const context = { db, id: 'x', attempt: 1, signal, operationId: undefined, deletes: false };
  return step?.run({ table: Person.table, changes }, { ...context, note: () => undefined });
}

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
    const fresh = people.index('byName', 'verified');
    const plan = fresh.partition({ last: 'Jones' }).rows({ department: 'Sales' }).explain();
    assert.match(plan.requests[1] ?? '', /^GET \w+\(PartitionKey='…',RowKey='…'\)$/);
    const plans = [
      asOf.explain(),
      asOf.rows({ department: 'Sales' }).explain(),
      plan,
      fresh.scan().explain(),
    ];
    assert.deepEqual(
      plans.map(({ class: queryClass }) => queryClass),
      ['range', 'range', 'range', 'table-scan'],
    );
  });

  test('fresh reads leave out what a row no longer says, and tell of it', async () => {
    const { people, drain } = await remoteWorld(peer);
    const [first, second] = [await people.create(ann), await people.create(ben)];
    await drain();
    const stale: unknown[] = [];
    const onStale = ({ hit, row }: { hit: { value: { id: number } }; row: unknown }): void => {
      stale.push([hit.value.id, row !== undefined]);
    };
    const named = (last: string) => people.index('byName', 'verified', { onStale }).partition({ last });
    await people.merge(first, { last: 'Smith', note: 'moved' });
    await people.delete(second);
    assert.deepEqual(await named('Jones').take(9), []);
    assert.deepEqual(stale, [
      [1, true],
      [2, false],
    ]);
    assert.equal((await people.index('byName', 'index-only').partition({ last: 'Jones' }).take(9)).length, 2);
    // What is not there yet is not found.
    assert.deepEqual(await named('Smith').take(9), []);
    await drain();
    const moved = named('Smith').where(p => p.note.eq('moved'));
    const [smith] = await moved.take(9);
    assert.equal(smith?.value.id, 1);
    // A condition holds of the row as it is, and not of the index row.
    await people.merge(smith, { note: 'again' });
    assert.deepEqual(await moved.take(9), []);
    assert.deepEqual(column(await named('Smith').take(9), 'note'), ['again']);
    assert.equal(stale.length, 3);
  });

  test('pages of fresh rows go on by tokens', async () => {
    const { people, drain } = await remoteWorld(peer);
    for (let id = 1; id <= 7; id++) await people.create({ ...ann, id });
    await drain();
    for (const id of [1, 2, 3]) await people.delete({ key: { department: 'Sales', id }, etag: '*' });
    const query = people.index('byName', 'verified').partition({ last: 'Jones' });
    const pages = await pageByPage(resume => query.pages({ size: 2, resume }));
    assert.deepEqual(
      pages.map(({ items }) => column(items, 'id')),
      [[4], [5, 6], [7]],
    );
    assert.deepEqual(column(await query.take(2), 'id'), [4, 5]);
  });

  test('a write that changes nothing there sends no message, and a refused one takes its message back', async () => {
    const { db, people, Person, drain } = await remoteWorld(peer);
    const Bare = entity('Bare', {
      version: 1,
      table: Person.table,
      props: { id: t.int32(), name: t.string().optional(), note: t.string().optional() },
      partition: key('bare'),
      row: p => key('bare', p.id),
      indexes: { byName: { kind: remote, partition: p => key('bare-name', p.name), row: key('n') } },
    });
    // Without a queue the write is not done.
    await rejects(db.repo(Bare).create({ id: 1, name: 'a' }), 'QueueNotFound');
    assert.equal(await db.repo(Bare).get({ id: 1 }), undefined);
    await indexFlow(Bare).createQueues(db);
    const bare = await db.repo(Bare).create({ id: 1, note: 'sparse' });
    await db.repo(Bare).merge(bare, { note: 'new' });
    assert.equal((await indexFlow(Bare).figures(db)).pending, 0);
    const row = await people.create({ department: 'Sales', id: 3, last: 'Jones', email: 'c@x.org' });
    await drain();
    await rejects(people.create({ ...row.value, last: 'Other' }), 'AlreadyExists');
    const now = await people.merge(row, { note: 'in whole copies' });
    await drain();
    await rejects(people.merge(row, { last: 'Late' }), 'Conflict');
    await rejects(people.delete(row), 'Conflict');
    await rejects(db.batch(Person, ann).merge(Person, row, { last: 'Late' }).commit(), 'BatchFailed');
    assert.equal((await indexFlow(Person).figures(db)).pending, 0);
    assert.equal(now.value.note, 'in whole copies');
  });

  test('are refused where nothing would keep them, by name', async () => {
    const { people, Person, db } = await remoteWorld(peer);
    const row = await people.create(ann);
    for (const [without, reason] of [
      [open({ tables: peer.client() }), /byEmail.*QueueServiceClient/],
      [peer.open({ operationIds: false }), /byEmail.*operation ids/],
    ] as const) {
      const repo = without.repo(Person);
      for (const refused of [
        () => repo.create(ben),
        () => repo.replace(row, ann),
        () => repo.upsert(ben),
        () => repo.delete(row),
        () => repo.mutate(ann, value => value && { ...value, last: 'New' }),
        () => without.batch(Person, ann).create(Person, ben).commit(),
        async () => {
          const { value } = await writeAll(without, [change.create(Person, ben)]).next();
          if (value?.kind === 'failed') throw value.error;
        },
      ])
        await assert.rejects(
          async () => refused(),
          (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid') && reason.test(thrown.message),
        );
      assert.equal((await repo.get(ann))?.etag, row.etag);
    }
    // An index with a table of its own is of the rows of one table.
    const other = db.repo(Person, { table: await peer.newTable() });
    await rejects(async () => other.create(ann), 'DefinitionInvalid');
    await rejects(async () => other.index('byEmail', 'index-only'), 'DefinitionInvalid');
    await rejects(async () => db.batch(Person, ann).upsert(Person, ben).commit(), 'RowNotRead');
  });

  test('have rows that are none of their entity, nor of mixed reads', async () => {
    const { db, people, Person, drain } = await remoteWorld(peer);
    await people.create(ann);
    await drain();
    assert.equal((await people.scan().allowScan('a test').take(9)).length, 1);
    assert.equal((await bags(db, Person.table).scan().allowScan('a test').take(9)).length, 2);
    const hits = people.index('byName', 'index-only').partition({ last: 'Jones' });
    await rejects(deleteRows(db, hits, { conditional: true }).next(), 'ValueInvalid');
  });
});

describePeers('workers of remote indexes', peer => {
  /** A row whose index rows stand, and the version of the row in one of them. */
  const worked = async () => {
    const world = await remoteWorld(peer);
    const row = await world.people.create(ann);
    await work(world, world.db, { rows: FIRST });
    const emails = peer.table(world.own);
    const [, partitionKey, rowKey] = emailOf('ann@x.org');
    const sourceOf = async (): Promise<bigint> => {
      const options = { disableTypeConversion: true };
      const { _source } = await emails.getEntity<{ _source: { value: string } }>(
        partitionKey,
        rowKey,
        options,
      );
      return Instant.parse(_source.value).ticks;
    };
    return { world, row, sourceOf, emails, email: { partitionKey, rowKey } };
  };

  test('never write an earlier version over a later one', async () => {
    const { world, row, sourceOf } = await worked();
    const second = await world.people.merge(row, { last: 'Smith' });
    const earlier = await sourceOf();
    let source = 0n;
    const slow = before('PUT', async () => {
      await world.people.merge(second, { last: 'Brown' });
      await work(world, world.db, { rows: [...SECOND, nameOf('Brown')] });
      source = await sourceOf();
    });
    const seen: bigint[] = [];
    const httpClient = new FaultyClient(slow, async () => void seen.push(await sourceOf()));
    await work(world, world.opened({ httpClient }), { rows: SECOND });
    assert(source > earlier, 'the version of the row goes up');
    assert.deepEqual(new Set(seen), new Set([earlier, source]));
    await world.assertExact();
  });

  test('find what they made of a row that has changed since, or deleted of one that came again', async () => {
    const { world, row } = await worked();
    await world.people.delete(row);
    const again = before('DELETE', async () => {
      await world.people.create(ann);
      await work(world, world.db, { rows: FIRST });
    });
    await work(world, world.opened({ httpClient: new FaultyClient(again) }), { rows: FIRST });
    await world.assertExact();
    const changed = before('PUT', async () => {
      await world.people.mutate(ann, now => now && { ...now, email: 'ann@y.org', last: 'Smith' });
      await work(world, world.db, { rows: SECOND });
    });
    await world.people.mutate(ann, now => now && { ...now, note: 'changes the copy' });
    await work(world, world.opened({ httpClient: new FaultyClient(changed) }), { rows: FIRST });
    await world.assertExact();
  });

  test('repair an index row that names a later version than its row has, and write nothing twice', async () => {
    const { world, emails, email } = await worked();
    const _source = { type: 'DateTime', value: '2999-01-01T00:00:00Z' } as const;
    await emails.updateEntity({ ...email, last: 'Other', _source }, 'Merge');
    await work(world, world.db, { rows: FIRST });
    await world.assertExact();
    let written = 0;
    const httpClient = new FaultyClient(undefined, ({ method }) => {
      written += Number(method !== 'GET');
    });
    await work(world, world.opened({ httpClient }), { rows: FIRST });
    assert.equal(written, 0);
  });

  test('wait for a write as long as it may still come', async () => {
    const { world, row } = await worked();
    const outcome = (more: object) => work(world, world.db, { rows: FIRST, ...more });
    assert.equal(await outcome({ etag: row.etag }), 'pending');
    assert.equal(await outcome({ operationId: '00' }), 'pending');
    assert.equal(await outcome({}), undefined);
    await world.people.delete(row);
    assert.equal(await outcome({ etag: row.etag }), undefined);
    assert.equal(await outcome({ operationId: '00' }), 'pending');
  });
});
