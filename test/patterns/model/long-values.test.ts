// Long values in the rows of a service: written by every operation, and none leaves a piece of an earlier value behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, key, t } from '#patterns';
import { change } from '#patterns/bulk';
import { writeEach } from '../support/collect.js';
import { describePeers, fresh } from '../support/peers.js';
import { rejects } from '../support/rejects.js';

const textOf = (letter: string, pieces: number): string => letter.repeat(32_768 * (pieces - 1) + 10);

const Doc = entity('Doc', {
  version: 1,
  table: 'Docs',
  props: { id: t.string(), text: t.string().long().optional(), note: t.string().optional() },
  partition: key('docs'),
  row: p => key(p.id),
});
const any = { key: { id: 'a' }, etag: '*' };

describePeers('long values', peer => {
  const docs = async () => {
    const { db, table, repo: rows, raw } = await fresh(peer, Doc);
    /** The names of stored pieces, by the official client. */
    const pieces = async (): Promise<string> => {
      const names = Object.keys(await raw.getEntity('docs', 'a')).filter(name => name.startsWith('text'));
      return names.sort().join();
    };
    const row = async () => (await rows.get({ id: 'a' })) ?? assert.fail();
    return { db, table, rows, pieces, row, batch: () => db.batch(Doc, {}, { table }) };
  };

  test('are written by every operation, and leave nothing of an earlier value', async () => {
    const { db, table, rows, pieces, row, batch } = await docs();
    const upserted = (letter: string, count: number) => ({ id: 'a', text: textOf(letter, count), note: 'n' });
    for (const [write, names] of [
      [() => rows.create(upserted('a', 3)), 'text,text__2,text__3'],
      [async () => rows.merge(await row(), { text: textOf('b', 2) }), 'text,text__2'],
      [async () => rows.merge(await row(), { text: textOf('c', 3) }), 'text,text__2,text__3'],
      [async () => rows.replace(await row(), { id: 'a', text: textOf('d', 1) }), 'text'],
      [() => rows.upsert(upserted('e', 3)), 'text,text__2,text__3'],
      [() => rows.upsertMerge({ id: 'a', text: textOf('f', 2) }), 'text,text__2'],
      [() => rows.merge(any, { text: textOf('g', 1) }), 'text'],
      [
        () => rows.mutate({ id: 'a' }, now => now && { ...now, text: textOf('h', 3) }),
        'text,text__2,text__3',
      ],
      [
        async () =>
          batch()
            .merge(Doc, await row(), { text: textOf('i', 2) })
            .commit(),
        'text,text__2',
      ],
      [() => batch().merge(Doc, any, { note: 'short' }).commit(), 'text,text__2'],
      [() => writeEach(db, [change.upsertMerge(Doc, { id: 'a', text: 'short' }, { table })]), 'text'],
      [async () => rows.merge(await row(), { text: null }), ''],
    ] as const) {
      await write();
      assert.equal(await pieces(), names, String(write));
    }
    assert.deepEqual((await row()).value, { id: 'a', note: 'short' });
    // A batch reads no row first.
    await rejects(async () => batch().merge(Doc, any, { text: 'short' }), 'RowNotRead');
  });
});
