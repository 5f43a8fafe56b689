// Secondary indexes of the same partition: what writes make of their rows, by how many requests, and how these are queried. random-writes.test.ts compares them with a plain model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fanOut } from '#patterns/fan-out';
import { mixed } from '#patterns/mixed';
import { pageByPage } from '../../support/collect.js';
import { ann, ben, Person, rowsIn } from '../../support/indexed-entity.js';
import { describePeers, fresh } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

const ANN_ROWS = ['badge!2147483655!person!000001', 'email!ann@x.0org', 'name!Jones!person!000001'];

describePeers('indexes', peer => {
  const people = async () => {
    const { db, table, repo, httpClient } = await fresh(peer, Person);
    /** Does it by one request, and gives the rows that stand then. */
    const after = async (act: () => Promise<unknown>): Promise<readonly string[]> => {
      assert.equal(await httpClient.counted(act), 1);
      return rowsIn(db, table);
    };
    return { table, db, repo, after };
  };

  test('are written with their row by one request each', async () => {
    const { repo, after } = await people();
    assert.deepEqual(await after(() => repo.create(ann)), [...ANN_ROWS, 'person!000001']);
    const first = (await repo.get(ann)) ?? assert.fail();
    assert.deepEqual(first.value, ann);
    const next = { ...ann, email: 'ann@y.org', last: 'Low', badge: undefined };
    const moved = ['email!ann@y.0org', 'name!Low!person!000001', 'person!000001'];
    assert.deepEqual(await after(() => repo.replace(first, next)), moved);
    await rejects(repo.replace(first, ann), 'Conflict');
    const second = (await repo.get(ann)) ?? assert.fail();
    // A value without a part of an index has no row there.
    const sparse = ['name!High!person!000001', 'person!000001'];
    assert.deepEqual(await after(() => repo.merge(second, { last: 'High', email: null })), sparse);
    const third = (await repo.get(ann)) ?? assert.fail();
    const other = ['email!ben@x.0org', 'name!Jones!person!000002', 'person!000002'];
    assert.deepEqual(await after(() => repo.create(ben)), [...other, ...sparse].sort());
    assert.deepEqual(await after(() => repo.delete(third)), other);
  });

  test('with a unique key are of one row alone, however it is spelled', async () => {
    const { table, db, repo } = await people();
    await repo.create(ann);
    await rejects(repo.create({ ...ben, email: 'ANN@x.org' }), 'UniqueViolation', {
      table,
      partitionKey: 'Sales',
      rowKey: 'email!ann@x.0org',
      entity: 'Person',
      index: 'byEmail',
      key: { email: 'ANN@x.org' },
    });
    assert.equal(await repo.get(ben), undefined);
    await repo.create({ ...ben, department: 'Other', email: ann.email });
    await rejects(repo.create(ann), 'AlreadyExists', { rowKey: 'person!000001' });
    assert.deepEqual(await rowsIn(db, table), [...ANN_ROWS, 'person!000001']);
  });

  test('stay where the same key is spelled otherwise, and are not written where nothing changes', async () => {
    const { db, table, repo } = await people();
    const hit = () => repo.index('byEmail').get({ department: 'Sales', email: 'ann@x.org' });
    const second = await repo.merge(await repo.create(ann), { email: 'ANN@X.ORG' });
    const found = await hit();
    assert.deepEqual(found?.value, { department: 'Sales', id: 1, email: 'ANN@X.ORG', last: 'Jones' });
    await repo.merge(second, { note: 'n' });
    assert.equal((await hit())?.etag, found?.etag);
    assert.deepEqual(await rowsIn(db, table), [...ANN_ROWS, 'person!000001']);
  });

  test('are queried as an entity is, and a hit leads to the whole row', async () => {
    const { repo } = await people();
    await repo.create(ann);
    await repo.create(ben);
    const byName = repo.index('byName').partition({ department: 'Sales' });
    const joneses = byName.rows({ last: 'Jones' });
    const plan = joneses.explain();
    assert.equal(plan.class, 'range');
    assert.match(plan.filter ?? '', /RowKey ge 'name!Jones!person!' and RowKey lt 'name!Jones!person"'/);
    const pages = await pageByPage(resume => joneses.pages({ size: 1, resume }));
    assert.deepEqual(
      pages.flatMap(({ items }) => items.map(({ value }) => value)),
      [ann, ben],
    );
    const [second] = await byName.rows({ last: 'Jones', id: 2 }).take(1);
    assert.equal(second?.value.email, ben.email);
    const point = repo.index('byEmail').partition(ann).row({ email: 'ann@x.org' });
    assert.equal(point.explain().class, 'point');
    const hit = (await point.first()) ?? assert.fail();
    assert.deepEqual((await repo.get(hit.value))?.value, ann);
    const other = repo.index('byBadge').partition(ann).rows({ badge: 7 });
    await rejects(other.page({ resume: pages[0]?.next }), 'TokenMismatch');
    // @ts-expect-error no such index
    await rejects(async () => repo.index('byShoe'), 'DefinitionInvalid');
    // @ts-expect-error a copy is not the row
    await rejects(async () => repo.delete(await byName.first()), 'WrongEntity');
  });

  test('are left out by queries of the entity', async () => {
    const { table, db, repo } = await people();
    await repo.create(ann);
    await repo.create(ben);
    const inPartition = repo.partition(ann);
    assert.match(inPartition.explain().filter ?? '', /RowKey ge 'person!' and RowKey lt 'person"'/);
    const both = mixed(db, Person).inTable(table);
    assert.match(both.partition('Sales').explain().filter ?? '', /RowKey lt 'email!'/);
    for (const query of [
      inPartition,
      repo.scan().allowScan('test'),
      fanOut([inPartition]),
      both.partition('Sales'),
      both.scan().allowScan('test'),
    ])
      assert.deepEqual(
        (await query.take(10)).map(({ rowKey }) => rowKey),
        ['person!000001', 'person!000002'],
      );
  });
});
