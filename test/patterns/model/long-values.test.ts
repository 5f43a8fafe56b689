// Long values in the rows of a service: written by every operation, and none leaves a piece of an earlier value behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, key, t } from '#patterns';
import { change, writeAll } from '#patterns/bulk';
import { describePeers } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const textOf = (letter: string, pieces: number): string => letter.repeat(32_768 * (pieces - 1) + 10);

describePeers('long values', peer => {
  const docs = async () => {
    const table = await peer.newTable();
    const Doc = entity('Doc', {
      version: 1,
      table,
      props: { id: t.string(), text: t.string().long().optional(), note: t.string().optional() },
      partition: key('docs'),
      row: p => key(p.id),
    });
    const db = peer.open();
    /** The names of stored pieces, by the official client. */
    const pieces = async (id: string): Promise<string> => {
      const row = await peer.table(table).getEntity('docs', id);
      return Object.keys(row)
        .filter(name => name.startsWith('text'))
        .sort()
        .join();
    };
    return { db, Doc, rows: db.repo(Doc), pieces };
  };

  test('are written by every operation, and leave nothing of an earlier value', async () => {
    const { rows, pieces } = await docs();
    let row = await rows.create({ id: 'a', text: textOf('a', 3), note: 'n' });
    assert.equal(await pieces('a'), 'text,text__2,text__3');
    row = await rows.merge(row, { text: textOf('b', 2) });
    assert.equal(await pieces('a'), 'text,text__2');
    row = await rows.merge(row, { text: textOf('c', 3) });
    row = await rows.replace(row, { id: 'a', text: textOf('d', 1) });
    assert.equal(await pieces('a'), 'text');
    await rows.upsert({ id: 'a', text: textOf('e', 3), note: 'n' });
    await rows.upsertMerge({ id: 'a', text: textOf('f', 2) });
    assert.equal(await pieces('a'), 'text,text__2');
    await rows.merge({ key: { id: 'a' }, etag: '*' }, { text: textOf('g', 1) });
    assert.equal(await pieces('a'), 'text');
    await rows.mutate({ id: 'a' }, now => now && { ...now, text: textOf('h', 2) });
    const found = await rows.get({ id: 'a' });
    assert.deepEqual(found?.value, { id: 'a', text: textOf('h', 2), note: 'n' });
    await rows.merge(found, { text: null });
    assert.equal(await pieces('a'), '');
  });

  test('are read by queries, whole and selected', async () => {
    const { rows } = await docs();
    await rows.create({ id: 'a', text: textOf('a', 2), note: 'n' });
    const [selected] = await rows.partition({}).select('text').take(1);
    assert.equal(selected?.value.text, textOf('a', 2));
    const [whole] = await rows
      .partition({})
      .where(p => p.note.eq('n'))
      .take(1);
    assert.equal(whole?.value.text, textOf('a', 2));
    const opaque = () =>
      // @ts-expect-error the service cannot compare it
      rows.partition({}).where(p => p.text.eq('a'));
    assert.throws(opaque, /Doc\.text: it is opaque to the service/);
  });

  test('go through batches and bulk writes, which read a row first only alone', async () => {
    const { db, Doc, rows, pieces } = await docs();
    const [row] = await db
      .batch(Doc, {})
      .create(Doc, { id: 'a', text: textOf('a', 3) })
      .commit();
    await db
      .batch(Doc, {})
      .merge(Doc, row, { text: textOf('b', 2) })
      .commit();
    assert.equal(await pieces('a'), 'text,text__2');
    await rejects(
      async () => db.batch(Doc, {}).merge(Doc, { key: { id: 'a' }, etag: '*' }, { text: 'short' }),
      'RowNotRead',
    );
    await db
      .batch(Doc, {})
      .merge(Doc, { key: { id: 'a' }, etag: '*' }, { note: 'short' })
      .commit();
    for await (const { kind } of writeAll(db, [
      change.upsertMerge(Doc, { id: 'a', text: 'short' }),
      change.upsert(Doc, { id: 'b', text: textOf('c', 2) }),
    ]))
      assert.equal(kind, 'done');
    assert.equal(await pieces('a'), 'text');
    assert.equal((await rows.get({ id: 'b' }))?.value.text, textOf('c', 2));
  });
});
