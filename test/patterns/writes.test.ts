// Writes of single rows: conditional unless it is said otherwise, and exactly what was asked for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, entity, key, open, PatternError, part, t } from '#patterns';
import { anna, Employee, EmployeeNow } from './employee.js';
import { describePeers } from './peers.js';
import { rejects } from './rejects.js';

describePeers('writes', peer => {
  const db = (): Db => open({ tables: peer.client() });

  test('a row is created once and read as it was given', async () => {
    const staff = db().repo(Employee, { table: await peer.newTable() });
    const created = await staff.create({ ...anna, photo: new Uint8Array([0, 1, 2, 3]).subarray(1, 3) });
    const read = await staff.get({ department: 'Sales', id: 1 });
    assert.deepEqual(read?.value, { ...anna, photo: new Uint8Array([1, 2]) });
    assert.deepEqual(read, created);
    await rejects(staff.create(anna), 'AlreadyExists', { partitionKey: 'Sales', rowKey: 'emp!000001' });
    assert.equal(await staff.get({ department: 'Sales', id: 2 }), undefined);
  });

  test('replace and merge take what was read, and go on from what they give', async () => {
    const staff = db().repo(Employee, { table: await peer.newTable() });
    const first = await staff.create(anna);
    const second = await staff.replace(first, { ...anna, note: 'new' });
    const third = await staff.merge(second, { score: 4.5 });
    assert.deepEqual(third.value, { ...anna, note: 'new', score: 4.5 });
    assert.deepEqual((await staff.get(anna))?.value, third.value);
    await rejects(staff.replace(second, anna), 'Conflict', { etag: second.etag });
    await rejects(staff.merge(first, { score: 1 }), 'Conflict', { etag: first.etag });
    await rejects(staff.delete(second), 'Conflict');
    await staff.delete(third);
    await rejects(staff.delete(third), 'NotFound');
    await rejects(staff.replace(third, anna), 'NotFound');
    await rejects(staff.merge(third, { score: 1 }), 'NotFound');
  });

  test('a merge takes a property away', async () => {
    const staff = db().repo(Employee, { table: await peer.newTable() });
    const stored = await staff.create({ ...anna, note: 'old' });
    const merged = await staff.merge(stored, { note: undefined, name: 'Anne' });
    assert.deepEqual(merged.value, { ...anna, name: 'Anne' });
    assert.deepEqual((await staff.get(anna))?.value, { ...anna, name: 'Anne' });
    await rejects(staff.merge(stored, { note: undefined }), 'Conflict');
  });

  test('keys cannot be changed', async () => {
    const staff = db().repo(Employee, { table: await peer.newTable() });
    const stored = await staff.create(anna);
    // @ts-expect-error id is part of a key
    await rejects(async () => staff.merge(stored, { id: 2 }), 'ValueInvalid', { property: 'id' });
    await rejects(async () => staff.replace(stored, { ...anna, id: 2 }), 'ValueInvalid');
    // @ts-expect-error a required property stays
    await rejects(async () => staff.merge(stored, { name: undefined }), 'ValueInvalid', { property: 'name' });
    const values = staff.mutate({ department: 'Sales', id: 3 }, () => anna);
    await rejects(values, 'ValueInvalid', { property: 'key' });
  });

  test('what was read in part can be deleted, and not written', async () => {
    const staff = db().repo(Employee, { table: await peer.newTable() });
    await staff.create(anna);
    const [row] = await staff.partition(anna).select('name').take(1);
    assert(row);
    // @ts-expect-error some properties were not read
    await rejects(async () => staff.replace(row, anna), 'ValueInvalid', { property: 'whole' });
    // @ts-expect-error some properties were not read
    await rejects(async () => staff.merge(row, { score: 1 }), 'ValueInvalid', { property: 'whole' });
    await rejects(staff.delete(row, { exactlyOnce: true }), 'ValueInvalid', { property: 'whole' });
    await staff.delete(row);
    // @ts-expect-error a key is no row that was read
    await assert.rejects(staff.delete({ department: 'Sales', id: 1 }), TypeError);
  });

  test('what others wrote beside the entity stays', async () => {
    const table = await peer.newTable();
    const now = db().repo(EmployeeNow, { table });
    const staff = db().repo(Employee, { table });
    await now.create({ ...anna, level: 3 });
    const old = await staff.get(anna);
    assert(old);
    await rejects(async () => staff.replace(old, anna), 'NewerVersion', { known: 1, found: 2 });
    const merged = await staff.merge(old, { name: 'Anne' });
    assert.equal(merged.version, 2);
    assert.deepEqual((await now.get(anna))?.value, { ...anna, name: 'Anne', level: 3 });
  });

  test('a merge into a row of an earlier version brings all of it up to date', async () => {
    const table = await peer.newTable();
    await db().repo(Employee, { table }).create(anna);
    const now = db().repo(EmployeeNow, { table });
    const old = await now.get(anna);
    assert.equal(old?.version, 1);
    const merged = await now.merge(old, { score: 5 });
    assert.deepEqual([merged.version, merged.value], [2, { ...anna, level: 1, score: 5 }]);
    assert.equal((await now.get(anna))?.version, 2);
  });

  test('overwriting looks at nothing', async () => {
    const staff = db().repo(Employee, { table: await peer.newTable() });
    await rejects(staff.overwrite.merge(anna, { score: 1 }), 'NotFound');
    await staff.overwrite.delete(anna);
    const first = await staff.overwrite.put({ ...anna, note: 'gone' });
    await staff.overwrite.put(anna);
    await staff.overwrite.merge(anna, { score: 9 });
    assert.deepEqual((await staff.get(anna))?.value, { ...anna, score: 9 });
    await rejects(async () => staff.overwrite.merge(anna, { note: undefined }), 'ValueInvalid');
    await rejects(staff.delete(first), 'Conflict');
    await staff.overwrite.delete(anna);
    assert.equal(await staff.get(anna), undefined);
  });

  test('operation ids can have another name, or be left out', async () => {
    const table = await peer.newTable();
    const plain = open({ tables: peer.client() }, { operationIds: false }).repo(Employee, { table });
    const stored = await plain.merge(await plain.create(anna), { score: 1 });
    assert.deepEqual([stored.unknown, (await plain.get(anna))?.unknown], [[], []]);
    const [checked] = await open({ tables: peer.client() }, { operationIds: false })
      .batch(Employee, anna, { table })
      .conditionCheck(stored)
      .commit();
    assert.deepEqual((await plain.get(anna))?.value, stored.value);
    assert.notEqual(checked?.etag, stored.etag);
    await plain.overwrite.put(anna);
    await rejects(plain.delete(stored), 'Conflict');
    const named = open({ tables: peer.client() }, { operationIds: { property: 'lastWrite' } }).repo(
      Employee,
      { table },
    );
    const written = await named.overwrite.put(anna);
    assert.deepEqual(
      written.unknown.map(({ name }) => name),
      ['lastWrite'],
    );
    const clash = entity('Clash', {
      version: 1,
      table: 'Clash',
      props: { id: t.string(), _op: t.string() },
      partition: key('all'),
      row: key(part('id')),
    });
    assert.throws(
      () => db().repo(clash),
      (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid'),
    );
  });
});
