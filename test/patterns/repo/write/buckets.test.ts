// Changing the number of buckets: every operation covers the old places and the new ones, or refuses; and moving the rows ends that state, whatever is
// written, lost or killed during the move.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { codec, type Db, entity, key, open, PatternError, t } from '#patterns';
import { change, rebucket, rebucketing } from '#patterns/bulk';
import { fanOut } from '#patterns/fan-out';
import { onlyIn } from '../../../support/slow.js';
import { collect, outcomeOf, pageByPage, written } from '../../support/collect.js';
import { column } from '../../support/column.js';
import { before, disturbed, FaultyClient, faultAt, SOME_FAULTS } from '../../support/faulty-client.js';
import { describePeers, fresh, nextTurn } from '../../support/peers.js';
import { refuses, rejects } from '../../support/rejects.js';
import { chanceOf, repeatBy, SEED } from '../../support/seeded.js';

const props = { day: t.string(), customer: t.string(), count: t.int32(), note: t.string().optional() };
const visits = (hash: ReturnType<typeof codec.hash>) =>
  entity('Visit', {
    version: 1,
    table: 'Visits',
    props,
    partition: p => key(p.day, p.customer.as(hash)),
    row: p => key(p.customer),
  });
const Old = visits(codec.hash(4));
const Changing = visits(codec.hash(16, rebucketing(4)));
const New = visits(codec.hash(16));

const CUSTOMERS = Array.from({ length: 12 }, (_, i) => `c${i}`);
const visit = (customer: string, count = 0) => ({ day: 'mon', customer, count });

/** The service was not heard four times in a row, and nothing was done. */
const UNHEARD: ReadonlySet<string> = new Set(['Unreachable', 'Throttled', 'ServiceRefused']);

async function moveAll(db: Db, table: string): Promise<number> {
  const pages = await collect(rebucket(db, Changing, { table, size: 5 }));
  return pages.at(-1)?.moved ?? 0;
}

const skip = onlyIn('patterns');

describePeers('a number of buckets that is being changed', peer => {
  const db = peer.open;
  // The requests are the same on all servers.
  const everyRequest = process.env.SHELFMARK_LONG !== undefined && peer.name === 'memory';

  async function filled() {
    const { db: own, table, httpClient } = await fresh(peer, Changing);
    for (const customer of CUSTOMERS) await db().repo(Old, { table }).create(visit(customer));
    return {
      db: own,
      table,
      httpClient,
      rows: own.repo(Changing, { table }),
      moved: own.repo(New, { table }),
    };
  }

  /** Every row once, as its number of writes. */
  async function counts(table: string): Promise<readonly (readonly [string, number])[]> {
    const all = await db().repo(Changing, { table }).scan().allowScan('a test').take(1_000);
    return all.map(({ value }) => [value.customer, value.count] as const).sort();
  }

  test('hides no row from reads', async () => {
    const { rows, moved } = await filled();
    await moved.create({ ...visit('new'), note: 'new' });
    assert.equal((await rows.get(visit('c1')))?.value.customer, 'c1');
    assert.equal((await rows.get(visit('new')))?.value.note, 'new');
    for (const customer of ['c1', 'new']) {
      const partition = rows.partition(visit(customer));
      const found = (await partition.take(100)).map(({ value }) => value.customer);
      assert(found.includes(customer), `${customer} is not in ${found}`);
      assert.deepEqual(found, [...found].sort());
      assert.equal((await partition.row({ customer }).first())?.value.customer, customer);
      const some = await partition
        .where(p => p.count.eq(0))
        .select('note')
        .take(100);
      assert.equal(some.length, found.length);
      const pages = await pageByPage(resume => partition.pages({ size: 1, resume }));
      assert.deepEqual(
        pages.flatMap(({ items }) => column(items, 'customer')),
        found,
      );
      assert.equal(partition.explain().requests.length, 2);
    }
    const all = await fanOut(rows.buckets({ day: 'mon' })).take(100);
    assert.equal(all.length, CUSTOMERS.length + 1);
    const customers = [...CUSTOMERS, 'new'].map(customer => rows.partition(visit(customer)));
    const named = await fanOut(customers).take(100);
    assert.equal(named.length, CUSTOMERS.length + 1);
  });

  test('hides no row from a query during which it is moved', async () => {
    const names = Array.from({ length: 400 }, (_, i) => `c${i}`);
    const [oldOf, newOf] = [Old, New].map(
      ({ plan }) =>
        (name: string) =>
          plan.partition.encode(visit(name)),
    );
    assert(oldOf && newOf);
    const together = names
      .filter(name => newOf(name) === newOf('c1') && oldOf(name) !== newOf(name))
      .slice(0, 5);
    for (let index = 0; index < 5; index++) {
      const { db: own, table } = await fresh(peer, Changing, {
        plan: async at => {
          if (at === index) await moveAll(db(), table);
          return undefined;
        },
      });
      for (const name of together) await db().repo(Old, { table }).create(visit(name));
      const rows = own.repo(Changing, { table }).partition(visit('c1')).stream({ size: 2 });
      assert.deepEqual(column(await collect(rows), 'customer'), together.toSorted(), `moved at ${index}`);
    }
  });

  test('lets no write make a second row, or miss the first', async () => {
    const { table, rows } = await filled();
    await rejects(rows.create(visit('c0')), 'AlreadyExists');
    const upserted = await rows.upsert({ ...visit('c1', 7), note: 'upserted' });
    assert.equal((await rows.get(visit('c1')))?.etag, upserted.etag);
    await rows.upsertMerge({ ...visit('c2', 8), note: 'kept' });
    await rows.upsertMerge(visit('c2', 9));
    assert.deepEqual((await rows.get(visit('c2')))?.value, { ...visit('c2', 9), note: 'kept' });
    const any = (customer: string) => ({ key: visit(customer), etag: '*' });
    await rows.merge(any('c3'), { count: 3 });
    await rows.replace(any('c4'), visit('c4', 4));
    await rows.delete(any('c5'));
    await rows.deleteIfExists(any('c6'));
    await rejects(rows.delete(any('c6')), 'NotFound');
    const read = await rows.get(visit('c7'));
    assert(read);
    await rejects(rows.merge({ key: visit('c7'), etag: upserted.etag }, { count: 1 }), 'Conflict');
    const merged = await rows.merge({ key: visit('c7'), etag: read.etag }, { count: 7 });
    await rows.merge(merged, { note: 'seven' });
    await rows.mutate(visit('c8'), row => ({ ...visit('c8'), count: (row?.count ?? 0) + 8 }));
    await rows.mutate(visit('made'), () => visit('made', 1));
    const bulk = await written(db(), [
      change.create(Changing, visit('c9'), { table }),
      change.upsert(Changing, visit('c10', 10), { table }),
      change.merge(Changing, any('c11'), { count: 11 }, { table }),
    ]);
    assert.deepEqual(bulk, ['AlreadyExists', 'done', 'done']);
    assert.deepEqual(await counts(table), [
      ['c0', 0],
      ['c1', 7],
      ['c10', 10],
      ['c11', 11],
      ['c2', 9],
      ['c3', 3],
      ['c4', 4],
      ['c7', 7],
      ['c8', 8],
      ['c9', 0],
      ['made', 1],
    ] as const);
    refuses(
      () => db().batch(Changing, visit('c0'), { table }).upsert(Changing, visit('c0')),
      'BucketsChanging',
    );
  });

  test('ends when the rows have been moved, and moving them again does nothing', async () => {
    const { table, rows, moved } = await filled();
    const read = await rows.get(visit('c3'));
    assert(read);
    const misplaced = CUSTOMERS.filter(
      customer => Old.plan.partition.encode(visit(customer)) !== New.plan.partition.encode(visit(customer)),
    );
    assert.equal(await moveAll(db(), table), misplaced.length);
    assert.equal(await moveAll(db(), table), 0);
    await rejects(rows.replace(read, visit('c3', 1)), 'Conflict');
    await rejects(rows.delete(read), 'Conflict');
    await rejects(rows.delete(read, { exactlyOnce: true }), 'Conflict');
    for (const customer of CUSTOMERS) {
      const row = await moved.get(visit(customer));
      assert.deepEqual(row?.value, visit(customer));
      assert.deepEqual(
        row.unknown.map(({ name }) => name),
        ['_op'],
      );
    }
    assert.equal((await counts(table)).length, CUSTOMERS.length);
  });

  test('makes a write a Conflict that a move overtakes', async () => {
    const { table, rows } = await filled();
    const read = (await rows.get(visit('c3'))) ?? assert.fail();
    const httpClient = new FaultyClient(before('PUT', () => moveAll(db(), table)));
    const overtaken = db({ httpClient, sleep: nextTurn }).repo(Changing, { table });
    await rejects(overtaken.replace(read, visit('c3', 1)), 'Conflict');
  });

  test('lets no delete of what may be gone pass over a row that a move overtakes', async () => {
    const { table, rows } = await filled();
    const read = (await rows.get(visit('c3'))) ?? assert.fail();
    const outcome = async (target: Parameters<typeof rows.deleteIfExists>[0]) => {
      const httpClient = new FaultyClient(before('DELETE', () => moveAll(db(), table)));
      const overtaken = db({ httpClient, sleep: nextTurn }).repo(Changing, { table });
      return outcomeOf(overtaken.deleteIfExists(target));
    };
    assert.equal(await outcome(read), 'Conflict');
    assert.equal((await rows.get(visit('c3')))?.value.customer, 'c3');
    await rows.delete({ key: visit('c3'), etag: '*' });
    await db().repo(Old, { table }).create(visit('c3'));
    assert.equal(await outcome({ key: visit('c3'), etag: '*' }), 'done');
    assert.equal(await rows.get(visit('c3')), undefined);
  });

  test('keeps a row whose delete is refused while its leftover stands', async () => {
    const { table } = await fresh(peer, Changing);
    const rows = db().repo(Changing, { table });
    await db().repo(Old, { table }).create(visit('c3'));
    const read = (await rows.get(visit('c3'))) ?? assert.fail();
    await rows.merge(read, { count: 1 });
    const httpClient = new FaultyClient(before('DELETE', () => rejects(rows.delete(read), 'Conflict')));
    assert.equal(await moveAll(db({ httpClient }), table), 1);
    assert.deepEqual((await db().repo(New, { table }).get(visit('c3')))?.value, visit('c3', 1));
  });

  test('may be in a row key too', async () => {
    const slots = (hash: ReturnType<typeof codec.hash>) =>
      entity('Slot', {
        version: 1,
        table: 'Slots',
        props: { day: t.string(), customer: t.string(), count: t.int32() },
        partition: p => key(p.day),
        row: p => key(p.customer.as(hash), p.customer),
      });
    const Both = slots(codec.hash(16, rebucketing(4)));
    const table = await peer.newTable();
    for (const customer of CUSTOMERS)
      await db()
        .repo(slots(codec.hash(4)), { table })
        .create(visit(customer));
    const rows = db().repo(Both, { table });
    await rejects(rows.create(visit('c0')), 'AlreadyExists');
    await rows.upsert(visit('c1', 1));
    await rows.create(visit('made'));
    const monday = rows.partition({ day: 'mon' });
    for (const customer of ['c0', 'c1', 'made'])
      assert.equal((await monday.row({ customer }).first())?.value.customer, customer);
    assert.equal((await monday.take(100)).length, CUSTOMERS.length + 1);
    assert.throws(() => monday.rows({ customer: 'c0' }), /BucketsChanging/);
    assert.equal((await collect(rebucket(db(), Both, { table }))).length, 1);
    const moved = db().repo(slots(codec.hash(16)), { table });
    for (const customer of [...CUSTOMERS, 'made'])
      assert.equal((await moved.get(visit(customer)))?.value.count, customer === 'c1' ? 1 : 0);
    assert.equal((await monday.take(100)).length, CUSTOMERS.length + 1);
  });

  test('a row is whole and written once wherever its move was killed, and one that is deleted then stays away', {
    skip,
  }, async () => {
    const counting = await filled();
    await moveAll(counting.db, counting.table);
    const step = everyRequest ? 1 : 10;
    let frozen = 0;
    for (let index = 1; index < counting.httpClient.count; index += step) {
      const { table, moved } = await filled();
      // The process dies: from there on nothing of it is sent.
      const dying = new FaultyClient(at => (at < index ? undefined : 'reset before'));
      const client = peer.client({ retryOptions: { maxRetries: 0 } });
      await assert.rejects(moveAll(open({ tables: client }, { httpClient: dying }), table));
      const rows = db({ sleep: nextTurn }).repo(Changing, { table });
      const left = new Set<string>();
      for (const [at, customer] of CUSTOMERS.entries()) {
        const stored = (await rows.get(visit(customer))) ?? assert.fail(customer);
        const outcome =
          at % 3 === 0
            ? 'kept'
            : await outcomeOf(rows.delete(at % 3 === 1 ? stored : { key: visit(customer), etag: '*' }));
        // A row that is marked and not copied waits for the next move.
        if (outcome === 'Conflict' || outcome === 'Contention') frozen++;
        else assert(outcome === 'kept' || outcome === 'done', outcome);
        if (outcome !== 'done') left.add(customer);
        assert.equal((await rows.get(visit(customer))) !== undefined, left.has(customer), customer);
      }
      await moveAll(db(), table);
      for (const customer of CUSTOMERS) {
        const expected = left.has(customer) ? visit(customer) : undefined;
        assert.deepEqual((await moved.get(visit(customer)))?.value, expected, `killed at ${index}`);
      }
      assert.equal((await counts(table)).length, left.size);
      assert(left.size <= CUSTOMERS.length / 3 + 1, [...left].join());
    }
    assert(frozen > 0, 'No kill was between the mark and the copy.');
  });

  test('a move goes on over lost answers', async () => {
    for (const fault of SOME_FAULTS)
      for (const index of everyRequest ? [1, 2, 3, 4, 5] : [2, 5]) {
        const { table } = await filled();
        await moveAll(db({ httpClient: new FaultyClient(faultAt(fault, index)), sleep: nextTurn }), table);
        assert.equal((await counts(table)).length, CUSTOMERS.length, `${fault} at ${index}`);
      }
  });

  test('no write is lost while rows move and answers get lost', { skip }, async () => {
    const { table, moved } = await filled();
    const chance = chanceOf(SEED);
    const applied = new Map<string, number>();
    const unknown = new Map<string, number>();
    let isMoving = true;
    const note = (counts: Map<string, number>, customer: string): void =>
      void counts.set(customer, (counts.get(customer) ?? 0) + 1);
    const writer = async (): Promise<void> => {
      const httpClient = new FaultyClient(disturbed(0.3, chance));
      const rows = db({ httpClient, sleep: nextTurn }).repo(Changing, { table });
      for (let round = 0; isMoving || round < 6; round++) {
        const customer = CUSTOMERS[Math.floor(chance() * CUSTOMERS.length)] ?? 'c0';
        const counted = rows.mutate(
          visit(customer),
          row => {
            const now = row ?? assert.fail(`${customer} is not there`);
            return { ...now, count: now.count + 1 };
          },
          { attempts: 200 },
        );
        const outcome = await outcomeOf(counted);
        if (outcome === 'done') note(applied, customer);
        else if (!UNHEARD.has(outcome)) {
          // A row that was moved shows nothing about a write to its old place; a move may take longer than a writer waits.
          assert.equal(outcome, 'OutcomeUnknown');
          note(unknown, customer);
        }
      }
    };
    const mover = moveAll(db(), table).finally(() => {
      isMoving = false;
    });
    await Promise.all([mover, ...Array.from({ length: 6 }, writer)]);
    assert.equal((await counts(table)).length, CUSTOMERS.length);
    for (const customer of CUSTOMERS) {
      const count = (await moved.get(visit(customer)))?.value.count ?? -1;
      const least = applied.get(customer) ?? 0;
      const most = least + (unknown.get(customer) ?? 0);
      const place = `${customer}: ${count}, not from ${least} to ${most}. ${repeatBy('write/buckets')}`;
      assert(count >= least && count <= most, place);
    }
  });

  test('keeps the only row where a long value is merged by its key, while rows move', async () => {
    const docs = (hash: ReturnType<typeof codec.hash>) =>
      entity('Doc', {
        version: 1,
        table: 'Docs',
        props: { id: t.string(), text: t.string().long().optional(), note: t.string().optional() },
        partition: p => key(p.id.as(hash)),
        row: p => key(p.id),
      });
    const table = await peer.newTable();
    const Moving = docs(codec.hash(16, rebucketing(4)));
    const rows = db({ sleep: nextTurn }).repo(Moving, { table });
    const long = (letter: string, pieces: number) => letter.repeat(32_768 * (pieces - 1) + 10);
    const ids = CUSTOMERS.slice(0, 6);
    for (const id of ids)
      await db()
        .repo(docs(codec.hash(4)), { table })
        .create({ id, text: long('a', 3), note: 'n' });
    const write = async (id: string, text: string): Promise<void> => {
      await rows.merge({ key: { id }, etag: '*' }, { text });
      await rows.upsertMerge({ id, text });
    };
    const moving = collect(rebucket(db(), Moving, { table, size: 2 }));
    await Promise.all([moving, ...ids.map(id => write(id, long('b', 2)))]);
    await write('new', long('b', 2)).catch(refusal => assert(PatternError.is(refusal, 'NotFound')));
    await rows.upsertMerge({ id: 'new', text: long('b', 2), note: 'n' });
    await write('new', long('c', 1));
    const all = await rows.scan().allowScan('a test').take(100);
    assert.deepEqual(
      all.map(({ value }) => [value.id, value.text, value.note]).sort(),
      [...ids.map(id => [id, long('b', 2), 'n']), ['new', long('c', 1), 'n']].sort(),
    );
  });
});
