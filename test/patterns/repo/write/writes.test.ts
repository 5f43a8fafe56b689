// Writes of single rows: conditional by default, and exactly the write that was requested.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { codec, entity, key, remove, t } from '#patterns';
import { anna, Employee, EmployeeNow } from '../../support/employee.js';
import { describePeers, fresh } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';

/** The same properties and other keys, in the same table. */
const Guest = entity('Guest', {
  version: 1,
  table: 'Staff',
  props: Employee.props,
  partition: p => key(p.department),
  row: p => key('gst', p.id.as(codec.int(6))),
});

const Jotting = entity('Jotting', {
  version: 1,
  table: 'Jottings',
  props: { id: t.string(), data: t.json(z.union([z.null(), z.array(z.number())])).optional() },
  partition: key('jottings'),
  row: p => key(p.id),
});

const any = { key: { department: 'Sales', id: 1 }, etag: '*' } as const;
const ofKey = { property: 'id' } as const;
const inPart = { property: 'whole' } as const;

describePeers('writes', peer => {
  const world = async () => {
    const { db, table, repo: staff } = await fresh(peer, Employee);
    const valueAt = async (id = 1) => (await staff.get({ ...anna, id }))?.value;
    return { db, table, staff, valueAt };
  };

  test('a row is created once and read as it was given', async () => {
    const { staff } = await world();
    const created = await staff.create({ ...anna, photo: new Uint8Array([0, 1, 2, 3]).subarray(1, 3) });
    const read = await staff.get({ department: 'Sales', id: 1 });
    assert.deepEqual(read?.value, { ...anna, photo: new Uint8Array([1, 2]) });
    assert.deepEqual(read, created);
    await rejects(staff.create(anna), 'AlreadyExists', { partitionKey: 'Sales', rowKey: 'emp!000001' });
    assert.equal(await staff.get({ department: 'Sales', id: 2 }), undefined);
  });

  test('replace and merge take what was read, and go on from what they give', async () => {
    const { staff, valueAt } = await world();
    const first = await staff.create(anna);
    const second = await staff.replace(first, { ...anna, note: 'new' });
    const third = await staff.merge(second, { score: 4.5 });
    assert.deepEqual([third.value, await valueAt()], Array(2).fill({ ...anna, note: 'new', score: 4.5 }));
    await rejects(staff.replace(second, anna), 'Conflict', { etag: second.etag });
    await rejects(staff.merge(first, { score: 1 }), 'Conflict', { etag: first.etag });
    await rejects(staff.delete(second), 'Conflict');
    await staff.delete(third);
    await rejects(staff.delete(third), 'NotFound');
    await rejects(staff.replace(third, anna), 'NotFound');
    await rejects(staff.merge(third, { score: 1 }), 'NotFound');
  });

  test('a merge takes a property away by null or remove, and leaves alone what is undefined', async () => {
    const { db, table, staff, valueAt } = await world();
    const stored = await staff.create({ ...anna, note: 'old' });
    const kept = await staff.merge(stored, { note: undefined, name: undefined, score: 5 });
    assert.deepEqual([kept.value, await valueAt()], Array(2).fill({ ...anna, note: 'old', score: 5 }));
    const merged = await staff.merge(kept, { note: null, name: 'Anne' });
    assert.equal('note' in merged.value, false);
    assert.deepEqual([merged.value, await valueAt()], Array(2).fill({ ...anna, score: 5, name: 'Anne' }));
    await rejects(staff.merge(stored, { note: null }), 'Conflict');
    // Of JSON, null is a value.
    const jottings = db.repo(Jotting, { table });
    const jotting = await jottings.merge(await jottings.create({ id: 'a', data: [1] }), { data: null });
    assert.deepEqual([jotting.value.data, (await jottings.get({ id: 'a' }))?.value.data], [null, null]);
    await jottings.merge(jotting, { data: remove });
    assert.deepEqual((await jottings.get({ id: 'a' }))?.value, { id: 'a' });
  });

  test('keys cannot be changed', async () => {
    const { staff } = await world();
    const stored = await staff.create(anna);
    // @ts-expect-error id is part of a key
    await rejects(async () => staff.merge(stored, { id: 2 }), 'ValueInvalid', ofKey);
    await rejects(async () => staff.replace(stored, { ...anna, id: 2 }), 'ValueInvalid');
    await rejects(async () => staff.replace(any, { ...anna, id: 2 }), 'ValueInvalid');
    // @ts-expect-error a required property stays
    await rejects(async () => staff.merge(stored, { name: null }), 'ValueInvalid', { property: 'name' });
    const values = staff.mutate({ department: 'Sales', id: 3 }, () => anna);
    await rejects(values, 'ValueInvalid', { property: 'key' });
  });

  test('what was read in part can be deleted, and not written', async () => {
    const { staff } = await world();
    await staff.create(anna);
    const [row] = await staff.partition(anna).select('name').take(1);
    assert(row);
    // @ts-expect-error some properties were not read
    await rejects(async () => staff.replace(row, anna), 'ValueInvalid', inPart);
    // @ts-expect-error some properties were not read
    await rejects(async () => staff.merge(row, { score: 1 }), 'ValueInvalid', inPart);
    await rejects(staff.delete(row, { exactlyOnce: true }), 'ValueInvalid', inPart);
    await staff.delete(row);
    // @ts-expect-error a key is not a row that was read
    await rejects(staff.delete({ department: 'Sales', id: 1 }), 'ValueInvalid', { property: 'row' });
  });

  test('what others wrote beside the entity stays, and earlier versions are brought up to date', async () => {
    const { db, table, staff } = await world();
    const now = db.repo(EmployeeNow, { table });
    await now.create({ ...anna, level: 3 });
    const old = (await staff.get(anna)) ?? assert.fail();
    await rejects(async () => staff.replace(old, anna), 'NewerVersion', { known: 1, found: 2 });
    assert.equal((await staff.merge(old, { name: 'Anne' })).version, 2);
    assert.deepEqual((await now.get(anna))?.value, { ...anna, name: 'Anne', level: 3 });
    await staff.create({ ...anna, id: 2 });
    const earlier = (await now.get({ ...anna, id: 2 })) ?? assert.fail();
    const merged = await now.merge(earlier, { score: 5 });
    assert.deepEqual([earlier.version, merged.version], [1, 2]);
    assert.deepEqual(merged.value, { ...anna, id: 2, level: 1, score: 5 });
    assert.equal((await now.get({ ...anna, id: 2 }))?.version, 2);
  });

  test('Insert Or Replace and Insert Or Merge look at nothing', async () => {
    const { staff, valueAt } = await world();
    const first = await staff.upsert({ ...anna, note: 'gone' });
    await staff.upsert(anna);
    assert.deepEqual(await valueAt(), anna);
    await rejects(staff.delete(first), 'Conflict');
    const made = await staff.upsertMerge({ ...anna, id: 2, note: 'stays' });
    assert.deepEqual(made.key, { department: 'Sales', id: 2 });
    const merged = await staff.upsertMerge({ ...anna, id: 2, score: 9 });
    assert.deepEqual(await valueAt(2), { ...anna, id: 2, note: 'stays', score: 9 });
    await rejects(staff.merge(made, { score: 1 }), 'Conflict');
    await staff.merge(merged, { score: 1 });
    // @ts-expect-error a merge takes nothing away from a row that was not read
    await rejects(async () => staff.upsertMerge({ ...anna, note: null }), 'ValueInvalid');
  });

  test('a row is written by its key, under the condition of an ETag or of none', async () => {
    const { staff, valueAt } = await world();
    await rejects(staff.merge(any, { score: 1 }), 'NotFound');
    await rejects(staff.replace(any, anna), 'NotFound');
    await rejects(staff.delete(any), 'NotFound');
    await staff.deleteIfExists(any);
    const { etag } = await staff.create({ ...anna, note: 'old' });
    const merged = await staff.merge({ ...any, etag }, { score: 9, note: undefined });
    assert.deepEqual(await valueAt(), { ...anna, note: 'old', score: 9 });
    await rejects(staff.merge({ ...any, etag }, { score: 1 }), 'Conflict', { etag });
    await rejects(staff.replace({ ...any, etag }, anna), 'Conflict');
    await rejects(staff.delete({ ...any, etag }), 'Conflict');
    await rejects(staff.deleteIfExists({ ...any, etag }), 'Conflict');
    const replaced = await staff.replace(merged, anna);
    assert.deepEqual(await staff.get(anna), replaced);
    // @ts-expect-error nothing can be taken from a row that was not read
    await rejects(async () => staff.merge(any, { note: null }), 'ValueInvalid', { property: 'note' });
    for (let n = 0; n < 2; n++) await staff.deleteIfExists(replaced);
    assert.equal(await staff.get(anna), undefined);
  });

  test('what cannot be written is refused by a promise that rejects', async () => {
    const { staff } = await world();
    const bad = { ...anna, id: -1 };
    // Not from inside an asynchronous function, which would reject for what throws at once.
    for (const act of [
      () => staff.create(bad),
      () => staff.upsert(bad),
      () => staff.upsertMerge(bad),
      () => staff.replace(any, bad),
      () => staff.mutate(bad, () => undefined),
      () => staff.get(bad),
    ])
      await rejects(act(), 'KeyInvalid');
  });

  test('a row is written by its own entity, in its own table', async () => {
    const { db, table, staff } = await world();
    const guests = db.repo(Guest, { table });
    const stored = await staff.create(anna);
    const foreign = { expected: 'Guest', found: 'Employee', rowKey: stored.rowKey };
    // @ts-expect-error the row is of another entity
    await rejects(guests.replace(stored, anna), 'WrongEntity', foreign);
    // @ts-expect-error the row is of another entity
    await rejects(guests.merge(stored, { score: 1 }), 'WrongEntity', foreign);
    // @ts-expect-error the row is of another entity
    await rejects(guests.delete(stored), 'WrongEntity', foreign);
    const batch = db.batch(Guest, anna, { table });
    // @ts-expect-error the row is of another entity
    refuses(() => batch.merge(Guest, stored, { score: 1 }), 'WrongEntity');
    const { repo: other } = await fresh(peer, Employee);
    await rejects(other.replace(stored, anna), 'ValueInvalid', { property: 'table' });
    await rejects(other.delete(stored), 'ValueInvalid', { property: 'table' });
    const moved = { ...stored, rowKey: 'gst!000001' };
    await rejects(staff.delete(moved), 'WrongEntity', { expected: 'Employee' });
    assert.deepEqual(await staff.get(anna), stored);
  });

  test('operation ids can have another name, or be left out', async () => {
    const { db, table, repo: plain } = await fresh(peer, Employee, { operationIds: false });
    const stored = await plain.merge(await plain.create(anna), { score: 1 });
    assert.deepEqual([stored.unknown, (await plain.get(anna))?.unknown], [[], []]);
    const [checked] = await db.batch(Employee, anna, { table }).conditionCheck(stored).commit();
    assert.deepEqual((await plain.get(anna))?.value, stored.value);
    assert.notEqual(checked?.etag, stored.etag);
    await plain.upsert(anna);
    await rejects(plain.delete(stored), 'Conflict');
    const named = peer.open({ operationIds: { property: 'lastWrite' } }).repo(Employee, { table });
    const [own, ...others] = (await named.upsert(anna)).unknown;
    assert.deepEqual([own?.name, others], ['lastWrite', []]);
    const clash = entity('Clash', {
      version: 1,
      table: 'Clash',
      props: { id: t.string(), _op: t.string() },
      partition: key('all'),
      row: p => key(p.id),
    });
    refuses(() => peer.open().repo(clash), 'DefinitionInvalid');
  });
});
