// Entity group transactions: all or nothing, each operation under its condition, and the limits counted before anything is sent.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Batch, type Db, entity, key, PatternError, type StoredOf, t } from '#patterns';
import { BATCH_BYTES_MAX } from '#patterns/internals';
import { anna, Employee } from '../../support/employee.js';
import { describePeers, fresh } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';

const Large = entity('L', {
  version: 1,
  table: 'Large',
  tag: false,
  props: { id: t.string(), a: t.bytes(), b: t.bytes(), c: t.bytes(), d: t.bytes() },
  partition: key('p'),
  row: p => key(p.id),
});

const bytes = (count: number): Uint8Array => new Uint8Array(count);

/** Four properties that have so many bytes together. */
function spread(count: number) {
  const share = (at: number): Uint8Array => bytes(Math.max(0, Math.min(65_535, count - at * 65_535)));
  return { a: share(0), b: share(1), c: share(2), d: share(3) };
}

/** A batch of twelve rows whose body has this many bytes. Three bytes of a row are four of the body, and what is left is in a key. */
function batchOf(db: Db, table: string, size: number): Batch {
  const batch = db.batch(Large, {}, { table });
  const empty = batch.size.bytes;
  for (let n = 0; n < 11; n++) batch.create(Large, { ...spread(4 * 65_535), id: `row ${n}` });
  const least = db.batch(Large, {}, { table }).create(Large, { ...spread(0), id: 'last' }).size.bytes - empty;
  const left = size - batch.size.bytes - least;
  const id = `last${'x'.repeat(left % 4)}`;
  return batch.create(Large, { ...spread(3 * Math.floor(left / 4)), id });
}

describePeers('batches', peer => {
  const db = peer.open;
  test('all operations are done, and give their rows by position', async () => {
    const { table, repo: staff } = await fresh(peer, Employee);
    const made: StoredOf<typeof Employee>[] = [];
    for (const id of [1, 2, 3, 4])
      made.push((await staff.create({ ...anna, id })) as StoredOf<typeof Employee>);
    const [a, b, c, d] = made;
    assert(a && b && c && d);
    const results = await db()
      .batch(Employee, { department: 'Sales' }, { table })
      .create(Employee, { ...anna, id: 5 })
      .replace(Employee, a, { ...anna, note: 'replaced' })
      .merge(Employee, b, { score: 0.5 })
      .delete(Employee, c)
      .conditionCheck(d)
      .commit();
    assert.equal(results.length, 5);
    assert.equal(results[3], undefined);
    for (const [at, id] of [5, 1, 2, 3, 4].entries()) {
      const now = await staff.get({ department: 'Sales', id });
      assert.deepEqual(now, results[at]);
    }
  });

  for (const kind of ['replace', 'merge', 'delete', 'conditionCheck'] as const)
    test(`a stale ${kind} fails the batch, and nothing of it is done`, async () => {
      const { table, repo: staff } = await fresh(peer, Employee);
      const stale = await staff.create(anna);
      const current = await staff.merge(stale, { score: 5 });
      const batch = db()
        .batch(Employee, anna, { table })
        .create(Employee, { ...anna, id: 2 });
      if (kind === 'replace') batch.replace(Employee, stale, anna);
      if (kind === 'merge') batch.merge(Employee, stale, { score: 6 });
      if (kind === 'delete') batch.delete(Employee, stale);
      if (kind === 'conditionCheck') batch.conditionCheck(stale);
      const op = kind === 'conditionCheck' ? 'merge' : kind;
      await rejects(batch.commit(), 'BatchFailed', {
        index: 1,
        op,
        reason: 'Conflict',
        rowKey: 'emp!000001',
      });
      assert.equal((await staff.get(anna))?.etag, current.etag);
      assert.equal(await staff.get({ ...anna, id: 2 }), undefined);
    });

  test('the operation that failed is named, the first and only one too', async () => {
    const { table, repo: staff } = await fresh(peer, Employee);
    const stored = await staff.create(anna);
    const batch = () => db().batch(Employee, anna, { table });
    await assert.rejects(batch().create(Employee, anna).commit(), (thrown: unknown) => {
      assert(PatternError.is(thrown, 'BatchFailed') && PatternError.is(thrown.cause, 'AlreadyExists'));
      assert.deepEqual([thrown.detail.index, thrown.detail.op], [0, 'create']);
      return true;
    });
    await staff.delete(stored);
    const gone = batch()
      .create(Employee, { ...anna, id: 2 })
      .create(Employee, { ...anna, id: 3 })
      .delete(Employee, stored);
    await rejects(gone.commit(), 'BatchFailed', { index: 2, op: 'delete', reason: 'NotFound' });
    assert.deepEqual(await batch().commit(), []);
  });

  test('calls of commit at the same time, and after it, are one commit', async () => {
    const { table, repo: staff } = await fresh(peer, Employee);
    const old = await staff.create({ ...anna, id: 1 });
    const batch = db()
      .batch(Employee, { department: 'Sales' }, { table })
      .delete(Employee, old)
      .create(Employee, { ...anna, id: 2 });
    const calls = [batch.commit(), batch.commit()];
    refuses(() => batch.create(Employee, { ...anna, id: 3 }), 'ValueInvalid');
    const [first, second] = await Promise.all(calls);
    assert.deepEqual(second, first);
    assert.deepEqual(await batch.commit(), first);
    assert.deepEqual(await staff.get({ department: 'Sales', id: 2 }), first?.[1]);
  });

  test('calls of commit at the same time fail together, and may be repeated', async () => {
    const { table, repo: staff } = await fresh(peer, Employee);
    const inTheWay = await staff.create(anna);
    const batch = db().batch(Employee, { department: 'Sales' }, { table }).create(Employee, anna);
    const refused = await Promise.allSettled([batch.commit(), batch.commit()]);
    for (const each of refused)
      assert(each.status === 'rejected' && PatternError.is(each.reason, 'BatchFailed'));
    await staff.delete(inTheWay);
    batch.create(Employee, { ...anna, id: 2 });
    const results = await Promise.all([batch.commit(), batch.commit()]);
    assert.deepEqual(
      results.map(result => result.length),
      [2, 2],
    );
  });

  test('a delete that needs no row does not fail the batch, and the others keep their places', async () => {
    const { table, repo: staff } = await fresh(peer, Employee);
    const gone = await staff.create(anna);
    await staff.delete(gone);
    const other = (id: number) => ({ key: { ...anna, id }, etag: '*' });
    const batch = () =>
      db()
        .batch(Employee, anna, { table })
        .deleteIfExists(Employee, gone)
        .create(Employee, { ...anna, id: 2 })
        .deleteIfExists(Employee, other(3))
        .upsertMerge(Employee, { ...anna, id: 4 });
    const results = await batch().commit();
    assert.deepEqual([results[0], results[2]], [undefined, undefined]);
    assert.equal((await staff.get({ ...anna, id: 2 }))?.etag, results[1]?.etag);
    assert.equal((await staff.get({ ...anna, id: 4 }))?.etag, results[3]?.etag);
    await rejects(batch().commit(), 'BatchFailed', { index: 1, op: 'create', reason: 'AlreadyExists' });
    const nothing = db().batch(Employee, anna, { table }).deleteIfExists(Employee, gone);
    assert.deepEqual(await nothing.commit(), [undefined]);
  });

  test('99 and 100 operations are done, and the 101st is refused', async () => {
    const table = await peer.newTable();
    for (const count of [99, 100]) {
      const department = `of ${count}`;
      const batch = db().batch(Employee, { department }, { table });
      for (let id = 0; id < count; id++) batch.create(Employee, { ...anna, department, id });
      assert.equal((await batch.commit()).length, count);
    }
    const batch = db().batch(Employee, anna, { table });
    for (let id = 0; id < 100; id++) batch.create(Employee, { ...anna, id });
    refuses(() => batch.create(Employee, { ...anna, id: 100 }), 'TooManyOperations', { operations: 101 });
    assert.equal(batch.size.operations, 100);
  });

  test('4 MiB less a byte and 4 MiB are done, and a byte more is refused', async () => {
    const table = await peer.newTable();
    for (const size of [BATCH_BYTES_MAX - 1, BATCH_BYTES_MAX]) {
      const batch = batchOf(db(), table, size);
      assert.equal(batch.size.bytes, size);
      assert.equal((await batch.commit()).length, 12);
      const all = db().batch(Large, {}, { table });
      for (const row of await batch.commit()) if (row) all.delete(Large, row as StoredOf<typeof Large>);
      await all.commit();
    }
    refuses(() => batchOf(db(), table, BATCH_BYTES_MAX + 1), 'TooLarge', { size: BATCH_BYTES_MAX + 1 });
  });

  test('rows of elsewhere, and rows that are in the batch, are refused', async () => {
    const table = await peer.newTable();
    const batch = db().batch(Employee, anna, { table }).create(Employee, anna);
    const refused = (add: () => unknown, property: string): void =>
      refuses(add, 'ValueInvalid', { property });
    refused(() => batch.create(Employee, { ...anna, department: 'Other' }), 'PartitionKey');
    refused(() => batch.create(Employee, anna), 'RowKey');
    const elsewhere = await db()
      .repo(Employee, { table: await peer.newTable() })
      .create(anna);
    refused(() => batch.delete(Employee, elsewhere), 'table');
    assert.equal((await batch.commit()).length, 1);
    refused(() => batch.create(Employee, { ...anna, id: 2 }), 'batch');
  });

  test('keys with quotes, percent signs and other letters', async () => {
    const table = await peer.newTable();
    const department = `O'Neil & "Söhne" 100% %27 – 部門 🙂`;
    const [stored] = await db()
      .batch(Employee, { department }, { table })
      .create(Employee, { ...anna, department })
      .commit();
    const staff = db().repo(Employee, { table });
    const read = await staff.get({ department, id: 1 });
    assert.equal(read?.etag, stored?.etag);
    assert.equal(read?.value.department, department);
  });
});
