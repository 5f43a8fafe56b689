// Links from one entity to others, and lookups of small tables: how often they read, what they remember, and what they give when the service fails.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Db, open } from '#patterns';
import { Lookup } from '#patterns/internals';
import { link, linkMany, lookup } from '#patterns/joins';
import { type FaultPlan, FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { Customer, fillShop, Order } from '../../support/shop.js';

const customerOf = link(Order, Customer, order => ({ customer: order.customer }));
const ordersOf = linkMany(Customer, Order, ({ customer }) => ({ partition: { customer } }));
const ordersOf2011 = linkMany(Customer, Order, ({ customer }) => ({
  partition: { customer },
  rows: { year: 2011 },
}));
// @ts-expect-error the keys of a customer are its name
link(Order, Customer, order => ({ customer: order.number }));

describePeers('links', peer => {
  const db = (plan: FaultPlan = () => undefined) => {
    const httpClient = new FaultyClient(plan);
    const opened: Db = open(
      { tables: peer.client({ httpClient, retryOptions: { maxRetries: 0 } }) },
      { httpClient },
    );
    return { db: opened, httpClient };
  };
  const shop = async (): Promise<string> => {
    const table = await peer.newTable();
    await fillShop(db().db, table, ['ann', 'bob'], 5);
    return table;
  };
  /** The repositories of one table. */
  const inTable = (opened: Db, table: string): Pick<Db, 'repo'> => ({
    repo: entity => opened.repo(entity, { table }),
  });

  test('lead to one row', async () => {
    const table = await shop();
    const { db: opened, httpClient } = db();
    const tables = inTable(opened, table);
    const orders = await tables.repo(Order).partition({ customer: 'ann' }).take(3);
    const lone = await tables.repo(Order).create({ ...(orders[0]?.value ?? assert.fail()), customer: 'zoe' });
    assert(orders[0]);
    assert.equal((await customerOf.load(tables, orders[0]))?.value.name, 'ANN');
    assert.equal(await customerOf.load(tables, lone), undefined);
    httpClient.count = 0;
    const loaded = await customerOf.loadAll(tables, [...orders, lone]);
    assert.deepEqual(
      loaded.map(row => row?.value.name),
      ['ANN', 'ANN', 'ANN', undefined],
    );
    assert.equal(httpClient.count, 2, 'the row that three lead to is read once');
    const followed: unknown[] = [];
    for await (const [from, to] of customerOf.follow(tables, orders))
      followed.push([from.value.number, to?.value.name]);
    assert.deepEqual(
      followed,
      orders.map(({ value }) => [value.number, 'ANN']),
    );
  });

  test('lead to many rows', async () => {
    const tables = inTable(db().db, await shop());
    const customers = (
      await tables.repo(Customer).getMany([{ customer: 'ann' }, { customer: 'bob' }])
    ).flatMap(row => row ?? []);
    assert(customers[0]);
    const { class: queryClass } = ordersOf2011.query(tables, customers[0]).explain();
    assert.equal(queryClass, 'range');
    assert.equal((await ordersOf.query(tables, customers[0]).take(9)).length, 5);
    const each = await ordersOf2011.takeAll(tables, customers, 1);
    assert.deepEqual(
      each.map(rows => rows.map(({ value }) => [value.customer, value.number])),
      [[['ann', 1]], [['bob', 1]]],
    );
  });

  test('rows of many keys come in the order of the keys', async () => {
    const table = await shop();
    const { db: opened, httpClient } = db();
    const orders = opened.repo(Order, { table });
    const keys = [4, 9, 0, 4].map(number => ({ customer: 'ann', year: 2010 + (number % 4), number }));
    const found = await orders.getMany(keys, { concurrency: 2 });
    assert.deepEqual(
      found.map(row => row?.value.number),
      [4, undefined, 0, 4],
    );
    assert.equal(httpClient.count, 3);
    assert.deepEqual(await orders.getMany([]), []);
    await assert.rejects(orders.getMany(keys, { signal: AbortSignal.abort(new Error('no')) }), /no/);
    const failing = db(at => (at === 1 ? 'reset before' : undefined));
    await rejects(failing.db.repo(Order, { table }).getMany(keys), 'Unreachable');
  });

  test('a lookup reads once, however many ask', async () => {
    const table = await shop();
    const { db: opened, httpClient } = db();
    let now = 0;
    const customers = lookup(opened, Customer, {
      table,
      ttl: 10,
      negativeTtl: 3,
      maxRows: 10,
      now: () => now,
    });
    const names = (
      await Promise.all(['ann', 'ann', 'ann', 'zoe', 'zoe'].map(customer => customers.get({ customer })))
    ).map(({ row }) => row?.value.name);
    assert.deepEqual(names, ['ANN', 'ANN', 'ANN', undefined, undefined]);
    assert.equal(httpClient.count, 2);
    now = 2;
    assert.deepEqual((await customers.get({ customer: 'zoe' })).age, 2);
    assert.equal(httpClient.count, 2, 'that there is none is remembered');
    now = 3;
    await customers.get({ customer: 'zoe' });
    assert.equal(httpClient.count, 3, 'for its own time');
    now = 9;
    assert.deepEqual((await customers.get({ customer: 'ann' })).age, 9);
    assert.equal(httpClient.count, 3);
    now = 10;
    assert.deepEqual((await customers.get({ customer: 'ann' })).age, 0);
    assert.equal(httpClient.count, 4);
    customers.forget({ customer: 'ann' });
    await customers.get({ customer: 'ann' });
    assert.equal(httpClient.count, 5);
    await rejects(
      async () => new Lookup(Customer, opened.repo(Customer), { ttl: -1, maxRows: 1 }),
      'ValueInvalid',
    );
    await rejects(
      async () => new Lookup(Customer, opened.repo(Customer), { ttl: 1, maxRows: 0 }),
      'ValueInvalid',
    );
  });

  test('a lookup gives what it knows while the service fails, for a time', async () => {
    const table = await shop();
    let isBroken = false;
    const { db: opened } = db(() => (isBroken ? 'reset before' : undefined));
    let now = 0;
    const errors: unknown[] = [];
    const customers = lookup(opened, Customer, {
      table,
      ttl: 10,
      maxStale: 5,
      maxRows: 10,
      now: () => now,
      onError: error => errors.push(error),
    });
    const ann = { customer: 'ann' };
    await customers.get(ann);
    isBroken = true;
    await rejects(customers.get({ customer: 'bob' }), 'Unreachable');
    now = 14;
    const stale = await customers.get(ann);
    assert.deepEqual([stale.row?.value.name, stale.age, stale.isStale], ['ANN', 14, true]);
    assert.equal(errors.length, 1);
    now = 15;
    await rejects(customers.get(ann), 'Unreachable');
    isBroken = false;
    assert.deepEqual((await customers.get(ann)).isStale, false);
  });

  test('a lookup remembers so many rows', async () => {
    const table = await peer.newTable();
    const names = ['a', 'b', 'c', 'd'];
    await fillShop(db().db, table, names, 0);
    const { db: opened, httpClient } = db();
    const of = (maxRows: number) => lookup(opened, Customer, { table, ttl: 1000, maxRows, now: () => 0 });
    const customers = of(2);
    for (const customer of ['a', 'b', 'a', 'c', 'a']) await customers.get({ customer });
    assert.equal(httpClient.count, 3, 'a was asked for last before c came');
    assert.equal(customers.size, 2);
    const everyone = opened.repo(Customer, { table }).scan().allowScan('a small table');
    await rejects(of(3).preload(everyone), 'ScanRefused');
    for (const maxRows of [4, 5]) assert.equal(await of(maxRows).preload(everyone), 4);
    const all = of(4);
    await all.preload(everyone);
    httpClient.count = 0;
    for (const customer of names) assert((await all.get({ customer })).row);
    assert.equal(httpClient.count, 0);
  });

  test('a stream is joined with a lookup, in its order', async () => {
    const table = await shop();
    const { db: opened, httpClient } = db();
    const customers = lookup(opened, Customer, { table, ttl: 1000, maxRows: 10 });
    const orders = opened.repo(Order, { table }).fanOut([{ customer: 'bob' }, { customer: 'ann' }]);
    const joined: string[] = [];
    for await (const [order, customer] of customers.join(orders, ({ value }) => ({
      customer: value.customer,
    })))
      joined.push(`${order.value.number}${customer?.value.name}`);
    assert.equal(joined.join(' '), '0ANN 4ANN 1ANN 2ANN 3ANN 0BOB 4BOB 1BOB 2BOB 3BOB');
    assert.equal(httpClient.count, 2 + 2);
    const strays = customers.join([1, 2], each => (each === 1 ? { customer: 'ann' } : undefined));
    const found: unknown[] = [];
    for await (const [each, row] of strays) found.push([each, row?.value.name]);
    assert.deepEqual(found, [
      [1, 'ANN'],
      [2, undefined],
    ]);
    const one = customers.get({ customer: 'new' }, { signal: AbortSignal.abort(new Error('no')) });
    await assert.rejects(one, /no/);
    assert.equal((await customers.get({ customer: 'new' })).row, undefined, 'others wait for it on');
  });
});
