// Queries with types: what they send, what they give, and what the compiler and the library refuse.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PatternError, type Plan } from '#patterns';
import { same } from '../../../../packages/patterns/testing/same-type.js';
import { column } from '../../support/column.js';
import { FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';
import { Customer, Event, fillShop, moment, Order, order } from '../../support/shop.js';

describePeers('queries', peer => {
  const db = peer.open;
  const shop = async (customers: readonly string[] = ['ann', 'bob'], orders = 8): Promise<string> => {
    const table = await peer.newTable();
    await fillShop(db(), table, customers, orders);
    return table;
  };

  test('have the class that their keys give them, and say so', () => {
    const orders = db().repo(Order);
    const ann = orders.partition({ customer: "O'Ann" });
    const explained = (plan: Plan): readonly unknown[] => [plan.class, plan.requests];
    assert.deepEqual(explained(ann.row({ year: 2011, number: 5 }).explain()), [
      'point',
      [`GET Shop(PartitionKey='O''Ann',RowKey='order!2011!000005')`],
    ]);
    assert.deepEqual(explained(ann.rows({ year: 2011 }).explain()), [
      'range',
      [
        "GET Shop()?$filter=PartitionKey eq 'O''Ann' and RowKey ge 'order!2011!' and RowKey lt 'order!2011\"'",
      ],
    ]);
    assert.deepEqual(ann.rows({ year: 2011 }, { number: { ge: 3, lt: 9 } }).explain().bounds, [
      {
        partition: { eq: "O'Ann" },
        row: { ge: 'order!2011!000003', lt: 'order!2011!000009' },
      },
    ]);
    assert.equal(ann.rows({}, { year: { gt: 2010 } }).explain().class, 'range');
    assert.equal(ann.rows({ year: 2011, number: 5 }).explain().class, 'point');
    assert.equal(ann.explain().class, 'range', 'the literal of the row key bounds it');
    const scan = orders.scan().where(p => p.total.gt(3).and(p.isPaid.eq(true)));
    assert.deepEqual(explained(scan.explain()), [
      'table-scan',
      [`GET Shop()?$filter=RowKey ge 'order!' and RowKey lt 'order"' and total gt 3.0 and isPaid eq true`],
    ]);
    const filtered = ann.where(p => p.total.gt(3)).explain();
    assert.equal(filtered.class, 'partition-scan', 'a filter on a property scans the range');
    assert.deepEqual(filtered.bounds, ann.explain().bounds);
    assert.match(filtered.warnings.join(' '), /every row with RowKey ge 'order!' and RowKey lt 'order"'/);
    const oneYear = ann.rows({ year: 2011 }).where(p => p.isPaid.eq(true));
    assert.equal(oneYear.explain().class, 'partition-scan');
    assert.equal(
      ann
        .row({ year: 2011, number: 5 })
        .where(p => p.isPaid.eq(true))
        .explain().class,
      'point',
    );
    assert.match(scan.explain().warnings.join(' '), /Filtered on the server.*total, isPaid/);
    const some = ann.rows({ year: 2011 }).select('product').explain();
    assert.deepEqual(some.select, ['PartitionKey', 'RowKey', 'Timestamp', 'EntityType', 'Product']);
  });

  test('compare properties that only a key holds by that key', () => {
    const orders = db().repo(Order);
    const filter = (plan: Plan): string | undefined => plan.filter;
    assert.equal(
      filter(
        orders
          .scan()
          .where(p => p.customer.between('a', 'b'))
          .explain(),
      ),
      `RowKey ge 'order!' and RowKey lt 'order"' and PartitionKey ge 'a' and PartitionKey le 'b'`,
    );
    const ann = orders.partition({ customer: 'ann' });
    assert.equal(ann.where(p => p.year.eq(2011)).explain().class, 'range');
    assert.equal(ann.where(p => p.year.in([2011, 2013])).explain().class, 'partition-scan');
    assert.throws(
      () => ann.where(p => p.number.eq(1)),
      (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid') && /behind year/.test(thrown.message),
    );
  });

  test('give rows with their types', async () => {
    const table = await shop();
    const orders = db().repo(Order, { table });
    const ann = orders.partition({ customer: 'ann' });
    const first = await ann.row({ year: 2011, number: 5 }).first();
    assert.deepEqual(first?.value, order('ann', 2011, 5));
    assert.equal(await ann.row({ year: 2012, number: 5 }).first(), undefined);
    const numbers = async (query: AsyncIterable<{ value: { number: number } }>): Promise<number[]> => {
      const found: number[] = [];
      for await (const { value } of query) found.push(value.number);
      return found;
    };
    assert.deepEqual(await numbers(ann.rows({ year: 2011 })), [1, 5]);
    assert.deepEqual(await numbers(ann.rows({}, { year: { ge: 2012 } })), [2, 6, 3, 7]);
    assert.deepEqual(await numbers(ann.where(p => p.total.ge(7).and(p.isPaid.eq(false)))), [1, 7]);
    assert.deepEqual(
      await numbers(ann.where(p => p.product.startsWith('p1').or(p.total.lt(1)))),
      [0, 4, 1, 7],
    );
    assert.deepEqual(
      await numbers(ann.where(p => p.isPaid.eq(true).not()).where(p => p.total.ne(7))),
      [5, 3, 7],
    );
    assert.equal((await ann.take(3)).length, 3);
    assert.equal((await ann.take(100)).length, 8, 'the row of the customer is none of them');
    assert.deepEqual(await ann.take(0), []);
    const paid = orders
      .scan()
      .where(p => p.isPaid.eq(true))
      .allowScan('a test');
    assert.equal((await paid.take(100)).length, 8);
  });

  test('give what is selected, and the keys', async () => {
    const table = await shop(['ann'], 2);
    const ann = db().repo(Order, { table }).partition({ customer: 'ann' });
    const [found] = await ann.rows({ year: 2011 }).select('total').take(1);
    assert(found);
    same<
      typeof found.value,
      { readonly customer: string; readonly year: number; readonly number: number; readonly total: number }
    >(true);
    assert.deepEqual(found.value, { customer: 'ann', year: 2011, number: 1, total: 7 });
    const point = await ann.row({ year: 2011, number: 1 }).select('note', 'product').first();
    assert.deepEqual(point?.value, { customer: 'ann', year: 2011, number: 1, product: 'p1' });
    assert.equal(point.whole, false);
    const orders = db().repo(Order, { table });
    const value = order('ann', 2011, 1);
    // @ts-expect-error what was read in part replaces nothing
    await rejects(async () => orders.replace(point, value), 'ValueInvalid', { property: 'whole' });
    // @ts-expect-error a property that was not selected
    assert.equal(found.value.isPaid, undefined);
  });

  test('by or over row keys are point reads', async () => {
    const table = await shop(['ann'], 8);
    const client = new FaultyClient();
    const counted = peer.open({ httpClient: client });
    const ann = counted.repo(Order, { table }).partition({ customer: 'ann' });
    const byKeys = ann.where(p => p.year.eq(2011)).where(p => p.total.ge(0));
    assert.equal((await byKeys.take(9)).length, 2);
    assert.equal(client.count, 1);
    const customers = counted.repo(Customer, { table });
    const some = customers
      .scan()
      .where(p => p.customer.in(['bob', 'ann', 'zoe', 'ann']))
      .where(p => p.city.eq('Rom'));
    const { class: queryClass, requests, warnings } = some.explain();
    assert.deepEqual([queryClass, requests.length], ['points', 3]);
    assert.deepEqual(warnings, ['Filtered on the server, which reads each row for it: city.']);
    assert.match(requests[0] ?? '', /PartitionKey eq 'ann' and RowKey eq 'customer' and \(city eq 'Rom'\)$/);
    const found = await some.allowScan('no scan at all').take(9);
    assert.deepEqual(column(found, 'customer'), ['ann']);
    assert.equal(client.count, 4);
    const none = customers.partition({ customer: 'ann' }).where(p => p.name.in([]));
    assert.deepEqual([none.explain().class, await none.take(9), client.count], ['none', [], 4]);
    const plain = customers.scan().where(p => p.customer.in(['bob', 'ann']));
    assert.deepEqual(plain.explain().requests, [
      "GET Shop(PartitionKey='ann',RowKey='customer')".replace('Shop', table),
      "GET Shop(PartitionKey='bob',RowKey='customer')".replace('Shop', table),
    ]);
    const pages = plain.allowScan('points');
    const { items, next } = await pages.page({ size: 1 });
    assert.deepEqual([items.length, (await pages.page({ size: 1, resume: next })).items], [1, []]);
  });

  test('that read many partitions do not run until they are allowed', async () => {
    const table = await peer.newTable();
    const told: (readonly [string, string | undefined])[] = [];
    const warn = ({ class: queryClass }: Plan, reason: string | undefined): void => {
      told.push([queryClass, reason]);
    };
    const careful = peer.open({ queries: { warn } });
    const events = careful.repo(Event, { table });
    // @ts-expect-error a table scan has no results
    await assert.rejects(async () => events.scan().take(1), /ScanRefused.*allowScan/);
    assert.throws(() => events.scan().allowScan(' '), /ScanRefused/);
    await events.scan().allowScan('once').take(1);
    await events.partition({ device: 'a' }).take(1);
    await events
      .partition({ device: 'a' })
      .rows({}, { at: { gt: moment(0) } })
      .take(1);
    assert.deepEqual(told, [
      ['table-scan', 'once'],
      ['partition-scan', undefined],
    ]);
    const strict = careful.repo(Event, { table, queries: { refuse: ['table-scan', 'partition-scan'] } });
    await rejects(async () => strict.scan().allowScan('once').take(1), 'ScanRefused');
    await rejects(async () => strict.partition({ device: 'a' }).first(), 'ScanRefused');
    const orders = careful.repo(Order, { table, queries: { refuse: ['partition-scan'] } });
    const literal = orders.partition({ customer: 'ann' });
    await rejects(async () => literal.where(p => p.isPaid.eq(true)).take(1), 'ScanRefused');
    await rejects(
      async () =>
        literal
          .rows({ year: 2011 })
          .where(p => p.isPaid.eq(true))
          .take(1),
      'ScanRefused',
    );
    assert.deepEqual(await literal.take(1), []);
    assert.equal(
      await strict
        .partition({ device: 'a' })
        .rows({ at: moment(1) })
        .first(),
      undefined,
    );
  });

  test('take leading parts of keys, and no others', async () => {
    const ann = db().repo(Order).partition({ customer: 'ann' });
    const refused = (query: () => unknown, part: string): void => {
      refuses(query, 'KeyInvalid', { part });
    };
    // @ts-expect-error number is not a leading part
    refused(() => ann.rows({ number: 1 }), 'number');
    // @ts-expect-error customer is no part of the row key
    refused(() => ann.rows({ customer: 'x' }), 'customer');
    // @ts-expect-error number is not the next part
    refused(() => ann.rows({}, { number: { ge: 1 } }), 'number');
    // @ts-expect-error year is given
    refused(() => ann.rows({ year: 2011 }, { year: { ge: 1 } }), 'year');
    // @ts-expect-error a number has no prefix
    refused(() => ann.rows({}, { year: { prefix: '20' } }), 'year');
    refused(() => ann.rows({}, { year: { ge: 2011, gt: 2012 } }), 'year');
    refused(() => ann.rows({}, { year: { le: 2011, lt: 2012 } }), 'year');
    // @ts-expect-error both parts are needed
    refused(() => ann.row({ year: 2011 }), 'number');
    // @ts-expect-error the partition key is needed
    assert.throws(() => db().repo(Order).partition({}), /KeyInvalid: The key part customer is missing/);
    // @ts-expect-error a number is compared with numbers
    assert.throws(() => ann.where(p => p.total.eq('3')), /ValueInvalid/);
    // @ts-expect-error booleans have no order
    assert(ann.where(p => p.isPaid.gt(true)));
    // @ts-expect-error no such property
    const ofPrice = () => ann.where(p => p.price.eq(1));
    assert.throws(ofPrice, /ValueInvalid: The property price should be a property of Order/);
    // @ts-expect-error no such property
    assert.throws(() => ann.select('price'), /ValueInvalid/);
    assert.throws(() => ann.where(p => p.total.eq(Number.NaN)), /no literal/);
    assert.throws(() => ann.where(p => p.product.startsWith('\ud7ff')), /ValueInvalid/);
    // @ts-expect-error the row key has no reversed time
    await rejects(async () => ann.latest(1), 'KeyInvalid', { part: 'year' });
    await rejects(ann.take(-1), 'ValueInvalid', { property: 'count' });
    for (const size of [0, 1001, 1.5])
      await rejects(ann.page({ size }), 'ValueInvalid', { property: 'size' });
  });

  test('give the latest first', async () => {
    const events = db().repo(Event, { table: await peer.newTable() });
    for (const seq of [1, 2, 3, 4])
      await events.create({ device: 'd', at: moment(seq), seq, text: `${seq}` });
    const device = events.partition({ device: 'd' });
    assert.deepEqual(column(await device.latest(2), 'seq'), [4, 3]);
    const since = device.rows({}, { at: { gt: moment(2) } });
    assert.deepEqual(column(await since.take(9), 'seq'), [4, 3]);
    assert.deepEqual((await device.rows({}, { at: { le: moment(2) } }).take(9)).length, 2);
  });
});
