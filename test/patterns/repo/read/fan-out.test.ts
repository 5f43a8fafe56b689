// Many partitions at once: the same results as one query, in the order that was asked for, whatever the pages are; no more requests than asked for, none
// that is left unawaited, and tokens that repeat nothing.

import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import type { Results } from '#patterns';
import type { FanOutOrder } from '#patterns/internals';
import { lawOfTurns } from '../../../../packages/patterns/testing/law.js';
import { column } from '../../support/column.js';
import { FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { Event, fillShop, moment, Order } from '../../support/shop.js';

const CUSTOMERS = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay', 'gus'];
/** How many orders each has: some have none. */
const COUNTS = [5, 0, 11, 3, 0, 8, 1];

interface Row {
  readonly partitionKey: string;
  readonly rowKey: string;
}

const keys = (rows: readonly Row[]): string[] =>
  rows.map(({ partitionKey, rowKey }) => `${rowKey}|${partitionKey}`);
const byScan = (rows: readonly Row[]): string[] => keys(rows);
const byRows = (rows: readonly Row[]): string[] => keys(rows).sort();
const ORDERS: readonly FanOutOrder[] = ['scan', 'rows', 'none'];

describePeers('fan-out', peer => {
  const db = peer.open;
  let table = '';
  let all: readonly Row[] = [];

  before(async () => {
    table = await peer.newTable();
    for (const [at, customer] of CUSTOMERS.entries())
      await fillShop(db(), table, [customer], COUNTS[at] ?? 0);
    all = await db().repo(Order, { table }).scan().allowScan('to compare with').take(100);
    assert.equal(all.length, 28);
  });

  const partitions = CUSTOMERS.map(customer => ({ customer }));
  const start = (order: FanOutOrder, concurrency: number): Results<Row> =>
    db().repo(Order, { table }).fanOut(partitions, { order, concurrency });
  /** What an order says of results: without one they are compared sorted. */
  const expected = (order: FanOutOrder): string[] => (order === 'scan' ? byScan(all) : byRows(all));
  const given = (order: FanOutOrder, rows: readonly Row[]): string[] =>
    order === 'none' ? byRows(rows) : keys(rows);

  test('has the order of one scan, of row keys, or none', async () => {
    for (const order of ORDERS)
      for (const concurrency of [1, 3, 20]) {
        const run = start(order, concurrency);
        const found: Row[] = [];
        for await (const row of run.stream({ size: 2 })) found.push(row);
        assert.deepEqual(given(order, found), expected(order), `${order}, ${concurrency} at once`);
        assert.equal((await run.take(5)).length, 5);
        assert.equal((await run.take(100)).length, 28);
      }
  });

  test('goes on behind any page, and repeats nothing', async () => {
    await lawOfTurns(
      fc.asyncProperty(
        fc.constantFrom(...ORDERS),
        fc.array(
          fc.record({ size: fc.integer({ min: 1, max: 12 }), concurrency: fc.integer({ min: 1, max: 8 }) }),
          {
            minLength: 1,
            maxLength: 6,
          },
        ),
        async (order, steps) => {
          const found: Row[] = [];
          let resume: string | undefined;
          for (let at = 0; ; at++) {
            const { size, concurrency } = steps[at % steps.length] ?? { size: 5, concurrency: 2 };
            const page = await start(order, concurrency).page({ size, resume });
            assert(page.items.length <= size);
            found.push(...page.items);
            resume = page.next;
            if (resume === undefined) break;
          }
          assert.deepEqual(given(order, found), expected(order));
        },
      ),
      { cost: 1000, least: 12, most: 1000, filter: 'read/fan-out' },
    );
  });

  test('asks each partition what it is told to', async () => {
    const orders = db().repo(Order, { table });
    const run = orders.fanOut(partitions, {
      each: partition =>
        partition
          .rows({ year: 2011 })
          .where(p => p.total.gt(1))
          .select('total'),
      order: 'rows',
    });
    const found = await run.take(100);
    const plain = await orders
      .scan()
      .where(p => p.total.gt(1))
      .allowScan('to compare with')
      .take(100);
    const wanted = plain.filter(({ value }) => value.year === 2011);
    assert.deepEqual(keys(found), byRows(wanted));
    assert(found.length > 3);
    assert.deepEqual(Object.keys(found[0]?.value ?? {}).sort(), ['customer', 'number', 'total', 'year']);
    // @ts-expect-error no query of the partition
    assert.throws(() => orders.fanOut(partitions, { each: () => 5 }), /ValueInvalid/);
    // @ts-expect-error a table scan is no query of the partition
    assert.throws(() => orders.fanOut(partitions, { each: () => orders.scan() }), /ValueInvalid/);
    const ann = orders.partition({ customer: 'ann' });
    assert.throws(() => orders.fanOut(partitions, { each: () => ann }), /ValueInvalid/);
    for (const concurrency of [0, 1.5])
      assert.throws(() => orders.fanOut([], { concurrency }), /ValueInvalid/);
    // @ts-expect-error no such order
    assert.throws(() => orders.fanOut(partitions, { order: 'keys' }), /ValueInvalid/);
  });

  test('sends no more at once than it is told, and nothing that nobody waits for', async () => {
    for (const order of ORDERS) {
      const client = new FaultyClient();
      const counted = peer.open({ httpClient: client });
      const run = counted.repo(Order, { table }).fanOut(partitions, { order, concurrency: 3 });
      assert.equal((await run.take(100)).length, 28);
      assert(client.most <= 3, `${order}: ${client.most} at once`);
      client.count = 0;
      for await (const _ of run.stream({ size: 1 })) break;
      const begun = order === 'rows' ? CUSTOMERS.length : 5;
      assert(client.count <= begun, `${order}: ${client.count} requests for one row`);
    }
  });

  test('ends at the first failure, and at a signal', async () => {
    for (const order of ORDERS) {
      const client = new FaultyClient(at => (at >= 3 ? 'reset before' : undefined));
      const failing = peer.open({ httpClient: client });
      const run = failing.repo(Order, { table }).fanOut(partitions, { order, concurrency: 2 });
      await rejects(run.take(100), 'Unreachable');
      const controller = new AbortController();
      const stream = start(order, 2).stream({ size: 1, signal: controller.signal });
      await stream.next();
      controller.abort(new Error('enough'));
      await assert.rejects(async () => {
        for await (const _ of stream);
      }, /enough/);
    }
  });

  test('has tokens for itself alone', async () => {
    const { next: resume } = await start('scan', 2).page({ size: 3 });
    assert(resume);
    await rejects(start('rows', 2).page({ resume }), 'TokenMismatch');
    const turned = db()
      .repo(Order, { table })
      .fanOut([...partitions].reverse());
    assert.equal(
      (await turned.page({ resume })).items.length,
      25,
      'the order of the keys is none of its matter',
    );
    const fewer = db().repo(Order, { table }).fanOut(partitions.slice(1));
    await rejects(fewer.page({ resume }), 'TokenMismatch');
    await rejects(
      db().repo(Order, { table }).partition({ customer: 'ann' }).page({ resume }),
      'TokenMismatch',
    );
    assert.deepEqual(await db().repo(Order, { table }).fanOut([]).page(), {
      items: [],
      next: undefined,
    });
  });

  test('reads all buckets of what is spread over them', async () => {
    const events = db().repo(Event, { table: await peer.newTable() });
    for (let seq = 0; seq < 12; seq++)
      await events.create({ device: `d${seq % 2}`, at: moment(seq), seq, text: 'x' });
    const found = await events.buckets({ device: 'd1' }, { order: 'rows' }).take(100);
    assert.deepEqual(column(found, 'seq'), [11, 9, 7, 5, 3, 1]);
    const [latest] = await events
      .buckets({ device: 'd0' }, { each: p => p.rows({}, { at: { lt: moment(9) } }), order: 'rows' })
      .take(1);
    assert.equal(latest?.value.seq, 8);
  });
});
