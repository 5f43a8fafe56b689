// A value that was read belongs to the caller, which may change it in place: each write compares with what the row held. stored-followers.test.ts tests rows that are derived from rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { entity, key, t } from '#patterns';
import { change, writeAll } from '#patterns/bulk';
import { encrypted, encryption, keyRing, localKey } from '#patterns/encryption';
import { describePeers, fresh } from '../support/peers.js';

const PROPS = {
  group: t.string(),
  id: t.string(),
  data: t.json(z.object({ tags: z.array(z.string()) })),
  photo: t.bytes().optional(),
  text: t.json(z.array(z.string())).long().optional(),
  labels: t.json(z.array(z.string())).default([]),
  total: t.int32().optional(),
};

const Doc = entity('Doc', {
  version: 1,
  table: 'Docs',
  props: PROPS,
  partition: p => key(p.group),
  row: p => key(p.id),
});
const DocNow = entity('Doc', {
  version: 2,
  table: 'Docs',
  props: { ...PROPS, level: t.json(z.array(z.number())) },
  partition: p => key(p.group),
  row: p => key(p.id),
  upcast: { 1: old => ({ ...old, level: [1] }) },
});
const doc = (id = 'a') => ({
  group: 'g',
  id,
  data: { tags: ['x'] },
  photo: Uint8Array.of(1, 2),
  text: ['x'],
});

interface Changeable {
  readonly data: { readonly tags: string[] };
  readonly photo?: Uint8Array | undefined;
  readonly text?: string[] | undefined;
}

function changeInPlace({ data, photo, text }: Changeable): void {
  data.tags.push('y');
  photo?.fill(9);
  text?.push('y');
}
const changed = { data: { tags: ['x', 'y'] }, photo: Uint8Array.of(9, 9), text: ['x', 'y'] };

describePeers('a value that was read and changed in place', peer => {
  const opened = async () => {
    const { db, table, repo: docs } = await fresh(peer, Doc);
    const held = async (id = 'a') => {
      const { data, photo, text } = (await docs.get({ group: 'g', id }))?.value ?? assert.fail();
      return { data, photo, text };
    };
    return { db, table, docs, held };
  };
  /** Rows that were read, those that a write gave, and copies of them. */
  const WAYS = {
    read: ({ docs }: Awaited<ReturnType<typeof opened>>) => docs.get(doc()),
    created: async () => undefined,
    merged: async ({ docs }: Awaited<ReturnType<typeof opened>>) =>
      docs.merge((await docs.get(doc())) ?? assert.fail(), { total: 1 }),
    replaced: async ({ docs }: Awaited<ReturnType<typeof opened>>) =>
      docs.replace((await docs.get(doc())) ?? assert.fail(), doc()),
    queried: async ({ docs }: Awaited<ReturnType<typeof opened>>) => docs.partition({ group: 'g' }).first(),
    checked: async ({ db, docs, table }: Awaited<ReturnType<typeof opened>>) => {
      const row = (await docs.get(doc())) ?? assert.fail();
      const [same] = await db.batch(Doc, row.value, { table }).conditionCheck(row).commit();
      return same;
    },
    spread: async ({ docs }: Awaited<ReturnType<typeof opened>>) => {
      const row = await docs.get(doc());
      return row && { ...row };
    },
  };

  for (const [name, way] of Object.entries(WAYS))
    test(`is written by a merge: ${name}`, async () => {
      const world = await opened();
      const created = await world.docs.create(doc());
      const row = (await way(world)) ?? created;
      changeInPlace(row.value);
      const { data, photo, text } = row.value;
      const merged = await world.docs.merge(row, { data, photo, text });
      assert.deepEqual(await world.held(), changed);
      assert.deepEqual(merged.value.data, changed.data);
    });

  test('is written by a replace, a batch and bulk writes', async () => {
    const { db, table, docs, held } = await opened();
    for (const id of ['a', 'b', 'c', 'd']) await docs.create(doc(id));
    const read = async (id: string) => {
      const row = (await docs.get({ group: 'g', id })) ?? assert.fail();
      changeInPlace(row.value);
      return row;
    };
    const a = await read('a');
    await docs.replace(a, a.value);
    const [b, c, d] = [await read('b'), await read('c'), await read('d')];
    await db
      .batch(Doc, b.value, { table })
      .merge(Doc, b, { ...changed, data: b.value.data })
      .commit();
    const changes = [
      change.merge(Doc, c, { data: c.value.data, photo: c.value.photo, text: c.value.text }),
      change.replace(Doc, d, d.value),
    ];
    for await (const report of writeAll(db, changes)) assert.equal(report.kind, 'done');
    for (const id of ['a', 'b', 'c', 'd']) assert.deepEqual(await held(id), changed);
  });

  test('is written by mutate, which writes nothing where nothing was changed', async () => {
    const { docs, held } = await opened();
    const created = await docs.create(doc());
    const changing = <V extends Changeable>(row: V | undefined) => {
      if (row?.data.tags.length === 1) changeInPlace(row);
      return row;
    };
    const written = await docs.mutate(doc(), row => changing(row), { checksPurity: true });
    assert.notEqual(written?.etag, created.etag);
    assert.deepEqual(await held(), changed);
    const same = await docs.mutate(doc(), row => changing(row), { checksPurity: true });
    assert.equal(same?.etag, written?.etag);
  });

  test('leaves what it was read as to a merge of other properties', async () => {
    const { docs, held } = await opened();
    const created = await docs.create(doc());
    changeInPlace(created.value);
    const merged = await docs.merge(created, { total: 2 });
    const { data, photo, text } = doc();
    assert.deepEqual(await held(), { data, photo, text });
    assert.deepEqual(merged.value.data, data);
  });

  test('is not the bytes that the caller gave', async () => {
    const { docs } = await opened();
    const photo = Uint8Array.of(1, 2);
    const created = await docs.create({ ...doc(), photo });
    photo.fill(9);
    await docs.merge(created, { photo });
    assert.deepEqual((await docs.get(doc()))?.value.photo, photo);
  });

  test('of an earlier version, or of a default, is its own', async () => {
    const { db, table, docs } = await opened();
    for (const id of ['a', 'b']) await docs.create(doc(id));
    const now = db.repo(DocNow, { table });
    const row = (await now.get(doc())) ?? assert.fail();
    row.value.level.push(2);
    const merged = await now.merge(row, { level: row.value.level });
    merged.value.labels.push('mine');
    assert.deepEqual((await now.get(doc()))?.value.level, [1, 2]);
    await now.merge(merged, { labels: merged.value.labels });
    assert.deepEqual((await now.get(doc()))?.value.labels, ['mine']);
    assert.deepEqual((await now.get(doc('b')))?.value.labels, []);
    const Bare = entity('Doc', {
      version: 1,
      table: 'Docs',
      props: { group: t.string(), id: t.string(), data: PROPS.data },
      partition: p => key(p.group),
      row: p => key(p.id),
    });
    const { group, data } = doc();
    await db.repo(Bare, { table }).create({ group, id: 'c', data });
    const lacks = (await docs.get({ group, id: 'c' })) ?? assert.fail();
    lacks.value.labels.push('mine');
    await docs.merge(lacks, { labels: lacks.value.labels });
    assert.deepEqual((await docs.get({ group, id: 'c' }))?.value.labels, ['mine']);
    assert.deepEqual((await docs.create({ group, id: 'e', data })).value.labels, []);
  });

  test('is written where values are encrypted', async () => {
    const table = await peer.newTable();
    const Secret = entity('Secret', {
      version: 1,
      table,
      props: {
        id: t.string(),
        open: t.json(z.array(z.string())),
        tags: encrypted(t.json(z.array(z.string())), 'self-contained'),
      },
      partition: key('secrets'),
      row: p => key(p.id),
    });
    const ring = keyRing({ current: 'k', keys: { k: localKey(new Uint8Array(32).fill(1)) } });
    const secrets = encryption(Secret, { ring }).repo(peer.open());
    const row = await secrets.create({ id: 'a', open: ['x'], tags: ['x'] });
    row.value.open.push('y');
    row.value.tags.push('y');
    await secrets.merge(row, { open: row.value.open, tags: row.value.tags });
    const current = async () => (await secrets.get({ id: 'a' }))?.value;
    assert.deepEqual(await current(), { id: 'a', open: ['x', 'y'], tags: ['x', 'y'] });
    const pushed = (value: { readonly tags: string[] } | undefined) => {
      value?.tags.push('z');
      return value;
    };
    const written = await secrets.mutate({ id: 'a' }, value => pushed(value) && value);
    assert.deepEqual((await current())?.tags, ['x', 'y', 'z']);
    const same = await secrets.mutate({ id: 'a' }, value => value);
    assert.equal(same?.etag, written?.etag);
  });
});
