// Rows that their entity cannot read, of every kind, among rows that it can: a query ends with the row's address, or continues without it, from every token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, key, t } from '#patterns';
import { deleteRows } from '#patterns/bulk';
import type { QueryOptions, UnreadableRow } from '#patterns/internals';
import { collect, pageByPage } from '../../support/collect.js';
import { column } from '../../support/column.js';
import { describePeers, fresh } from '../../support/peers.js';
import { type Properties, putRows, text } from '../../support/raw-rows.js';
import { rejects } from '../../support/rejects.js';

const Item = entity('Item', {
  version: 3,
  table: 'Items',
  props: { shelf: t.string(), number: t.int32(), color: t.string(), weight: t.double().optional() },
  partition: p => key(p.shelf),
  row: p => key('item', p.number.as(codec.int(3))),
  upcast: {
    1: old => {
      if (old.color === 'black') throw new Error('there was no black');
      return old;
    },
    2: old => ({ ...old, weight: old.color === 'white' ? 'heavy' : old.weight }),
  },
});

const tagged = (version: number, properties: Properties): Properties => ({
  EntityType: text(`Item.${version}`),
  ...properties,
});

/** Row key, properties, and the error of the row. */
const STRANGE = [
  ['item!002x', tagged(3, { color: text('red') }), 'RowUnreadable'],
  ['item!004', tagged(3, { color: { type: 'Int32', value: 4 } }), 'TypeDrift'],
  ['item!006', tagged(3, {}), 'TypeDrift'],
  ['item!008', tagged(1, { color: text('black') }), 'RowUnreadable'],
  ['item!010', tagged(2, { color: text('white') }), 'RowUnreadable'],
  ['item!012', tagged(4, { colour: text('red') }), 'NewerVersion'],
  ['item!014!', {}, 'RowUnreadable'],
] as const;
const NUMBERS = [1, 3, 5, 7, 9, 11, 13, 15];

describePeers('rows that cannot be read', peer => {
  async function filled(queries: QueryOptions = {}) {
    const { db, repo: items, table } = await fresh(peer, Item, { queries });
    await putRows(
      peer,
      table,
      STRANGE.map(([rowKey, properties]) => ['a', rowKey, properties] as const),
    );
    for (const number of NUMBERS) await items.create({ shelf: 'a', number, color: 'red' });
    return { db, items, table, shelf: items.partition({ shelf: 'a' }) };
  }

  for (const [rowKey, properties, code] of STRANGE)
    test(`end a query with their table and keys: ${rowKey}`, async () => {
      const { repo: items, table } = await fresh(peer, Item);
      await putRows(peer, table, [['a', rowKey, properties]]);
      const address = { table, partitionKey: 'a', rowKey };
      await rejects(items.partition({ shelf: 'a' }).take(1), code, address);
      await rejects(items.scan().allowScan('test').page(), code, address);
      if (rowKey === 'item!008') await rejects(items.get({ shelf: 'a', number: 8 }), code, { rowKey });
    });

  test('are passed by, from every token', async () => {
    const { shelf } = await filled();
    const all = shelf.onUnreadable('skip');
    for (const size of [1, 2, 5, 100]) {
      const pages = await pageByPage(resume => all.pages({ size, resume }));
      const read = pages.flatMap(({ items }) => column(items, 'number'));
      assert.deepEqual(read, NUMBERS, `pages of ${size}`);
    }
    assert.equal((await all.take(100)).length, NUMBERS.length);
    assert.equal((await all.select('color').take(100)).length, NUMBERS.length);
  });

  test('are reported, each once, with what they hold', async () => {
    const found: UnreadableRow[] = [];
    const { shelf, table } = await filled({ onUnreadable: row => void found.push(row) });
    assert.deepEqual(column(await shelf.take(100), 'number'), NUMBERS);
    assert.deepEqual(
      found.map(row => [row.table, row.rowKey, row.fault.code]),
      STRANGE.map(([rowKey, , code]) => [table, rowKey, code]),
    );
    assert.deepEqual(found[1]?.properties.get('color'), { type: 'Int32', value: 4 });
    assert.match(String(found[3]?.fault), /there was no black/);
    const stop = new Error('enough');
    const stopping = shelf.onUnreadable(() => {
      throw stop;
    });
    await assert.rejects(stopping.take(100), stop);
  });

  test('stay where a query deletes what it can read', async () => {
    const { db, shelf } = await filled();
    const pages = await collect(deleteRows(db, shelf.onUnreadable('skip'), { conditional: true }));
    assert.equal(pages.at(-1)?.deleted, NUMBERS.length);
    const left: string[] = [];
    await shelf.onUnreadable(({ rowKey }) => void left.push(rowKey)).take(100);
    assert.equal(left.length, STRANGE.length);
  });
});
