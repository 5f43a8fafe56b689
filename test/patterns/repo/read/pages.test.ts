// Pages and their tokens: reading resumes after every page as if it had never stopped, in a program that has nothing but the token; and a token is valid
// for its own query alone.
import assert from 'node:assert/strict';
import { Buffer } from 'node:buffer';
import { test } from 'node:test';
import type { Results } from '#patterns';
import { column } from '../../support/column.js';
import { FaultyClient } from '../../support/faulty-client.js';
import { describePeers } from '../../support/peers.js';
import { rejects } from '../../support/rejects.js';
import { fillShop, Note, Order } from '../../support/shop.js';

interface Numbered {
  readonly value: { readonly number: number };
}

const numbers = (items: readonly Numbered[]): number[] => items.map(({ value }) => value.number);

/** All items, by a program that ends after every page and starts again from its token. */
async function killed<R extends Numbered>(start: () => Results<R>, size: number): Promise<number[]> {
  const found: number[] = [];
  let resume: string | undefined;
  do {
    const page = await start().page({ size, resume });
    found.push(...numbers(page.items));
    resume = page.next;
  } while (resume !== undefined);
  return found;
}

describePeers('pages', peer => {
  const db = peer.open;
  test('go on where they stopped, after a kill at every boundary', async () => {
    const table = await peer.newTable();
    await fillShop(db(), table, ['ann'], 23);
    const start = () => db().repo(Order, { table }).partition({ customer: 'ann' });
    const all = numbers(await start().take(100));
    assert.equal(all.length, 23);
    for (const size of [1, 2, 7, 22, 23, 24])
      assert.deepEqual(await killed(start, size), all, `pages of ${size}`);
    const paid = () =>
      start()
        .where(p => p.isPaid.eq(true))
        .select('total');
    assert.deepEqual(
      await killed(paid, 5),
      all.filter(number => number % 2 === 0),
    );
    const sizes: number[] = [];
    for await (const { items } of start().pages({ size: 10 })) sizes.push(items.length);
    assert.deepEqual(sizes, [10, 10, 3]);
    const second = await start().page({ size: 10 });
    const rest: number[] = [];
    for await (const { items } of start().pages({ size: 10, resume: second.next }))
      rest.push(...numbers(items));
    assert.deepEqual(rest, all.slice(10));
  });

  test('go on in a partition whose key is empty', async () => {
    const table = await peer.newTable();
    await fillShop(db(), table, ['', 'ann'], 11);
    const orders = db().repo(Order, { table });
    const all = Array.from({ length: 11 }, (_, i) => i).sort((a, b) => (a % 4) - (b % 4) || a - b);
    assert.deepEqual(await killed(() => orders.partition({ customer: '' }), 3), all);
    const both = await killed(() => orders.scan().allowScan('both partitions'), 4);
    assert.deepEqual(both, [...all, ...all]);
  });

  test('follow empty ones', async () => {
    const table = await peer.newTable();
    await fillShop(db(), table, ['ann'], 30);
    const client = new FaultyClient();
    const counted = peer.open({ httpClient: client });
    await db().repo(Note, { table }).create({ customer: 'ann', id: 'zz', text: 'last' });
    const notes = counted.repo(Note, { table }).partition({ customer: 'ann' });
    const { items, next } = await notes.page({ size: 10 });
    assert.deepEqual(column(items, 'text'), ['last']);
    assert.equal(client.count, 4, 'three pages of 10 had rows of others alone');
    assert.equal(next, undefined);
    const none = counted.repo(Order, { table }).partition({ customer: 'bob' });
    assert.deepEqual(await none.page(), { items: [], next: undefined });
    for await (const _ of none.pages()) assert.fail('there is no page');
    assert.equal(await none.first(), undefined);
  });

  test('have tokens for their own query', async () => {
    const table = await peer.newTable();
    await fillShop(db(), table, ['ann'], 4);
    const orders = db().repo(Order, { table });
    const ann = orders.partition({ customer: 'ann' });
    const { next } = await ann.page({ size: 2 });
    assert(next);
    assert.match(next, /^[\w-]+$/);
    const others = [
      orders.partition({ customer: 'bob' }),
      ann.rows({ year: 2011 }),
      ann.where(p => p.total.gt(1)),
      ann.select('total'),
      db()
        .repo(Order, { table: `${table}b` })
        .partition({ customer: 'ann' }),
    ];
    for (const other of others) await rejects(other.page({ resume: next }), 'TokenMismatch');
    const broken = ['', 'x', next.slice(4), next.slice(0, -4), Buffer.from('{"v":2}').toString('base64url')];
    for (const resume of broken) await rejects(ann.page({ resume }), 'TokenMismatch');
    const version = Buffer.from(Buffer.from(next, 'base64url').toString().replace('"v":2', '"v":3'));
    await rejects(ann.page({ resume: version.toString('base64url') }), 'TokenMismatch', {
      reason: 'it is of version 3',
    });
    const place = Buffer.from(next, 'base64url')
      .toString()
      .replace(/"at":.*$/, '"at":{"p":5}}');
    await rejects(ann.page({ resume: Buffer.from(place).toString('base64url') }), 'TokenMismatch');
  });

  test('have tokens that nobody else can make, where there is a secret', async () => {
    const table = await peer.newTable();
    await fillShop(db(), table, ['ann'], 4);
    const start = (secret: string | undefined) =>
      db()
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
    const { next: open } = await start(undefined).page({ size: 2 });
    await rejects(start('one').page({ resume: open }), 'TokenMismatch');
    const bytes = Buffer.from(next, 'base64url');
    for (const at of bytes.keys()) {
      const forged = Buffer.from(bytes);
      forged[at] = (forged[at] ?? 0) ^ 1;
      await rejects(start('one').page({ resume: forged.toString('base64url') }), 'TokenMismatch');
    }
  });

  test('are not sealed with nothing', async () => {
    const tokenSecret = new Uint8Array();
    const empty = () => peer.open({ queries: { tokenSecret } });
    assert.throws(empty, /DefinitionInvalid: tokenSecret/);
    assert.throws(() => db().repo(Order, { queries: { tokenSecret } }), /DefinitionInvalid: tokenSecret/);
  });

  test('stop at a signal, between pages and while one is on its way', async () => {
    const table = await peer.newTable();
    await fillShop(db(), table, ['ann'], 6);
    const ann = db().repo(Order, { table }).partition({ customer: 'ann' });
    const controller = new AbortController();
    const found: number[] = [];
    const reading = (async () => {
      for await (const { value } of ann.stream({ size: 2, signal: controller.signal })) {
        found.push(value.number);
        if (found.length === 3) controller.abort(new Error('enough'));
      }
    })();
    await assert.rejects(reading, /enough/);
    assert.equal(found.length, 4, 'the page that was there is given');
    await assert.rejects(ann.take(1, { signal: AbortSignal.abort(new Error('no')) }), /no/);
    const other = new AbortController();
    const taking = ann.take(6, { signal: other.signal });
    other.abort(new Error('late'));
    await assert.rejects(taking, /late/);
  });

  test('of more than the service gives at once are taken', async () => {
    const table = await peer.newTable();
    const batch = 100;
    for (let from = 0; from < 1100; from += batch) {
      const writing = db().batch(Order, { customer: 'ann' }, { table });
      for (let number = from; number < from + batch; number++)
        writing.create(Order, {
          customer: 'ann',
          year: 2010,
          number,
          total: 1,
          isPaid: true,
          product: 'p',
        });
      await writing.commit();
    }
    const ann = db().repo(Order, { table }).partition({ customer: 'ann' });
    for (const count of [999, 1000, 1001, 1100, 1200])
      assert.equal((await ann.take(count)).length, Math.min(count, 1100));
    assert.equal((await ann.page()).items.length, 1000);
    for (const size of [999, 1000]) assert.equal((await ann.page({ size })).items.length, size);
    let count = 0;
    for await (const _ of ann) count++;
    assert.equal(count, 1100);
  });
});
