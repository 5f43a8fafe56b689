// Wide entities on a service: read and written as one, whatever number of rows they stand in, and never as a mixture of two writes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { remove } from '#patterns';
import { change } from '#patterns/bulk';
import { encryption } from '#patterns/encryption';
import { wideRepo } from '#patterns/wide';
import { collect, written } from '../support/collect.js';
import { FaultyClient, faultAt } from '../support/faulty-client.js';
import { describePeers } from '../support/peers.js';
import { refuses, rejects } from '../support/rejects.js';
import { numberOf, tornReads, wideOf, wideValue } from './wide-world.js';

const COUNT = 600;
/** 600 numbers take three rows. */
const ROWS = 3;

/** As it is, but for the order of names in a row, which is the service's. */
const bare = (row: { value?: unknown; etag?: unknown; unknown?: unknown } = {}) => {
  const { value, etag, unknown } = row;
  return { value, etag, unknown };
};

describePeers('wide entities', peer => {
  const world = async (count = COUNT) => {
    const Wide = wideOf(await peer.newTable(), count);
    const repo = (options = {}) => wideRepo(peer.open(options), Wide);
    const keys = async () =>
      (await collect(peer.table(Wide.table).listEntities())).map(({ rowKey }) => rowKey);
    return { Wide, repo, keys };
  };

  test('of a thousand properties are written and read as one', async () => {
    const { repo, keys } = await world(1_000);
    const rows = repo();
    const value = wideValue('a', 1_000, 7, 'note');
    const made = await rows.create(value);
    assert.deepEqual(await keys(), ['wide!a', ...[1, 2, 3, 4].map(at => `wide!a 00${at}`)]);
    const found = await rows.get({ id: 'a' });
    assert.deepEqual({ ...found?.value }, value);
    assert.equal(found?.etag, made.etag);
    await rejects(rows.create(value), 'AlreadyExists');
    assert.equal(await rows.get({ id: 'b' }), undefined);
  });

  test('are refused by name where rows are taken, also from programs without types', async () => {
    const { Wide } = await world();
    const db = peer.open();
    const untyped = Wide as never;
    const reason = 'it stands in several rows, which wideRepo() alone reads and writes as one';
    for (const take of [
      () => db.repo(untyped),
      () => db.batch(untyped, {} as never),
      () => encryption(untyped, {} as never),
    ])
      refuses(take, 'DefinitionInvalid', { subject: 'Wide', reason });
    const created = change.create(untyped, { id: 'a' } as never);
    assert.deepEqual(await written(db, [created]), ['DefinitionInvalid']);
  });

  test('have one ETag, which every write of any row changes', async () => {
    const { repo } = await world();
    const rows = repo();
    const made = await rows.create(wideValue('a', COUNT, 1));
    const last = made.pieces.at(-1)?.names.at(-1) ?? '';
    assert.equal(made.pieces.length, ROWS);
    const merged = await rows.merge(made, { [last]: 2 } as never);
    assert.notEqual(merged.etag, made.etag);
    assert.deepEqual(bare(await rows.get({ id: 'a' })), bare(merged));
    // Another row, but the same entity.
    await rejects(rows.merge(made, { n0000: 3 } as never), 'Conflict');
    await rejects(rows.replace(made, wideValue('a', COUNT, 4)), 'Conflict');
    await rejects(rows.delete(made), 'Conflict');
    const replaced = await rows.replace(merged, wideValue('a', COUNT, 4));
    assert.deepEqual(bare(await rows.get({ id: 'a' })), bare(replaced));
  });

  test('take every write by its name', async () => {
    const { repo, keys } = await world();
    const rows = repo();
    await rows.upsert(wideValue('a', COUNT, 1, 'old'));
    await rows.upsert(wideValue('a', COUNT, 2));
    assert.deepEqual({ ...(await rows.get({ id: 'a' }))?.value }, wideValue('a', COUNT, 2));
    await rows.upsertMerge(wideValue('a', COUNT, 3, 'new'));
    await rows.merge({ key: { id: 'a' }, etag: '*' }, { n0001: 9 } as never);
    const changed = await rows.mutate({ id: 'a' }, now => now && ({ ...now, n0001: 3 } as never));
    assert.equal(changed && numberOf(changed.value), 3);
    const without = await rows.merge(changed as never, { note: remove });
    assert.equal((await rows.get({ id: 'a' }))?.value.note, undefined);
    await rejects(rows.merge({ key: { id: 'b' }, etag: '*' }, {}), 'NotFound');
    await rejects(rows.merge(without, { id: 'b' } as never), 'ValueInvalid');
    await rows.delete(without);
    assert.deepEqual(await keys(), []);
    await rejects(rows.delete({ key: { id: 'a' }, etag: '*' }), 'NotFound');
    await rows.deleteIfExists({ key: { id: 'a' }, etag: '*' });
    await rows.mutate({ id: 'c' }, () => wideValue('c', COUNT, 1));
    assert.equal((await keys()).length, ROWS);
  });

  test('over 1 MiB grow and shrink by rows, and leave none behind', async () => {
    const { repo, keys } = await world(300);
    const rows = repo();
    const text = (letters: number): string => 'x'.repeat(letters);
    const small = await rows.create(wideValue('a', 300, 1));
    assert.equal((await keys()).length, 2);
    const large = await rows.merge(small, { note: text(524_000) });
    assert.deepEqual(bare(await rows.get({ id: 'a' })), bare(large));
    assert.equal((await keys()).length, 3);
    const again = await rows.merge(large, { note: text(10) });
    assert.deepEqual(bare(await rows.get({ id: 'a' })), bare(again));
    await rows.replace(again, wideValue('a', 300, 1));
    assert.equal((await keys()).length, 2);
  });

  test('of a partition come one by one, without the rows of others', async () => {
    const { repo, Wide } = await world();
    const rows = repo();
    for (const id of ['b', 'a', 'a 001', 'a!b']) await rows.create(wideValue(id, COUNT, id.length));
    await peer
      .table(Wide.table)
      .createEntity({ partitionKey: 'wide', rowKey: 'wide!a!other', EntityType: 'Other.1' });
    const all = await collect(rows.all({}));
    const some = await rows.getMany([{ id: 'b' }, { id: 'c' }]);
    assert.deepEqual(
      [all, some].map(found => found.map(row => row?.value.id)),
      [
        ['a', 'a 001', 'a!b', 'b'],
        ['b', undefined],
      ],
    );
  });

  test('that are written between the pages of a read are read again, and no mixture is given', async () => {
    const { repo } = await world();
    const rows = repo();
    let row = await rows.create(wideValue('a', COUNT, 0));
    let writes = 0;
    const torn = tornReads(async () => {
      if (writes < 5) row = await rows.replace(row, wideValue('a', COUNT, ++writes));
    });
    const reader = repo({ httpClient: torn });
    const found = await reader.get({ id: 'a' });
    assert(writes === 5 && torn.count > ROWS);
    assert.equal(found && numberOf(found.value), 5);
    writes = 0;
    for await (const each of reader.all({})) numberOf(each.value);
    // Written each time.
    const always = repo({
      sleep: async () => undefined,
      httpClient: tornReads(async () => {
        row = await rows.replace(row, wideValue('a', COUNT, 1 + (numberOf(row.value) % 3)));
      }),
    });
    await rejects(always.get({ id: 'a' }), 'Contention');
  });

  test('whose rows do not belong together are damaged, and told', async () => {
    const { repo, Wide } = await world();
    const rows = repo({ sleep: async () => undefined });
    await rows.create(wideValue('a', COUNT, 1));
    await peer.table(Wide.table).deleteEntity('wide', 'wide!a 001');
    await assert.rejects(rows.get({ id: 'a' }), /RowUnreadable.*its row 2 is missing, and nobody writes it/);
  });

  test('are written once though answers are lost', async () => {
    const { repo } = await world();
    const made = await repo().create(wideValue('a', COUNT, 1));
    const lost = repo({ httpClient: new FaultyClient(faultAt('reset after', 0, 1)) });
    const replaced = await lost.replace(made, wideValue('a', COUNT, 2));
    assert.deepEqual(bare(await repo().get({ id: 'a' })), bare(replaced));
  });
});
