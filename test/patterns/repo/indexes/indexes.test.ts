// Secondary indexes of the same partition: what writes make of their rows, and how these are queried.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Db } from '#patterns';
import { mixed } from '#patterns/mixed';
import { FaultyClient } from '../../support/faulty-client.js';
import { ann, ben, Person, rowsIn } from '../../support/indexed-entity.js';
import { describePeers, type Peer } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

async function people(peer: Peer) {
  const table = await peer.newTable();
  const httpClient = new FaultyClient();
  const db: Db = peer.open({ httpClient });
  const requests = (act: () => Promise<unknown>) => httpClient.counted(act);
  return { table, db, repo: db.repo(Person, { table }), requests };
}

const ANN_ROWS = ['badge!2147483655!person!000001', 'email!ann@x.0org', 'name!Jones!person!000001'];

describePeers('indexes', peer => {
  test('a create writes the rows of all indexes, in one request', async () => {
    const { table, db, repo, requests } = await people(peer);
    assert.equal(await requests(() => repo.create(ann)), 1);
    assert.deepEqual(await rowsIn(db, table), [...ANN_ROWS, 'person!000001']);
    const stored = await repo.get(ann);
    assert.deepEqual(stored?.value, ann);
  });

  test('a value without a part of an index has no row there', async () => {
    const { table, db, repo } = await people(peer);
    await repo.create({ department: 'Sales', id: 3, last: 'Low' });
    assert.deepEqual(await rowsIn(db, table), ['name!Low!person!000003', 'person!000003']);
  });

  test('a unique key is of one row alone, however it is spelled', async () => {
    const { table, db, repo } = await people(peer);
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

  test('a change of keys moves index rows, in one request', async () => {
    const { table, db, repo, requests } = await people(peer);
    const first = await repo.create(ann);
    let stored = first;
    const change = async () => {
      stored = await repo.replace(first, { ...ann, email: 'ann@y.org', last: 'Low', badge: undefined });
    };
    assert.equal(await requests(change), 1);
    assert.deepEqual(await rowsIn(db, table), [
      'email!ann@y.0org',
      'name!Low!person!000001',
      'person!000001',
    ]);
    await rejects(repo.replace(first, ann), 'Conflict');
    assert.equal(await requests(() => repo.merge(stored, { last: 'High', email: null })), 1);
    assert.deepEqual(await rowsIn(db, table), ['name!High!person!000001', 'person!000001']);
  });

  test('a spelling that is the same key stays where it is, and what is unchanged is not written', async () => {
    const { db, table, repo } = await people(peer);
    const first = await repo.create(ann);
    const second = await repo.merge(first, { email: 'ANN@X.ORG' });
    const hit = await repo.index('byEmail').get({ department: 'Sales', email: 'ann@x.org' });
    assert.deepEqual(hit?.value, { department: 'Sales', id: 1, email: 'ANN@X.ORG', last: 'Jones' });
    await repo.merge(second, { note: 'n' });
    const again = await repo.index('byEmail').get({ department: 'Sales', email: 'ann@x.org' });
    assert.equal(again?.etag, hit?.etag);
    assert.deepEqual(await rowsIn(db, table), [...ANN_ROWS, 'person!000001']);
  });

  test('a delete takes the index rows along, in one request', async () => {
    const { table, db, repo, requests } = await people(peer);
    const stored = await repo.create(ann);
    const other = await repo.create(ben);
    assert.equal(await requests(() => repo.delete(stored)), 1);
    assert.deepEqual(await rowsIn(db, table), [
      'email!ben@x.0org',
      'name!Jones!person!000002',
      'person!000002',
    ]);
    await repo.delete(other);
    assert.deepEqual(await rowsIn(db, table), []);
    await repo.create({ ...ben, email: ann.email });
  });

  test('an index is queried as an entity is, and a hit leads to the whole row', async () => {
    const { repo } = await people(peer);
    await repo.create(ann);
    await repo.create(ben);
    const byName = repo.index('byName').partition({ department: 'Sales' });
    const joneses = byName.rows({ last: 'Jones' });
    const plan = joneses.explain();
    assert.equal(plan.class, 'range');
    assert.match(plan.filter ?? '', /RowKey ge 'name!Jones!person!' and RowKey lt 'name!Jones!person"'/);
    const found = await joneses.take(10);
    assert.deepEqual(
      found.map(({ value }) => value),
      [ann, ben],
    );
    const [second] = await byName.rows({ last: 'Jones', id: 2 }).take(1);
    assert.equal(second?.value.email, ben.email);
    const point = repo.index('byEmail').partition(ann).row({ email: 'ann@x.org' });
    assert.equal(point.explain().class, 'point');
    const hit = await point.first();
    assert(hit);
    assert.deepEqual((await repo.get(hit.value))?.value, ann);
    const page = await joneses.page({ size: 1 });
    const next = await joneses.page({ size: 1, resume: page.next });
    assert.equal(next.items[0]?.value.id, 2);
    const other = repo.index('byBadge').partition(ann).rows({ badge: 7 });
    await rejects(other.page({ resume: page.next }), 'TokenMismatch');
    // @ts-expect-error no such index
    await rejects(async () => repo.index('byShoe'), 'DefinitionInvalid');
  });

  test('queries of the entity leave index rows out', async () => {
    const { table, db, repo } = await people(peer);
    await repo.create(ann);
    await repo.create(ben);
    const inPartition = repo.partition(ann);
    assert.match(inPartition.explain().filter ?? '', /RowKey ge 'person!' and RowKey lt 'person"'/);
    assert.equal((await inPartition.take(10)).length, 2);
    assert.equal((await repo.scan().allowScan('test').take(10)).length, 2);
    assert.equal((await repo.fanOut([ann]).take(10)).length, 2);
    const both = mixed(db, Person).inTable(table).partition('Sales');
    assert.deepEqual(
      (await both.take(10)).map(({ rowKey }) => rowKey),
      ['person!000001', 'person!000002'],
    );
    assert.match(both.explain().filter ?? '', /RowKey lt 'email!'/);
    const everywhere = mixed(db, Person).inTable(table).scan().allowScan('test');
    assert.equal((await everywhere.take(10)).length, 2);
  });

  test('a row of an index is none of its entity', async () => {
    const { repo } = await people(peer);
    await repo.create(ann);
    const hit = await repo.index('byName').partition(ann).first();
    assert(hit);
    // @ts-expect-error a copy is not the row
    await rejects(async () => repo.delete(hit), 'WrongEntity');
  });
});
