// Rows of several entities read together: each is decoded by its tag, and a row of no known entity does not end the query.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, key, t } from '#patterns';
import { encodeBag, Sender, TableRequests, type TypedValue } from '#patterns/internals';
import { mixed } from '#patterns/mixed';
import { describePeers } from '../../support/peers.js';
import { Customer, fillShop, Note, Order } from '../../support/shop.js';

describePeers('mixed reads', peer => {
  const db = peer.open;
  async function strange(table: string): Promise<void> {
    const requests = new TableRequests(new Sender(peer.client()));
    const rows: readonly (readonly [string, Readonly<Record<string, TypedValue>>])[] = [
      ['order!2010!000001', { EntityType: { type: 'String', value: 'Order.1' } }],
      ['other', { EntityType: { type: 'String', value: 'Other.1' }, x: { type: 'Int64', value: 5n } }],
      ['order!2010!000002', {}],
      ['zebra', {}],
    ];
    for (const [rowKey, properties] of rows) {
      const row = encodeBag({
        table,
        partitionKey: 'ann',
        rowKey,
        properties: new Map(Object.entries(properties)),
      });
      await requests.write({ kind: 'create', table, row });
    }
  }

  test('are told apart by their names', async () => {
    const table = await peer.newTable();
    await fillShop(db(), table, ['ann', 'bob'], 3);
    const found = await mixed(db(), Customer, Order).inTable(table).partition({ customer: 'ann' }).take(100);
    const shown = found.map(row => {
      if (row.entity === 'Customer') return row.value.name;
      return row.entity === 'Order' ? row.value.number : row.properties.size;
    });
    assert.deepEqual(shown, ['ANN', 0, 1, 2]);
  });

  test('give what nobody explains as it stands', async () => {
    const table = await peer.newTable();
    await strange(table);
    const reads = mixed(db(), Customer, Order).inTable(table);
    const found = await reads.partition('ann').take(100);
    const shown = found.map(row =>
      row.entity === undefined ? [row.rowKey, row.tag, row.fault?.code] : row.entity,
    );
    assert.deepEqual(shown, [
      ['order!2010!000001', 'Order.1', 'TypeDrift'],
      ['order!2010!000002', undefined, 'TypeDrift'],
      ['other', 'Other.1', undefined],
      ['zebra', undefined, undefined],
    ]);
    const [, , other] = found;
    assert(other?.entity === undefined);
    assert.deepEqual(other?.properties.get('x'), { type: 'Int64', value: 5n });
    const resolved = await reads
      .resolving(row => (row.rowKey === 'zebra' ? 'Order' : undefined))
      .partition('ann')
      .take(9);
    assert.deepEqual(
      resolved.map(row => (row.entity === undefined ? row.fault?.code : row.entity)),
      ['TypeDrift', undefined, undefined, 'RowUnreadable'],
    );
  });

  test('have pages, ranges and classes as other queries', async () => {
    const table = await peer.newTable();
    await fillShop(db(), table, ['ann', 'bob'], 3);
    const reads = mixed(db(), Order, Customer).inTable(table);
    const ann = reads.partition('ann');
    const { items, next } = await ann.page({ size: 3 });
    assert.equal(items.length, 3);
    assert.equal((await ann.page({ size: 3, resume: next })).items.length, 1);
    assert.equal(ann.explain().class, 'partition-scan');
    const some = ann.rows({ ge: 'order', lt: 'order"' });
    assert.equal(some.explain().class, 'range');
    assert.equal((await some.take(9)).length, 3);
    // @ts-expect-error a table scan has no results
    await assert.rejects(async () => reads.scan().take(1), /ScanRefused/);
    assert.equal((await reads.scan().allowScan('a test').take(100)).length, 8);
  });

  test('take entities that can be told apart alone', () => {
    const Elsewhere = entity('Elsewhere', {
      version: 1,
      table: 'Other',
      props: { customer: t.string() },
      partition: p => key(p.customer),
      row: key('remote'),
    });
    assert.throws(() => mixed(db(), Order, Elsewhere), /DefinitionInvalid/);
    assert.throws(() => mixed(db()), /DefinitionInvalid/);
    assert.throws(() => mixed(db(), Order, Note), /DefinitionInvalid/);
    // @ts-expect-error no part of the entities' partition keys
    assert.throws(() => mixed(db(), Order, Customer).partition({ number: 5 }), /KeyInvalid/);
  });
});
