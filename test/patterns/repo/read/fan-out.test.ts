// Many partitions at once over a service: as many requests as asked for, none that is left unawaited, and tokens of their own. table-query.test.ts proves orders and pages on a model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Repo } from '#patterns';
import { fanOut } from '#patterns/fan-out';
import type { FanOutOrder } from '#patterns/internals';
import { column } from '../../support/column.js';
import type { FaultPlan } from '../../support/faulty-client.js';
import { describePeers, fresh } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';
import { Event, fillShop, moment, Order } from '../../support/shop.js';

/** Customers, and how many orders each has: some have none. */
const COUNTS = { ann: 5, bob: 0, cid: 11, dan: 3, eve: 0, fay: 8, gus: 1 } as const;
const CUSTOMERS = Object.keys(COUNTS);
const partitions = (orders: Repo<typeof Order>) => CUSTOMERS.map(customer => orders.partition({ customer }));
const ORDERS: readonly FanOutOrder[] = ['scan', 'rows', 'none'];

interface Row {
  readonly partitionKey: string;
  readonly rowKey: string;
}
const keys = (rows: readonly Row[]): string[] =>
  rows.map(({ partitionKey, rowKey }) => `${rowKey}|${partitionKey}`);

describePeers('fan-out', peer => {
  let filled: string | undefined;
  /** Of one table for all tests, which read it only. */
  const shop = async (plan?: FaultPlan) => {
    const { db, table: empty, httpClient } = await fresh(peer, Order, plan && { plan });
    const isFirst = filled === undefined;
    filled ??= empty;
    for (const [customer, count] of isFirst ? Object.entries(COUNTS) : [])
      await fillShop(peer.open(), filled, [customer], count);
    return { orders: db.repo(Order, { table: filled }), httpClient };
  };

  test('asks each partition what it is told to', async () => {
    const { orders } = await shop();
    const run = fanOut(
      partitions(orders).map(each =>
        each
          .rows({ year: 2011 })
          .where(p => p.total.gt(1))
          .select('total'),
      ),
      { order: 'rows' },
    );
    const heavy = orders.scan().where(p => p.total.gt(1));
    const plain = await heavy.allowScan('to compare with').take(100);
    const wanted = plain.filter(({ value }) => value.year === 2011);
    const found = await run.take(100);
    assert.deepEqual(keys(found), keys(wanted).sort());
    assert(found.length > 3);
    assert.deepEqual(Object.keys(found[0]?.value ?? {}).sort(), ['customer', 'number', 'total', 'year']);
    const ann = orders.partition({ customer: 'ann' });
    for (const refused of [
      // @ts-expect-error no query
      () => fanOut([5]),
      // @ts-expect-error a table scan is no query of a partition
      () => fanOut([orders.scan()]),
      () => fanOut([ann, ann.rows({ year: 2011 })]),
      // @ts-expect-error rows of two forms
      () => fanOut([ann, ann.select('total')]),
      () => fanOut([ann, peer.open().repo(Order, { table: 'Others' }).partition({ customer: 'ann' })]),
      () => fanOut([], { concurrency: 0 }),
      () => fanOut([], { concurrency: 1.5 }),
      // @ts-expect-error no such order
      () => fanOut(partitions(orders), { order: 'keys' }),
    ])
      refuses(refused, 'ValueInvalid');
    const none = ann.where(p => p.total.gt(1).and(p.year.eq(1)).and(p.year.eq(2)));
    assert.equal((await fanOut([ann, ann, none]).take(100)).length, 5);
  });

  for (const order of ORDERS) {
    test(`sends no more at once than it is told, and nothing that nobody waits for: ${order}`, async () => {
      const { orders, httpClient } = await shop();
      const run = fanOut(partitions(orders), { order, concurrency: 3 });
      assert.equal((await run.take(100)).length, 28);
      assert(httpClient.most <= 3, `${httpClient.most} at once`);
      httpClient.count = 0;
      for await (const _ of run.stream({ size: 1 })) break;
      const begun = order === 'rows' ? CUSTOMERS.length : 5;
      assert(httpClient.count <= begun, `${httpClient.count} requests for one row`);
    });

    test(`ends at the first failure, and at a signal: ${order}`, async () => {
      const failing = await shop(at => (at >= 3 ? 'reset before' : undefined));
      const options = { order, concurrency: 2 };
      await rejects(fanOut(partitions(failing.orders), options).take(100), 'Unreachable');
      const controller = new AbortController();
      const { orders } = await shop();
      const stream = fanOut(partitions(orders), options).stream({ size: 1, signal: controller.signal });
      await stream.next();
      controller.abort(new Error('enough'));
      let late = 0;
      await assert.rejects(async () => {
        for await (const _ of stream) late++;
      }, /enough/);
      assert(late <= options.concurrency, `${late} rows after the signal, more than were under way`);
    });
  }

  test('has tokens for itself alone', async () => {
    const { orders } = await shop();
    const { next: resume } = await fanOut(partitions(orders), { order: 'scan' }).page({ size: 3 });
    assert(resume);
    // The order of the keys is none of its matter.
    assert.equal((await fanOut(partitions(orders).toReversed()).page({ resume })).items.length, 25);
    for (const other of [
      fanOut(partitions(orders), { order: 'rows' }),
      fanOut(partitions(orders).slice(1)),
      orders.partition({ customer: 'ann' }),
    ])
      await rejects(other.page({ resume }), 'TokenMismatch');
    assert.deepEqual(await fanOut([]).page(), { items: [], next: undefined });
  });

  test('reads all buckets of what is spread over them', async () => {
    const { repo: events } = await fresh(peer, Event);
    for (let seq = 0; seq < 12; seq++)
      await events.create({ device: `d${seq % 2}`, at: moment(seq), seq, text: 'x' });
    const found = await fanOut(events.buckets({ device: 'd1' }), { order: 'rows' }).take(100);
    assert.deepEqual(column(found, 'seq'), [11, 9, 7, 5, 3, 1]);
    const before = events.buckets({ device: 'd0' }).map(p => p.rows({}, { at: { lt: moment(9) } }));
    const early = fanOut(before, { order: 'rows' });
    assert.deepEqual(column(await early.take(1), 'seq'), [8]);
  });
});
