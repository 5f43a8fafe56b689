// Queries with types: what they send, what they give, and what the compiler and the library refuse. classify.test.ts and compiled-key.test.ts have classes and bounds of every form.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PatternError, type Plan } from '#patterns';
import { same } from '../../../../packages/patterns/testing/same-type.js';
import { column } from '../../support/column.js';
import { describePeers, fresh } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';
import { Customer, Event, fillShop, moment, Order, order } from '../../support/shop.js';

const ROWS = `RowKey ge 'order!' and RowKey lt 'order"'`;

describePeers('queries', peer => {
  const shop = async (customers: readonly string[] = ['ann', 'bob'], count = 8) => {
    const { db, table, repo: orders, httpClient } = await fresh(peer, Order);
    await fillShop(peer.open(), table, customers, count);
    return { db, table, orders, httpClient, ann: orders.partition({ customer: 'ann' }) };
  };
  const orders = () => peer.open().repo(Order);
  const ann = () => orders().partition({ customer: 'ann' });

  test('have the class that their keys give them, and say so', () => {
    const of = orders().partition({ customer: "O'Ann" });
    const inYear = of.rows({ year: 2011 });
    const point = of.row({ year: 2011, number: 5 });
    const scan = orders()
      .scan()
      .where(p => p.total.gt(3).and(p.isPaid.eq(true)));
    const PLANS: readonly (readonly [Plan, Plan['class'], string?])[] = [
      [point.explain(), 'point', `(PartitionKey='O''Ann',RowKey='order!2011!000005')`],
      [point.where(p => p.isPaid.eq(true)).explain(), 'point'],
      [of.rows({ year: 2011, number: 5 }).explain(), 'point'],
      [
        inYear.explain(),
        'range',
        `()?$filter=PartitionKey eq 'O''Ann' and RowKey ge 'order!2011!' and RowKey lt 'order!2011"'`,
      ],
      [of.rows({}, { year: { gt: 2010 } }).explain(), 'range'],
      // The literal of the row key bounds it.
      [of.explain(), 'range'],
      // A filter on a property scans the range.
      [inYear.where(p => p.isPaid.eq(true)).explain(), 'partition-scan'],
      [of.where(p => p.total.gt(3)).explain(), 'partition-scan'],
      [scan.explain(), 'table-scan', `()?$filter=${ROWS} and total gt 3.0 and isPaid eq true`],
    ];
    for (const [plan, expected, request] of PLANS) {
      assert.equal(plan.class, expected);
      if (request !== undefined) assert.deepEqual(plan.requests, [`GET Shop${request}`]);
    }
    assert.deepEqual(of.rows({ year: 2011 }, { number: { ge: 3, lt: 9 } }).explain().bounds, [
      { partition: { eq: "O'Ann" }, row: { ge: 'order!2011!000003', lt: 'order!2011!000009' } },
    ]);
    const filtered = of.where(p => p.total.gt(3)).explain();
    assert.deepEqual(filtered.bounds, of.explain().bounds);
    assert(filtered.warnings.join(' ').includes(`every row with ${ROWS}`));
    assert.match(scan.explain().warnings.join(' '), /Filtered on the server.*total, isPaid/);
    const { select } = inYear.select('product').explain();
    assert.deepEqual(select, ['PartitionKey', 'RowKey', 'Timestamp', 'EntityType', 'Product']);
  });

  test('compare properties that only a key holds by that key', () => {
    const between = orders()
      .scan()
      .where(p => p.customer.between('a', 'b'));
    assert.equal(between.explain().filter, `${ROWS} and PartitionKey ge 'a' and PartitionKey le 'b'`);
    assert.equal(
      ann()
        .where(p => p.year.eq(2011))
        .explain().class,
      'range',
    );
    const inYears = ann().where(p => p.year.in([2011, 2013]));
    assert.equal(inYears.explain().class, 'partition-scan');
    assert.throws(
      () => ann().where(p => p.number.eq(1)),
      (thrown: unknown) => PatternError.is(thrown, 'DefinitionInvalid') && /behind year/.test(thrown.message),
    );
  });

  test('give rows with their types', async () => {
    const { orders: all, ann: own } = await shop();
    const first = await own.row({ year: 2011, number: 5 }).first();
    assert.deepEqual(first?.value, order('ann', 2011, 5));
    assert.equal(await own.row({ year: 2012, number: 5 }).first(), undefined);
    for (const [query, expected] of [
      [own.rows({ year: 2011 }), [1, 5]],
      [own.rows({}, { year: { ge: 2012 } }), [2, 6, 3, 7]],
      [own.where(p => p.total.ge(7).and(p.isPaid.eq(false))), [1, 7]],
      [own.where(p => p.product.startsWith('p1').or(p.total.lt(1))), [0, 4, 1, 7]],
      [own.where(p => p.isPaid.eq(true).not()).where(p => p.total.ne(7)), [5, 3, 7]],
      // The row of the customer is none of them.
      [own, [0, 4, 1, 5, 2, 6, 3, 7]],
    ] as const)
      assert.deepEqual(column(await query.take(100), 'number'), expected);
    assert.deepEqual([(await own.take(3)).length, await own.take(0)], [3, []]);
    const paid = all.scan().where(p => p.isPaid.eq(true));
    assert.equal((await paid.allowScan('a test').take(100)).length, 8);
  });

  test('give what is selected, and the keys', async () => {
    const { orders: all, ann: own } = await shop(['ann'], 2);
    const [found] = await own.rows({ year: 2011 }).select('total').take(1);
    assert(found);
    same<
      typeof found.value,
      { readonly customer: string; readonly year: number; readonly number: number; readonly total: number }
    >(true);
    assert.deepEqual(found.value, { customer: 'ann', year: 2011, number: 1, total: 7 });
    const point = await own.row({ year: 2011, number: 1 }).select('note', 'product').first();
    assert.deepEqual(point?.value, { customer: 'ann', year: 2011, number: 1, product: 'p1' });
    assert.equal(point.whole, false);
    // @ts-expect-error what was read in part replaces nothing
    const replacing = async () => all.replace(point, order('ann', 2011, 1));
    await rejects(replacing, 'ValueInvalid', { property: 'whole' });
    // @ts-expect-error a property that was not selected
    assert.equal(found.value.isPaid, undefined);
  });

  test('by or over row keys are point reads', async () => {
    const { db, table, httpClient, ann: own } = await shop();
    const byKeys = own.where(p => p.year.eq(2011)).where(p => p.total.ge(0));
    assert.equal((await byKeys.take(9)).length, 2);
    assert.equal(httpClient.count, 1);
    const customers = db.repo(Customer, { table });
    const some = customers
      .scan()
      .where(p => p.customer.in(['cid', 'ann', 'zoe', 'ann']))
      .where(p => p.city.eq('Rom'));
    const { class: queryClass, requests, warnings } = some.explain();
    assert.deepEqual([queryClass, requests.length], ['points', 3]);
    assert.deepEqual(warnings, ['Filtered on the server, which reads each row for it: city.']);
    assert.match(requests[0] ?? '', /PartitionKey eq 'ann' and RowKey eq 'customer' and \(city eq 'Rom'\)$/);
    assert.deepEqual(column(await some.allowScan('no scan at all').take(9), 'customer'), ['ann']);
    assert.equal(httpClient.count, 4);
    const none = customers.partition({ customer: 'ann' }).where(p => p.name.in([]));
    assert.deepEqual([none.explain().class, await none.take(9), httpClient.count], ['none', [], 4]);
    const plain = customers.scan().where(p => p.customer.in(['cid', 'ann']));
    assert.deepEqual(
      plain.explain().requests,
      ['ann', 'cid'].map(each => `GET ${table}(PartitionKey='${each}',RowKey='customer')`),
    );
    const pages = plain.allowScan('points');
    const { items, next } = await pages.page({ size: 1 });
    assert.deepEqual([items.length, (await pages.page({ size: 1, resume: next })).items], [1, []]);
  });

  test('that read many partitions do not run until they are allowed', async () => {
    const told: (readonly [string, string | undefined])[] = [];
    const warn = ({ class: queryClass }: Plan, reason: string | undefined): void => {
      told.push([queryClass, reason]);
    };
    const { db, table, repo: events } = await fresh(peer, Event, { queries: { warn } });
    const device = events.partition({ device: 'a' });
    // @ts-expect-error a table scan has no results
    await assert.rejects(async () => events.scan().take(1), /ScanRefused.*allowScan/);
    refuses(() => events.scan().allowScan(' '), 'ScanRefused');
    await events.scan().allowScan('once').take(1);
    await device.take(1);
    await device.rows({}, { at: { gt: moment(0) } }).take(1);
    assert.deepEqual(told, [
      ['table-scan', 'once'],
      ['partition-scan', undefined],
    ]);
    const strict = db.repo(Event, { table, queries: { refuse: ['table-scan', 'partition-scan'] } });
    const own = db
      .repo(Order, { table, queries: { refuse: ['partition-scan'] } })
      .partition({ customer: 'ann' });
    const isPaid = own.where(p => p.isPaid.eq(true));
    await rejects(async () => strict.scan().allowScan('once').take(1), 'ScanRefused');
    await rejects(async () => strict.partition({ device: 'a' }).first(), 'ScanRefused');
    await rejects(isPaid.take(1), 'ScanRefused');
    assert.deepEqual(await own.take(1), []);
    const range = strict.partition({ device: 'a' }).rows({ at: moment(1) });
    assert.equal(await range.first(), undefined);
  });

  test('take leading parts of keys, and no others', async () => {
    const own = ann();
    for (const [query, part] of [
      // @ts-expect-error number is not a leading part
      [() => own.rows({ number: 1 }), 'number'],
      // @ts-expect-error customer is no part of the row key
      [() => own.rows({ customer: 'x' }), 'customer'],
      // @ts-expect-error number is not the next part
      [() => own.rows({}, { number: { ge: 1 } }), 'number'],
      // @ts-expect-error year is given
      [() => own.rows({ year: 2011 }, { year: { ge: 1 } }), 'year'],
      // @ts-expect-error a number has no prefix
      [() => own.rows({}, { year: { prefix: '20' } }), 'year'],
      [() => own.rows({}, { year: { ge: 2011, gt: 2012 } }), 'year'],
      [() => own.rows({}, { year: { le: 2011, lt: 2012 } }), 'year'],
      // @ts-expect-error both parts are needed
      [() => own.row({ year: 2011 }), 'number'],
      // @ts-expect-error the partition key is needed
      [() => orders().partition({}), 'customer'],
    ] as const)
      refuses(query, 'KeyInvalid', { part });
    for (const query of [
      // @ts-expect-error a number is compared with numbers
      () => own.where(p => p.total.eq('3')),
      // @ts-expect-error no such property
      () => own.where(p => p.price.eq(1)),
      // @ts-expect-error no such property
      () => own.select('price'),
      () => own.where(p => p.product.startsWith('\ud7ff')),
    ])
      refuses(query, 'ValueInvalid');
    // @ts-expect-error booleans have no order
    assert(own.where(p => p.isPaid.gt(true)));
    assert.throws(() => own.where(p => p.total.eq(Number.NaN)), /no literal/);
    // @ts-expect-error the row key has no reversed time
    await rejects(async () => own.latest(1), 'KeyInvalid', { part: 'year' });
    await rejects(own.take(-1), 'ValueInvalid', { property: 'count' });
    for (const size of [0, 1001, 1.5])
      await rejects(own.page({ size }), 'ValueInvalid', { property: 'size' });
  });

  test('give the latest first', async () => {
    const { repo: events } = await fresh(peer, Event);
    for (const seq of [1, 2, 3, 4])
      await events.create({ device: 'd', at: moment(seq), seq, text: `${seq}` });
    const device = events.partition({ device: 'd' });
    assert.deepEqual(column(await device.latest(2), 'seq'), [4, 3]);
    const since = device.rows({}, { at: { gt: moment(2) } });
    assert.deepEqual(column(await since.take(9), 'seq'), [4, 3]);
    assert.equal((await device.rows({}, { at: { le: moment(2) } }).take(9)).length, 2);
  });
});
