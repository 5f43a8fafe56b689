// Links from one entity to others, and lookups of small tables: how often they read, what they remember, and what they give when the service fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, open } from '#patterns';
import { fanOut } from '#patterns/fan-out';
import { link, linkMany, lookup } from '#patterns/joins';
import { collect } from '../../support/collect.js';
import { type FaultPlan, FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';
import { Customer, fillShop, Order } from '../../support/shop.js';

const customerOf = link(Order, Customer, order => ({ customer: order.customer }));
const ordersOf = linkMany(Customer, Order, ({ customer }) => ({ partition: { customer } }));
const ordersOf2011 = linkMany(Customer, Order, ({ customer }) => ({
  partition: { customer },
  rows: { year: 2011 },
}));
// @ts-expect-error the keys of a customer are its name
link(Order, Customer, order => ({ customer: order.number }));

type LookupOptions = Partial<Parameters<typeof lookup<typeof Customer>>[2]>;
const [ann, bob, zoe] = ['ann', 'bob', 'zoe'].map(customer => ({ customer })) as [Ann, Ann, Ann];
type Ann = { readonly customer: string };

describePeers('links', peer => {
  /** A shop of these customers, and a program that does not try again; `tables` are its repositories of that table. */
  const shop = async (plan?: FaultPlan, customers: readonly string[] = ['ann', 'bob'], orders = 5) => {
    const table = await peer.newTable();
    await fillShop(peer.open(), table, customers, orders);
    const httpClient = new FaultyClient(plan);
    const client = peer.client({ httpClient, retryOptions: { maxRetries: 0 } });
    const db: Db = open({ tables: client }, { httpClient });
    const tables: Pick<Db, 'repo'> = { repo: entity => db.repo(entity, { table }) };
    const clock = { now: 0 };
    const looked = (options: LookupOptions = {}) =>
      lookup(db, Customer, { table, ttl: 10, maxRows: 10, now: () => clock.now, ...options });
    const orderRows = tables.repo(Order);
    return { db, tables, orders: orderRows, customers: tables.repo(Customer), httpClient, clock, looked };
  };

  test('lead to one row', async () => {
    const { tables, orders: rows, httpClient } = await shop();
    const orders = await rows.partition(ann).take(3);
    const [first] = orders;
    assert(first);
    const lone = await rows.create({ ...first.value, customer: 'zoe' });
    assert.equal((await customerOf.load(tables, first))?.value.name, 'ANN');
    assert.equal(await customerOf.load(tables, lone), undefined);
    httpClient.count = 0;
    const loaded = await customerOf.loadAll(tables, [...orders, lone]);
    assert.deepEqual(
      loaded.map(row => row?.value.name),
      ['ANN', 'ANN', 'ANN', undefined],
    );
    assert.equal(httpClient.count, 2, 'the row that three lead to is read once');
    const followed = await collect(customerOf.follow(tables, orders));
    assert.deepEqual(
      followed.map(([from, to]) => [from.value.number, to?.value.name]),
      orders.map(({ value }) => [value.number, 'ANN']),
    );
  });

  test('lead to many rows', async () => {
    const { tables, customers } = await shop();
    const rows = (await customers.getMany([ann, bob])).flatMap(row => row ?? []);
    assert(rows[0]);
    assert.equal(ordersOf2011.query(tables, rows[0]).explain().class, 'range');
    assert.equal((await ordersOf.query(tables, rows[0]).take(9)).length, 5);
    const each = await ordersOf2011.takeAll(tables, rows, 1);
    assert.deepEqual(
      each.map(found => found.map(({ value }) => [value.customer, value.number])),
      [[['ann', 1]], [['bob', 1]]],
    );
  });

  test('rows of many keys come in the order of the keys', async () => {
    const { orders, httpClient } = await shop();
    const keys = [4, 9, 0, 4].map(number => ({ customer: 'ann', year: 2010 + (number % 4), number }));
    const found = await orders.getMany(keys, { concurrency: 2 });
    assert.deepEqual(
      found.map(row => row?.value.number),
      [4, undefined, 0, 4],
    );
    assert.equal(httpClient.count, 3);
    assert.deepEqual(await orders.getMany([]), []);
    await assert.rejects(orders.getMany(keys, { signal: AbortSignal.abort(new Error('no')) }), /no/);
    const failing = await shop(at => (at === 1 ? 'reset before' : undefined));
    await rejects(failing.orders.getMany(keys), 'Unreachable');
  });

  test('a lookup reads once, however many ask, and again when its time is over', async () => {
    const { httpClient, clock, looked } = await shop();
    const customers = looked({ negativeTtl: 3 });
    const asked = await Promise.all([ann, ann, ann, zoe, zoe].map(each => customers.get(each)));
    assert.deepEqual(
      asked.map(({ row }) => row?.value.name),
      ['ANN', 'ANN', 'ANN', undefined, undefined],
    );
    assert.equal(httpClient.count, 2);
    // That there is none is remembered for its own time.
    for (const [now, key, age, requests] of [
      [2, zoe, 2, 2],
      [3, zoe, 0, 3],
      [9, ann, 9, 3],
      [10, ann, 0, 4],
    ] as const) {
      clock.now = now;
      assert.deepEqual([(await customers.get(key)).age, httpClient.count], [age, requests], `at ${now}`);
    }
    customers.forget(ann);
    await customers.get(ann);
    assert.equal(httpClient.count, 5);
    refuses(() => looked({ ttl: -1 }), 'ValueInvalid');
    refuses(() => looked({ maxRows: 0 }), 'ValueInvalid');
  });

  test('a lookup gives what it knows while the service fails, for a time', async () => {
    let isBroken = false;
    const { clock, looked } = await shop(() => (isBroken ? 'reset before' : undefined));
    const errors: unknown[] = [];
    const customers = looked({ maxStale: 5, onError: error => errors.push(error) });
    await customers.get(ann);
    isBroken = true;
    await rejects(customers.get(bob), 'Unreachable');
    clock.now = 14;
    const { row, age, isStale } = await customers.get(ann);
    assert.deepEqual([row?.value.name, age, isStale, errors.length], ['ANN', 14, true, 1]);
    clock.now = 15;
    await rejects(customers.get(ann), 'Unreachable');
    isBroken = false;
    assert.equal((await customers.get(ann)).isStale, false);
  });

  test('a lookup remembers so many rows', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const { customers: rows, httpClient, looked } = await shop(undefined, names, 0);
    const customers = looked({ maxRows: 2 });
    for (const customer of ['a', 'b', 'a', 'c', 'a']) await customers.get({ customer });
    assert.equal(httpClient.count, 3, 'a was asked for last before c came');
    assert.equal(customers.size, 2);
    const everyone = rows.scan().allowScan('a small table');
    await rejects(looked({ maxRows: 3 }).preload(everyone), 'ScanRefused');
    for (const maxRows of [4, 5]) {
      const all = looked({ maxRows });
      assert.equal(await all.preload(everyone), 4);
      httpClient.count = 0;
      for (const customer of names) assert((await all.get({ customer })).row);
      assert.equal(httpClient.count, 0);
    }
    // What is forgotten while the rows are on their way is not among what they leave.
    const changed = looked();
    const [a] = names.map(customer => ({ customer })) as [Ann];
    const take: typeof everyone.take = async (...given) => {
      const found = await everyone.take(...given);
      await rows.merge({ key: a, etag: '*' }, { name: 'changed' });
      changed.forget(a);
      return found;
    };
    assert.equal(await changed.preload({ take }), 4);
    assert.deepEqual([changed.size, (await changed.get(a)).row?.value.name], [3, 'changed']);
    // The answer has come, and preload has not gone on yet.
    let answer: (found: Awaited<ReturnType<typeof take>>) => void = () => undefined;
    const reading = changed.preload({
      take: () =>
        new Promise(resolve => {
          answer = resolve;
        }),
    });
    answer(await everyone.take(9));
    await undefined;
    changed.forget(a);
    assert.equal(await reading, 4);
    assert.equal(changed.size, 3);
  });

  test('a stream is joined with a lookup, in its order', async () => {
    const { orders, httpClient, looked } = await shop();
    const customers = looked();
    const bought = fanOut([bob, ann].map(customer => orders.partition(customer)));
    const all = customers.join(bought, ({ value }) => ({ customer: value.customer }));
    const joined = (await collect(all)).map(([order, to]) => `${order.value.number}${to?.value.name}`);
    assert.equal(joined.join(' '), '0ANN 4ANN 1ANN 2ANN 3ANN 0BOB 4BOB 1BOB 2BOB 3BOB');
    assert.equal(httpClient.count, 2 + 2);
    const strays = await collect(customers.join([1, 2], each => (each === 1 ? ann : undefined)));
    assert.deepEqual(
      strays.map(([each, row]) => [each, row?.value.name]),
      [
        [1, 'ANN'],
        [2, undefined],
      ],
    );
    const one = customers.get({ customer: 'new' }, { signal: AbortSignal.abort(new Error('no')) });
    await assert.rejects(one, /no/);
    assert.equal((await customers.get({ customer: 'new' })).row, undefined, 'others wait for it on');
  });
});
