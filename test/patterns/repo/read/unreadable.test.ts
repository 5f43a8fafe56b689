// Rows that their entity cannot read, of every kind, among rows that it can: a query ends with the row's address, or continues without it, from every token.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, entity, key, type PatternErrorCode, t } from '#patterns';
import { deleteRows } from '#patterns/bulk';
import {
  encodeBag,
  type QueryOptions,
  Sender,
  TableRequests,
  type TypedValue,
  type UnreadableRow,
} from '#patterns/internals';
import { mixed } from '#patterns/mixed';
import { column } from '../../support/column.js';
import { describePeers } from '../../support/peers.js';
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

type Properties = Readonly<Record<string, TypedValue>>;
const text = (value: string): TypedValue => ({ type: 'String', value });
const tagged = (version: number, properties: Properties): Properties => ({
  EntityType: text(`Item.${version}`),
  ...properties,
});

/** Row key, properties, and the error of the row. */
const STRANGE: readonly (readonly [string, Properties, string])[] = [
  ['item!002x', tagged(3, { color: text('red') }), 'RowUnreadable'],
  ['item!004', tagged(3, { color: { type: 'Int32', value: 4 } }), 'TypeDrift'],
  ['item!006', tagged(3, {}), 'TypeDrift'],
  ['item!008', tagged(1, { color: text('black') }), 'RowUnreadable'],
  ['item!010', tagged(2, { color: text('white') }), 'RowUnreadable'],
  ['item!012', tagged(4, { colour: text('red') }), 'NewerVersion'],
  ['item!014!', {}, 'RowUnreadable'],
];
const NUMBERS = [1, 3, 5, 7, 9, 11, 13, 15];

describePeers('rows that cannot be read', peer => {
  async function filled(options: QueryOptions = {}) {
    const table = await peer.newTable();
    const requests = new TableRequests(new Sender(peer.client()));
    for (const [rowKey, properties] of STRANGE) {
      const row = { table, partitionKey: 'a', rowKey, properties: new Map(Object.entries(properties)) };
      await requests.write({ kind: 'create', table, row: encodeBag(row) });
    }
    const db = peer.open({ queries: options });
    const items = db.repo(Item, { table });
    for (const number of NUMBERS) await items.create({ shelf: 'a', number, color: 'red' });
    return { db, items, table };
  }

  test('end a query with their table and keys', async () => {
    for (const [rowKey, properties, code] of STRANGE) {
      const table = await peer.newTable();
      const row = { table, partitionKey: 'a', rowKey, properties: new Map(Object.entries(properties)) };
      await new TableRequests(new Sender(peer.client())).write({
        kind: 'create',
        table,
        row: encodeBag(row),
      });
      const items = peer.open().repo(Item, { table });
      const address = { table, partitionKey: 'a', rowKey };
      await rejects(items.partition({ shelf: 'a' }).take(1), code as PatternErrorCode, address);
      await rejects(items.scan().allowScan('test').page(), code as PatternErrorCode, address);
    }
    const { items } = await filled();
    await rejects(items.get({ shelf: 'a', number: 8 }), 'RowUnreadable', { rowKey: 'item!008' });
  });

  test('are passed by, from every token', async () => {
    const { items } = await filled();
    const all = items.partition({ shelf: 'a' }).onUnreadable('skip');
    for (const size of [1, 2, 5, 100]) {
      const read: number[] = [];
      let resume: string | undefined;
      do {
        const page = await all.page({ size, resume });
        read.push(...page.items.map(({ value }) => value.number));
        resume = page.next;
      } while (resume !== undefined);
      assert.deepEqual(read, NUMBERS, `pages of ${size}`);
    }
    assert.deepEqual((await all.take(100)).length, NUMBERS.length);
    const selected = await all.select('color').take(100);
    assert.deepEqual(selected.length, NUMBERS.length);
  });

  test('are reported, each once, with what they hold', async () => {
    const found: UnreadableRow[] = [];
    const { items, table } = await filled({ onUnreadable: row => void found.push(row) });
    const read = await items.partition({ shelf: 'a' }).take(100);
    assert.deepEqual(column(read, 'number'), NUMBERS);
    assert.deepEqual(
      found.map(row => [row.table, row.rowKey, row.fault.code]),
      STRANGE.map(([rowKey, , code]) => [table, rowKey, code]),
    );
    assert.deepEqual(found[1]?.properties.get('color'), { type: 'Int32', value: 4 });
    assert.match(String(found[3]?.fault), /there was no black/);
    const stop = new Error('enough');
    const stopping = items.partition({ shelf: 'a' }).onUnreadable(() => {
      throw stop;
    });
    await assert.rejects(stopping.take(100), stop);
  });

  test('stay where a query deletes what it can read', async () => {
    const { db, items } = await filled();
    const rows = items.partition({ shelf: 'a' }).onUnreadable('skip');
    let deleted = 0;
    for await (const progress of deleteRows(db, rows, { conditional: true })) deleted = progress.deleted;
    assert.equal(deleted, NUMBERS.length);
    const left: string[] = [];
    await items
      .partition({ shelf: 'a' })
      .onUnreadable(({ rowKey }) => void left.push(rowKey))
      .take(100);
    assert.equal(left.length, STRANGE.length);
  });

  test('are told among rows of several entities', async () => {
    const { db, table } = await filled();
    const rows = await mixed(db, Item).inTable(table).partition('a').take(100);
    const faults = rows.flatMap(row => (row.entity === undefined && row.fault ? [row.fault.code] : []));
    assert.deepEqual(faults.sort(), STRANGE.map(([, , code]) => code).sort());
  });
});
