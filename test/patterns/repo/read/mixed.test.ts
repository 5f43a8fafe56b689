// Rows of several entities read together: each is decoded by its tag, and a row of no known entity does not end the query.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, key, t } from '#patterns';
import { mixed } from '#patterns/mixed';
import { pageByPage } from '../../support/collect.js';
import { describePeers } from '../../support/peers.js';
import { putRows, text } from '../../support/raw-rows.js';
import { refuses } from '../../support/rejects.js';
import { Customer, fillShop, Note, Order } from '../../support/shop.js';

describePeers('mixed reads', peer => {
  const shop = async () => {
    const [db, table] = [peer.open(), await peer.newTable()];
    await fillShop(db, table, ['ann', 'bob'], 3);
    return mixed(db, Order, Customer).inTable(table);
  };

  test('are told apart by their names', async () => {
    const found = await (await shop()).partition({ customer: 'ann' }).take(100);
    const shown = found.map(row => {
      if (row.entity === 'Customer') return row.value.name;
      return row.entity === 'Order' ? row.value.number : row.properties.size;
    });
    assert.deepEqual(shown, ['ANN', 0, 1, 2]);
  });

  test('give what nobody explains as it stands', async () => {
    const table = await peer.newTable();
    const x = { type: 'Int64', value: 5n } as const;
    await putRows(peer, table, [
      ['ann', 'order!2010!000001', { EntityType: text('Order.1') }],
      ['ann', 'order!2010!000002', {}],
      ['ann', 'other', { EntityType: text('Other.1'), x }],
      ['ann', 'zebra', {}],
    ]);
    const reads = mixed(peer.open(), Customer, Order).inTable(table);
    const shown = (await reads.partition('ann').take(100)).map(row =>
      row.entity === undefined ? [row.rowKey, row.tag, row.fault?.code, row.properties.get('x')] : row.entity,
    );
    assert.deepEqual(shown, [
      ['order!2010!000001', 'Order.1', 'TypeDrift', undefined],
      ['order!2010!000002', undefined, 'TypeDrift', undefined],
      ['other', 'Other.1', undefined, x],
      ['zebra', undefined, undefined, undefined],
    ]);
    const resolving = reads.resolving(row => (row.rowKey === 'zebra' ? 'Order' : undefined));
    assert.deepEqual(
      (await resolving.partition('ann').take(9)).map(row =>
        row.entity === undefined ? row.fault?.code : row.entity,
      ),
      ['TypeDrift', undefined, undefined, 'RowUnreadable'],
    );
  });

  test('have pages, ranges and classes as other queries', async () => {
    const reads = await shop();
    const ann = reads.partition('ann');
    const pages = await pageByPage(resume => ann.pages({ size: 3, resume }));
    assert.deepEqual(
      pages.map(({ items }) => items.length),
      [3, 1],
    );
    const some = ann.rows({ ge: 'order', lt: 'order"' });
    assert.deepEqual([ann.explain().class, some.explain().class], ['partition-scan', 'range']);
    assert.equal((await some.take(9)).length, 3);
    // @ts-expect-error a table scan has no results
    await assert.rejects(async () => reads.scan().take(1), /ScanRefused/);
    assert.equal((await reads.scan().allowScan('a test').take(100)).length, 8);
  });

  test('take entities that can be told apart alone', () => {
    const db = peer.open();
    const Elsewhere = entity('Elsewhere', {
      version: 1,
      table: 'Other',
      props: { customer: t.string() },
      partition: p => key(p.customer),
      row: key('remote'),
    });
    refuses(() => mixed(db, Order, Elsewhere), 'DefinitionInvalid');
    refuses(() => mixed(db), 'DefinitionInvalid');
    refuses(() => mixed(db, Order, Note), 'DefinitionInvalid');
    // @ts-expect-error no part of the entities' partition keys
    refuses(() => mixed(db, Order, Customer).partition({ number: 5 }), 'KeyInvalid');
  });
});
