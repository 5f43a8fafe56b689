// Lists of ids in blobs, of one entity, kept by a flow, on a server with all three services.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { codec, type Db, entity, key, t } from '#patterns';
import { auditLists, listed, listFlow, listOf } from '#patterns/lists';
import { onlyIn } from '../../../support/slow.js';
import { drained } from '../../flows/flow-setting.js';
import { column } from '../../support/column.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';

const Employee = entity('Employee', {
  version: 1,
  table: 'Staff',
  props: { department: t.string(), id: t.int32(), lastName: t.string() },
  partition: p => key(p.department),
  row: p => key('employee', p.id.as(codec.int(6))),
});
const inBlobs = listOf(Employee, 'lastNames', {
  where: 'blob',
  container: 'staff-lists',
  blob: p => key('last', p.lastName),
});

/** Its key in blobs does not give the name back as it was. */
const Audited = entity('Audited', {
  version: 1,
  table: 'Audited',
  props: { department: t.string(), id: t.int32(), lastName: t.string().stored('LastName') },
  partition: p => key(p.department),
  row: p => key('employee', p.id.as(codec.int(6))),
});
const ofAudited = listOf(Audited, 'auditedNames', {
  where: 'blob',
  container: 'audited-lists',
  blob: p => key('last', p.lastName.as(codec.lower)),
});
const auditedFlow = listFlow('audited-names', [ofAudited]);

const skip = onlyIn('patterns');

const namesFlow = listFlow('last-names', [inBlobs]);

describePeers('lists in blobs', peer => {
  let db: Db;
  const containerOf = (name: string) => peer.blobs().getContainerClient(name);
  const follow = (flow = namesFlow) => drained(db, flow);
  before(async () => {
    // Messages are seen at once.
    db = peer.open({ announceAfter: 0 });
    for (const name of ['Staff', 'Audited']) await peer.client().createTable(name);
    for (const flow of [namesFlow, auditedFlow]) await flow.createQueues(db);
  });

  test('have the ids of entities when the flow is done', { skip }, async () => {
    const staff = listed(db, Employee, [inBlobs]);
    await rejects(staff.ids(inBlobs, { lastName: 'Jones' }), 'ServiceRefused', {
      code: 'ContainerNotFound',
      text: 'There is no container staff-lists.',
    });
    await containerOf('staff-lists').create();
    assert.deepEqual(await staff.ids(inBlobs, { lastName: 'Jones' }), []);
    const made = [];
    for (const department of ['IT', 'Sales'])
      for (const id of [1, 2, 3, 4]) made.push(await staff.create({ department, id, lastName: 'Jones' }));
    await follow();
    const [first, second, ...others] = made;
    assert(first && second);
    assert.equal((await staff.find(inBlobs, { lastName: 'Jones' })).rows.length, 8);
    await staff.merge(first, { lastName: 'Smith/?#' });
    await staff.delete(second);
    const early = await staff.find(inBlobs, { lastName: 'Jones' });
    assert.deepEqual(
      early.stale.map(({ fault }) => fault),
      ['moved', 'gone'],
      'until the flow is done',
    );
    await follow();
    const late = await staff.find(inBlobs, { lastName: 'Jones' });
    assert.deepEqual([late.rows.length, late.stale], [6, []]);
    assert.deepEqual(column((await staff.find(inBlobs, { lastName: 'Smith/?#' })).rows, 'id'), [1]);
    for (const each of others) await staff.delete(each);
    await follow();
    const names = [];
    for await (const { name } of containerOf('staff-lists').listBlobsFlat()) names.push(name);
    assert.equal(names.length, 1, 'a list without ids has no blob');
  });

  test('are audited: what is missing, what should not be there, and what is no list', { skip }, async () => {
    const container = containerOf('audited-lists');
    await container.create();
    const staff = listed(db, Audited, [ofAudited]);
    await staff.create({ department: 'IT', id: 1, lastName: 'Jones' });
    await staff.create({ department: 'IT', id: 2, lastName: 'JONES' });
    await staff.create({ department: 'IT', id: 3, lastName: 'Smith' });
    const audited = async (repair: boolean) => {
      const found: unknown[] = [];
      let [resume, oldest, repaired]: [string | undefined, number | undefined, number] = [undefined, 0, 0];
      do {
        const { value } = await auditLists(db, ofAudited, { repair, size: 1, resume }).next();
        assert(value);
        ({ next: resume, oldest } = value);
        repaired += value.repaired;
        for (const { fault, rowKey, id } of value.findings) found.push([fault, rowKey, id?.slice(-1)]);
      } while (resume !== undefined);
      return { found, repaired, age: typeof oldest };
    };
    // No worker has run yet.
    const missing = ['1', '2'].map(id => ['missing', 'last!jones', id]);
    const early = await audited(false);
    assert.deepEqual(early, {
      found: [...missing, ['missing', 'last!smith', '3']],
      repaired: 0,
      age: 'number',
    });
    await follow(auditedFlow);
    assert.deepEqual(await audited(false), { found: [], repaired: 0, age: 'undefined' });
    const upload = async (name: string, text: string): Promise<void> => {
      await container.getBlockBlobClient(name).upload(text, text.length);
    };
    await upload('last!zz', 'none');
    await upload('beside the lists', 'none');
    // By a program that knows nothing of the lists.
    const tables = peer.table('Audited');
    await tables.deleteEntity('IT', 'employee!000001');
    await tables.updateEntity({ partitionKey: 'IT', rowKey: 'employee!000003', LastName: 'Jones' }, 'Merge');
    await tables.updateEntity({ partitionKey: 'IT', rowKey: 'employee!000002', LastName: 7 }, 'Merge');
    const strange = [
      ['unreadable', 'employee!000002', undefined],
      ['unreadable', 'last!zz', undefined],
    ];
    const wrong = [
      strange[0],
      ['missing', 'last!jones', '3'],
      ['orphan', 'last!jones', '1'],
      ['orphan', 'last!smith', '3'],
      strange[1],
    ];
    assert.deepEqual(await audited(false), { found: wrong, repaired: 0, age: 'undefined' });
    assert.deepEqual(await audited(true), { found: wrong, repaired: 3, age: 'undefined' });
    assert.deepEqual(await audited(false), { found: strange, repaired: 0, age: 'undefined' });
    const { value } = await auditLists(db, ofAudited, { size: 1 }).next();
    await rejects(auditLists(db, inBlobs, { resume: value?.next }).next(), 'TokenMismatch');
  });

  test('are as long as blobs may be', { skip }, async () => {
    const { BlobLists } = await import('../../../../packages/patterns/derived/lists/blob-list.js');
    const { Db: Opened } = await import('../../../../packages/patterns/repo/open.js');
    assert(inBlobs.home.kind === 'blobs');
    const lists = new BlobLists(Opened.serviceOf(db), inBlobs.home.list);
    const ids = Array.from(
      { length: 100_000 },
      (_, at) => `Sales\u0000employee!${String(at).padStart(6, '0')}`,
    );
    const at = { lastName: 'Long' };
    await lists.change(at, new Map(ids.map(id => [id, true])));
    assert.deepEqual(await lists.ids(at), ids);
    await lists.change(at, new Map([['Sales\u0000employee!0500005', true]]));
    assert.equal((await lists.ids(at)).length, 100_001);
    await Promise.all(
      ['a', 'b', 'c', 'd'].map(id => lists.change({ lastName: 'Hot' }, new Map([[id, true]]))),
    );
    assert.deepEqual(await lists.ids({ lastName: 'Hot' }), ['a', 'b', 'c', 'd']);
    const blob = containerOf('staff-lists').getBlockBlobClient(inBlobs.home.list.key.encode(at));
    await blob.upload('zz', 2);
    await rejects(lists.ids(at), 'RowUnreadable', { table: 'staff-lists', rowKey: 'last!Long' });
  });
});
