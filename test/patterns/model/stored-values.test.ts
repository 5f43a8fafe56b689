// A value that was read belongs to the caller, which may change it in place: each write compares with what the row held. stored-followers.test.ts tests rows that are derived from rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { entity, key, t } from '#patterns';
import { change } from '#patterns/bulk';
import { encrypted, encryption, keyRing, localKey } from '#patterns/encryption';
import { writeEach } from '../support/collect.js';
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
const KEYS = { table: 'Docs', partition: key('docs') } as const;

const Doc = entity('Doc', { ...KEYS, version: 1, props: PROPS, row: p => key(p.id) });
const DocNow = entity('Doc', {
  ...KEYS,
  version: 2,
  props: { ...PROPS, level: t.json(z.array(z.number())) },
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

/** In place. Gives what it changed. */
function changeInPlace<V extends Changeable>({ data, photo, text }: V) {
  data.tags.push('y');
  photo?.fill(9);
  text?.push('y');
  return { data, photo, text };
}
const changed = { data: { tags: ['x', 'y'] }, photo: Uint8Array.of(9, 9), text: ['x', 'y'] };

describePeers('a value that was read and changed in place', peer => {
  const opened = async () => {
    const { db, table, repo: docs } = await fresh(peer, Doc);
    const read = async (id = 'a') => (await docs.get(doc(id))) ?? assert.fail();
    const held = async (id = 'a') => {
      const { data, photo, text } = (await read(id)).value;
      return { data, photo, text };
    };
    return { db, table, docs, created: await docs.create(doc()), read, held };
  };
  type World = Awaited<ReturnType<typeof opened>>;
  /** Rows that were read, those that a write gave, and copies of them. */
  const WAYS = {
    read: ({ read }: World) => read(),
    created: async ({ created }: World) => created,
    merged: async ({ docs, read }: World) => docs.merge(await read(), { total: 1 }),
    replaced: async ({ docs, read }: World) => docs.replace(await read(), doc()),
    queried: async ({ docs }: World) => (await docs.partition({}).first()) ?? assert.fail(),
    checked: async ({ db, table, read }: World) => {
      const [same] = await db
        .batch(Doc, {}, { table })
        .conditionCheck(await read())
        .commit();
      return same;
    },
    spread: async ({ read }: World) => ({ ...(await read()) }),
  };

  for (const [name, way] of Object.entries(WAYS))
    test(`is written by a merge: ${name}`, async () => {
      const world = await opened();
      const row = await way(world);
      const merged = await world.docs.merge(row, changeInPlace(row.value));
      assert.deepEqual(await world.held(), changed);
      assert.deepEqual(merged.value.data, changed.data);
    });

  test('is written by a replace, a batch and bulk writes', async () => {
    const { db, table, docs, read, held } = await opened();
    for (const id of ['b', 'c', 'd']) await docs.create(doc(id));
    const [a, b, c, d] = [await read('a'), await read('b'), await read('c'), await read('d')];
    for (const { value } of [a, b, c, d]) changeInPlace(value);
    const { data, photo, text } = b.value;
    await docs.replace(a, a.value);
    await db.batch(Doc, {}, { table }).merge(Doc, b, { data, photo, text }).commit();
    const patch = { data: c.value.data, photo: c.value.photo, text: c.value.text };
    await writeEach(db, [change.merge(Doc, c, patch), change.replace(Doc, d, d.value)]);
    for (const id of ['a', 'b', 'c', 'd']) assert.deepEqual(await held(id), changed);
  });

  test('is written by mutate, which writes nothing where nothing was changed', async () => {
    const { docs, created, held } = await opened();
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

  test('leaves what it was read as to a merge of other properties, and is not the bytes that were given', async () => {
    const { docs, created, held } = await opened();
    changeInPlace(created.value);
    const merged = await docs.merge(created, { total: 2 });
    const { data, photo, text } = doc();
    assert.deepEqual([await held(), merged.value.data], [{ data, photo, text }, data]);
    const given = doc('b');
    const row = await docs.create(given);
    given.photo.fill(9);
    await docs.merge(row, { photo: given.photo });
    assert.deepEqual((await held('b')).photo, given.photo);
  });

  test('of an earlier version, or of a default, is its own', async () => {
    const { db, table, docs } = await opened();
    await docs.create(doc('b'));
    const now = db.repo(DocNow, { table });
    const of = async (id = 'a') => (await now.get(doc(id))) ?? assert.fail();
    const row = await of();
    row.value.level.push(2);
    const merged = await now.merge(row, { level: row.value.level });
    merged.value.labels.push('mine');
    assert.deepEqual((await of()).value.level, [1, 2]);
    await now.merge(merged, { labels: merged.value.labels });
    assert.deepEqual([(await of()).value.labels, (await of('b')).value.labels], [['mine'], []]);
    const { group, id, data } = PROPS;
    const Bare = entity('Doc', { ...KEYS, version: 1, props: { group, id, data }, row: p => key(p.id) });
    await db.repo(Bare, { table }).create({ group: 'g', id: 'c', data: doc().data });
    const lacks = (await docs.get(doc('c'))) ?? assert.fail();
    lacks.value.labels.push('mine');
    await docs.merge(lacks, { labels: lacks.value.labels });
    assert.deepEqual((await of('c')).value.labels, ['mine']);
    assert.deepEqual((await docs.create(doc('e'))).value.labels, []);
  });

  test('is written where values are encrypted', async () => {
    const Secret = entity('Secret', {
      ...KEYS,
      version: 1,
      table: await peer.newTable(),
      props: {
        id: t.string(),
        open: t.json(z.array(z.string())),
        tags: encrypted(t.json(z.array(z.string())), 'self-contained'),
      },
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
