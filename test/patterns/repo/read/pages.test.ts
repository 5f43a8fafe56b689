// Pages and their tokens over a service, and that a token is valid for its own query alone. table-query.test.ts proves on a model that reading resumes behind any page.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import type { Results } from '#patterns';
import { fanOut } from '#patterns/fan-out';
import { collect, pageByPage } from '../../support/collect.js';
import { column } from '../../support/column.js';
import { describePeers, fresh } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';
import { fillShop, Note, Order, order } from '../../support/shop.js';

interface Numbered {
  readonly value: { readonly number: number };
}

describePeers('pages', peer => {
  const shop = async (customers: readonly string[], count: number) => {
    const { db, table, repo: orders, httpClient } = await fresh(peer, Order);
    await fillShop(db, table, customers, count);
    httpClient.count = 0;
    return { db, table, orders, httpClient };
  };

  test('go on where they stopped, after a kill at every boundary', async () => {
    const { orders } = await shop(['ann', ''], 23);
    const all = Array.from({ length: 23 }, (_, i) => i).sort((a, b) => (a % 4) - (b % 4) || a - b);
    const ann = orders.partition({ customer: 'ann' });
    const paid = ann.where(p => p.isPaid.eq(true)).select('total');
    const isPaid = (number: number): boolean => number % 2 === 0;
    const cases: readonly (readonly [Results<Numbered>, number, readonly number[]])[] = [
      ...[1, 22, 23, 24].map(size => [ann, size, all] as const),
      [paid, 5, all.filter(isPaid)],
      // Also in a partition whose key is empty.
      [orders.partition({ customer: '' }), 3, all],
      [orders.scan().allowScan('both partitions'), 4, [...all, ...all]],
    ];
    for (const [query, size, expected] of cases) {
      const pages = await pageByPage(resume => query.pages({ size, resume }));
      assert.deepEqual(
        pages.flatMap(({ items }) => items.map(({ value }) => value.number)),
        expected,
        `pages of ${size}`,
      );
    }
    const pages = await collect(ann.pages({ size: 10 }));
    assert.deepEqual(
      pages.map(({ items }) => items.length),
      [10, 10, 3],
    );
  });

  test('follow empty ones', async () => {
    const { db, table, httpClient, orders } = await shop(['ann'], 30);
    const rows = db.repo(Note, { table });
    await rows.create({ customer: 'ann', id: 'zz', text: 'last' });
    httpClient.count = 0;
    const { items, next } = await rows.partition({ customer: 'ann' }).page({ size: 10 });
    assert.deepEqual([column(items, 'text'), next], [['last'], undefined]);
    assert.equal(httpClient.count, 4, 'three pages of 10 had rows of others alone');
    const none = orders.partition({ customer: 'bob' });
    assert.deepEqual(await none.page(), { items: [], next: undefined });
    assert.deepEqual(await collect(none.pages()), []);
    assert.equal(await none.first(), undefined);
  });

  test('have tokens for their own query', async () => {
    const { db, table, orders } = await shop(['ann'], 4);
    const ann = orders.partition({ customer: 'ann' });
    const { next = '' } = await ann.page({ size: 2 });
    assert.match(next, /^[\w-]+$/);
    for (const other of [
      orders.partition({ customer: 'bob' }),
      ann.rows({ year: 2011 }),
      ann.where(p => p.total.gt(1)),
      ann.select('total'),
      db.repo(Order, { table: `${table}b` }).partition({ customer: 'ann' }),
    ])
      await rejects(other.page({ resume: next }), 'TokenMismatch');
    const encoded = (token: string): string => Buffer.from(token).toString('base64url');
    const token = Buffer.from(next, 'base64url').toString();
    for (const resume of [
      '',
      'x',
      next.slice(4),
      next.slice(0, -4),
      encoded('{"v":2}'),
      encoded(token.replace(/"at":.*$/, '"at":{"p":5}}')),
    ])
      await rejects(ann.page({ resume }), 'TokenMismatch');
    const resume = encoded(token.replace('"v":2', '"v":3'));
    await rejects(ann.page({ resume }), 'TokenMismatch', { reason: 'it is of version 3' });
  });

  test('have tokens that nobody else can make, where there is a secret', async () => {
    const { db, table } = await shop(['ann'], 4);
    const start = (secret: string | undefined) =>
      db
        .repo(Order, {
          table,
          queries: { tokenSecret: secret === undefined ? undefined : Buffer.from(secret) },
        })
        .partition({ customer: 'ann' });
    const { next } = await start('one').page({ size: 2 });
    assert(next);
    assert.equal((await start('one').page({ resume: next })).items.length, 2);
    await rejects(start('two').page({ resume: next }), 'TokenMismatch');
    await rejects(start(undefined).page({ resume: next }), 'TokenMismatch');
    // A query longer than the number of arguments that engines allow in a call.
    const orders = db.repo(Order, { table, queries: { tokenSecret: Buffer.from('one') } });
    const names = ['ann', ...Array.from({ length: 300 }, (_, i) => `${'x'.repeat(450)}${i}`)];
    const many = fanOut(names.map(customer => orders.partition({ customer })));
    const { next: resume } = await many.page({ size: 2 });
    assert.deepEqual(column((await many.page({ size: 2, resume })).items, 'number'), [2, 3]);
    const { next: open } = await start(undefined).page({ size: 2 });
    await rejects(start('one').page({ resume: open }), 'TokenMismatch');
    const bytes = Buffer.from(next, 'base64url');
    for (const at of bytes.keys()) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] ?? 0) ^ 1;
      await rejects(start('one').page({ resume: forged.toString('base64url') }), 'TokenMismatch');
    }
    const queries = { tokenSecret: new Uint8Array() };
    refuses(() => peer.open({ queries }), 'DefinitionInvalid', { subject: 'tokenSecret' });
    refuses(() => db.repo(Order, { queries }), 'DefinitionInvalid', { subject: 'tokenSecret' });
  });

  test('stop at a signal, between pages and while one is on its way', async () => {
    const { orders } = await shop(['ann'], 6);
    const ann = orders.partition({ customer: 'ann' });
    const controller = new AbortController();
    let found = 0;
    const reading = (async () => {
      for await (const _ of ann.stream({ size: 2, signal: controller.signal }))
        if (++found === 3) controller.abort(new Error('enough'));
    })();
    await assert.rejects(reading, /enough/);
    assert.equal(found, 4, 'the page that was there is given');
    await assert.rejects(ann.take(1, { signal: AbortSignal.abort(new Error('no')) }), /no/);
    const other = new AbortController();
    const taking = ann.take(6, { signal: other.signal });
    other.abort(new Error('late'));
    await assert.rejects(taking, /late/);
  });

  test('of more than the service gives at once are taken', async () => {
    const { db, table, orders } = await shop([], 0);
    for (let from = 0; from < 1100; from += 100) {
      const writing = db.batch(Order, { customer: 'ann' }, { table });
      for (let number = from; number < from + 100; number++)
        writing.create(Order, order('ann', 2010, number));
      await writing.commit();
    }
    const ann = orders.partition({ customer: 'ann' });
    for (const count of [999, 1000, 1001, 1100, 1200])
      assert.equal((await ann.take(count)).length, Math.min(count, 1100));
    assert.equal((await ann.page()).items.length, 1000);
    for (const size of [999, 1000]) assert.equal((await ann.page({ size })).items.length, size);
    assert.equal((await collect(ann)).length, 1100);
  });
});
