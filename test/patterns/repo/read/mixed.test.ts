// Rows of several entities read together, each decoded by its tag, and rows of any shape as property bags: a row of no known entity does not end the query.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entity, Instant, key, t } from '#patterns';
import { bags, mixed } from '#patterns/mixed';
import { collect, pageByPage } from '../../support/collect.js';
import { describePeers } from '../../support/peers.js';
import { type Properties, putRows, text } from '../../support/raw-rows.js';
import { refuses, rejects } from '../../support/rejects.js';
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

  test('have ranges and classes as other queries', async () => {
    const reads = await shop();
    const ann = reads.partition('ann');
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

const AT = Instant.parse('1970-01-01');
const ROWS: readonly (readonly [string, string, Properties])[] = [
  ['a', '1', { city: text('Rome'), age: { type: 'Int32', value: 31 } }],
  ['a', '2', { city: text('Rome'), age: { type: 'Int64', value: 9n } }],
  ['a', '3', { at: { type: 'DateTime', value: AT }, isOpen: { type: 'Boolean', value: true } }],
  ['b', '1', { city: text('Oslo'), EntityType: text('Some.1') }],
];
const rowKeys = (rows: readonly { readonly rowKey: string }[]) => rows.map(({ rowKey }) => rowKey);

describePeers('property bags', peer => {
  /** A table whose rows have nothing in common. */
  async function tableOfAll(): Promise<string> {
    const table = await peer.newTable();
    await putRows(peer, table, ROWS);
    return table;
  }

  test('have their properties with the types that they have', async () => {
    const reads = bags(peer.open(), await tableOfAll());
    const { partitionKey, rowKey, tag, entity: of } = (await reads.get('a', '1')) ?? assert.fail();
    assert.deepEqual([partitionKey, rowKey, tag, of], ['a', '1', undefined, undefined]);
    const found = await reads.scan().allowScan('a test').take(10);
    for (const [at, { properties }] of found.entries())
      assert.deepEqual(Object.fromEntries(properties), ROWS[at]?.[2]);
    assert.equal((await reads.get('b', '1'))?.tag, 'Some.1');
    assert.equal(await reads.get('b', '2'), undefined);
  });

  test('are compared by the type that is named', async () => {
    const a = bags(peer.open(), await tableOfAll()).partition('a');
    for (const [query, expected] of [
      [a.where(p => p.string('city').startsWith('R')), ['1', '2']],
      [a.where(p => p.int32('age').gt(30)), ['1']],
      [a.where(p => p.instant('at').eq(AT)), ['3']],
      [a.where(p => p.bool('isOpen').eq(true)), ['3']],
      [a.rows({ ge: '2' }).where(p => p.string('city').eq('Rome')), ['2']],
    ] as const)
      assert.deepEqual(rowKeys(await query.take(10)), expected);
  });

  test('come in pages that go on by their tokens', async () => {
    const reads = bags(peer.open(), await tableOfAll());
    const pages = await pageByPage(resume => reads.partition('a').pages({ size: 2, resume }));
    assert.deepEqual(
      pages.map(({ items }) => rowKeys(items)),
      [['1', '2'], ['3']],
    );
    await rejects(reads.partition('b').page({ resume: pages[0]?.next }), 'TokenMismatch');
  });

  test('of many partitions need a reason, and of a table that there is', async () => {
    const reads = bags(peer.open(), await tableOfAll());
    // @ts-expect-error: a scan has no results before it is allowed.
    await rejects(async () => reads.scan().take(10), 'ScanRefused');
    await rejects(bags(peer.open(), 'Missing').partition('a').take(1), 'TableNotFound');
  });

  test('are admitted each time they are read, as rows of entities are', async () => {
    const table = await tableOfAll();
    let warned = 0;
    const Some = entity('Some', {
      version: 1,
      table,
      props: { p: t.string(), r: t.string() },
      partition: p => key(p.p),
      row: p => key(p.r),
    });
    const queriesOf = (db: ReturnType<typeof peer.open>) => [
      db.repo(Some).partition({ p: 'none' }),
      mixed(db, Some).partition({ p: 'none' }),
      bags(db, table).partition('none'),
    ];
    for (const query of queriesOf(peer.open({ queries: { warn: () => void warned++ } }))) {
      warned = 0;
      await query.take(1);
      await query.first();
      await collect<unknown>(query);
      assert.equal(warned, 3);
    }
    // Nothing is thrown before a result is waited for.
    for (const query of queriesOf(peer.open({ queries: { refuse: ['partition-scan'] } })))
      for (const reading of [
        query.page(),
        query.take(1),
        query.first(),
        query.pages().next(),
        query.stream().next(),
      ])
        await rejects(reading, 'ScanRefused');
  });
});
