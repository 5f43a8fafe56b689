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

/** Four properties that have so many bytes together. */
function spread(count: number) {
  const share = (at: number): Uint8Array =>
    new Uint8Array(Math.max(0, Math.min(65_535, count - at * 65_535)));
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

type Row = StoredOf<typeof Employee>;

/** By its name, a write of a row that was read. */
const STALE: Readonly<Record<string, (batch: Batch, row: Row) => unknown>> = {
  replace: (batch, row) => batch.replace(Employee, row, anna),
  merge: (batch, row) => batch.merge(Employee, row, { score: 6 }),
  delete: (batch, row) => batch.delete(Employee, row),
  conditionCheck: (batch, row) => batch.conditionCheck(row),
};

describePeers('batches', peer => {
  const world = async () => {
    const { db, table, repo: staff } = await fresh(peer, Employee);
    const batch = (of = { department: anna.department as string }) => db.batch(Employee, of, { table });
    return { db, table, staff, batch };
  };

  test('all operations are done, and give their rows by position', async () => {
    const { staff, batch } = await world();
    const [a, b, c, d] = await Promise.all([1, 2, 3, 4].map(id => staff.create({ ...anna, id })));
    assert(a && b && c && d);
    const results = await batch()
      .create(Employee, { ...anna, id: 5 })
      .replace(Employee, a, { ...anna, note: 'replaced' })
      .merge(Employee, b, { score: 0.5 })
      .delete(Employee, c)
      .conditionCheck(d)
      .commit();
    const now = await staff.getMany([5, 1, 2, 3, 4].map(id => ({ ...anna, id })));
    assert.deepEqual(now, results);
    assert.equal(results[3], undefined);
  });

  for (const [kind, add] of Object.entries(STALE))
    test(`a stale ${kind} fails the batch, and nothing of it is done`, async () => {
      const { staff, batch } = await world();
      const stale = await staff.create(anna);
      const current = await staff.merge(stale, { score: 5 });
      const failing = batch().create(Employee, { ...anna, id: 2 });
      add(failing, stale);
      const op = kind === 'conditionCheck' ? 'merge' : (kind as 'merge');
      const told = { index: 1, op, reason: 'Conflict', rowKey: 'emp!000001' } as const;
      await rejects(failing.commit(), 'BatchFailed', told);
      assert.equal((await staff.get(anna))?.etag, current.etag);
      assert.equal(await staff.get({ ...anna, id: 2 }), undefined);
    });

  test('the operation that failed is named, the first and only one too', async () => {
    const { staff, batch } = await world();
    const stored = await staff.create(anna);
    await assert.rejects(batch().create(Employee, anna).commit(), (thrown: unknown) => {
      assert(PatternError.is(thrown, 'BatchFailed') && PatternError.is(thrown.cause, 'AlreadyExists'));
      return thrown.detail.index === 0 && thrown.detail.op === 'create';
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
    const { staff, batch } = await world();
    const old = await staff.create(anna);
    const one = batch()
      .delete(Employee, old)
      .create(Employee, { ...anna, id: 2 });
    const calls = [one.commit(), one.commit()];
    refuses(() => one.create(Employee, { ...anna, id: 3 }), 'ValueInvalid');
    const [first, second] = await Promise.all(calls);
    assert.deepEqual([second, await one.commit()], [first, first]);
    assert.deepEqual(await staff.get({ ...anna, id: 2 }), first?.[1]);
  });

  test('calls of commit at the same time fail together, and may be repeated', async () => {
    const { staff, batch } = await world();
    const inTheWay = await staff.create(anna);
    const one = batch().create(Employee, anna);
    await Promise.all([1, 2].map(() => rejects(one.commit(), 'BatchFailed')));
    await staff.delete(inTheWay);
    one.create(Employee, { ...anna, id: 2 });
    const results = await Promise.all([one.commit(), one.commit()]);
    assert.deepEqual(
      results.map(({ length }) => length),
      [2, 2],
    );
  });

  test('a delete that needs no row does not fail the batch, and the others keep their places', async () => {
    const { staff, batch } = await world();
    const gone = await staff.create(anna);
    await staff.delete(gone);
    const made = () =>
      batch()
        .deleteIfExists(Employee, gone)
        .create(Employee, { ...anna, id: 2 })
        .deleteIfExists(Employee, { key: { ...anna, id: 3 }, etag: '*' })
        .upsertMerge(Employee, { ...anna, id: 4 });
    const etags = (await made().commit()).map(result => result?.etag);
    const now = await staff.getMany([2, 4].map(id => ({ ...anna, id })));
    assert.deepEqual(etags, [undefined, now[0]?.etag, undefined, now[1]?.etag]);
    await rejects(made().commit(), 'BatchFailed', { index: 1, op: 'create', reason: 'AlreadyExists' });
    assert.deepEqual(await batch().deleteIfExists(Employee, gone).commit(), [undefined]);
  });

  test('99 and 100 operations are done, and the 101st is refused', async () => {
    const { batch } = await world();
    const filled = (count: number) => {
      const department = `of ${count}`;
      const full = batch({ department });
      for (let id = 0; id < count; id++) full.create(Employee, { ...anna, department, id });
      return full;
    };
    for (const count of [99, 100]) assert.equal((await filled(count).commit()).length, count);
    const full = filled(100);
    const more = { ...anna, department: 'of 100', id: 100 };
    refuses(() => full.create(Employee, more), 'TooManyOperations', { operations: 101 });
    assert.equal(full.size.operations, 100);
  });

  test('4 MiB less a byte and 4 MiB are done, and a byte more is refused', async () => {
    const { db, table } = await world();
    for (const size of [BATCH_BYTES_MAX - 1, BATCH_BYTES_MAX]) {
      const batch = batchOf(db, table, size);
      assert.equal(batch.size.bytes, size);
      const rows = await batch.commit();
      assert.equal(rows.length, 12);
      const all = db.batch(Large, {}, { table });
      for (const row of rows) if (row) all.delete(Large, row as StoredOf<typeof Large>);
      await all.commit();
    }
    refuses(() => batchOf(db, table, BATCH_BYTES_MAX + 1), 'TooLarge', { size: BATCH_BYTES_MAX + 1 });
  });

  test('rows of elsewhere, and rows that are in the batch, are refused', async () => {
    const { batch } = await world();
    const one = batch().create(Employee, anna);
    const { repo: others } = await fresh(peer, Employee);
    const elsewhere = await others.create(anna);
    const refused = (add: () => unknown, property: string): void =>
      refuses(add, 'ValueInvalid', { property });
    refused(() => one.create(Employee, { ...anna, department: 'Other' }), 'PartitionKey');
    refused(() => one.create(Employee, anna), 'RowKey');
    refused(() => one.delete(Employee, elsewhere), 'table');
    assert.equal((await one.commit()).length, 1);
    refused(() => one.create(Employee, { ...anna, id: 2 }), 'batch');
  });

  test('keys with quotes, percent signs and other letters', async () => {
    const { staff, batch } = await world();
    const row = { ...anna, department: `O'Neil & "Söhne" 100% %27 – 部門 🙂` };
    const [stored] = await batch(row).create(Employee, row).commit();
    assert.deepEqual(await staff.get(row), stored);
  });
});
