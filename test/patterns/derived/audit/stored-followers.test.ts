// A row that was read, whose value the caller assigned to in place, as programs without types can: what follows from it follows from what the row held, in wide and large entities and in moves.
// The matrix spoils the rows of repositories, batches and bulk writes in this way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#base/testing/until';
import { entity, key, t } from '#patterns';
import { move } from '#patterns/flows';
import { larges, largeText } from '#patterns/large';
import { wide, wideRepo } from '#patterns/wide';
import { SOON } from '../../flows/flow-setting.js';
import { collect } from '../../support/collect.js';
import { ann, assertExact, Person } from '../../support/indexed-entity.js';
import { describePeers, fresh } from '../../support/peers.js';

/** The row, with these in its value, which is the same object. */
function assigned<S extends { readonly value: object }>(row: S | undefined, to: object): S {
  assert(row);
  Object.assign(row.value, to);
  return row;
}

const email = { email: 'new@x.org' };

describePeers('what follows from a row whose value was assigned to', peer => {
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
    assert.equal((await collect(client.listBlobsFlat())).length, 1);
  });

  test('is right for a row that is moved', async () => {
    const { db, table, repo } = await fresh(peer, Person);
    const toTable = await peer.newTable();
    const become = (value: object) => Object.assign(value, email) as typeof ann;
    const between = { from: Person, to: Person, fromTable: table, toTable };
    const moving = move(`assigned-${peer.name}`, { ...between, become });
    await moving.flow.createQueues(db);
    await repo.create(ann);
    await moving.start(db, ann);
    await using _ = moving.flow.worker(db, SOON);
    await until('the move', async () => (await repo.get(ann)) === undefined);
    for (const each of [table, toTable]) await assertExact(db, each);
  });
});
